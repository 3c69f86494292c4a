// The plain binary form: magic, version, summary, names, functions; all numbers ULEB128.
#include "profile/extbinary/function_writer.h"
#include "profile/format.h"

namespace pgokit::profile {

Result<std::string> write_binary(const Profile& profile) {
  if (profile.flags.probe_based || profile.flags.context_sensitive)
    return fail(
        "the binary form holds no probe-based or context-sensitive profile; take extbinary or "
        "text");
  FileOrder order(profile);
  ByteWriter out;
  out.uleb128(magic_of_binary);
  out.uleb128(format_version);
  write_summary(out, summarize(profile));
  write_names(out, order, profile.names);
  FunctionWriter functions(out, order, false);
  for (const auto* function : order.functions()) {
    out.uleb128(function->samples.head);
    out.uleb128(order.index(function->samples.name));
    functions.write(function->samples);
  }
  return std::move(out).take();
}

}  // namespace pgokit::profile
