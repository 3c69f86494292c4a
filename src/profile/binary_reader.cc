#include "profile/function_reader.h"
#include "profile/readers.h"

namespace pgokit::profile {

Result<ReadProfile> read_binary(Bytes bytes) {
  Cursor in(bytes);
  in.uleb128();  // the magic has been looked at
  if (u64 version = in.uleb128(); version != format_version)
    return fail("binary profile of version {}; only {} is known", version, format_version);
  ReadProfile result{{}, Format::binary, false, {}, {}};
  Profile& profile = result.profile;
  skip_summary(in);
  auto names = read_names(in, profile.names);
  if (!in.ok()) return fail("offset {:#x}: the summary or the names end early", in.position());
  FunctionReader reader(in, names, false);
  while (!in.at_end()) {
    size_t start = in.position();
    auto place = [&] { return fmt::format("function at offset {:#x}", start); };
    u64 head = in.uleb128();
    auto name = reader.read_name();
    if (!name) return std::unexpected(std::move(name).error().in(place()));
    FunctionSamples& samples = profile.function(*name);
    samples.add_head(head);
    auto status = reader.read(samples);
    if (!status) return std::unexpected(std::move(status).error().in(place()));
  }
  profile.sort();
  return result;
}

}  // namespace pgokit::profile
