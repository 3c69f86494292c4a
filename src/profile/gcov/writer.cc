#include <utility>

#include "profile/format.h"
#include "profile/gcov_format.h"
#include "profile/model/byte_writer.h"
#include "profile/model/file_order.h"

namespace pgokit::profile {
namespace {

class GcovWriter {
 public:
  GcovWriter(const Profile& profile, u32 version)
      : profile_(profile), version_(version), order_(profile) {}

  std::string write() && {
    for (u32 word : {magic_of_gcov, version_, 0u}) put(word);
    write_names();
    write_functions();
    for (u32 word : {gcov_modules, 0u, 0u}) put(word);
    return std::move(out_).take();
  }

 private:
  void put(u32 word) {
    Le<u32> little(word);
    out_.text({reinterpret_cast<const char*>(&little), sizeof little});
  }

  // Behind its tag and length.
  void put_section(u32 tag, std::string_view contents) {
    put(tag);
    put(static_cast<u32>(contents.size() / 4));
    out_.text(contents);
  }

  // The first name is none, as in create_gcov's files.
  void write_names() {
    ByteWriter all = std::exchange(out_, {});
    put(static_cast<u32>(order_.names().size() + 1));
    put_name("");
    for (NameId name : order_.names()) put_name(profile_.names.text(name));
    auto contents = std::exchange(out_, std::move(all));
    put_section(gcov_names, contents.bytes());
  }

  void put_name(std::string_view name) {
    size_t bytes = version_ == 2 ? name.size() + 1 : (name.size() + 4) / 4 * 4;
    put(static_cast<u32>(version_ == 2 ? bytes : bytes / 4));
    out_.text(name);
    for (size_t i = name.size(); i < bytes; ++i) out_.byte(0);
  }

  void write_functions() {
    ByteWriter all = std::exchange(out_, {});
    put(static_cast<u32>(order_.functions().size()));
    for (const auto* function : order_.functions()) {
      out_.u64le(function->samples.head);
      write_samples(function->samples);
    }
    auto contents = std::exchange(out_, std::move(all));
    put_section(gcov_functions, contents.bytes());
  }

  u32 name_index(NameId name) { return order_.index(name) + 1; }

  static bool fits(LineLocation at) {
    return at.line_offset < 0x10000 && at.discriminator < 0x10000;
  }
  void put_location(LineLocation at) { put(at.line_offset << 16 | at.discriminator); }

  void write_samples(const FunctionSamples& samples) {
    u32 places = 0, inlinees = 0;
    for (const auto& [at, record] : samples.body) places += fits(at);
    for (const auto& [at, callees] : samples.inlinees)
      inlinees += fits(at) ? static_cast<u32>(callees.size()) : 0;
    put(name_index(samples.name));
    put(places);
    put(inlinees);
    for (const auto& [at, record] : samples.body)
      if (fits(at)) write_place(at, record);
    for (const auto& [at, callees] : samples.inlinees) {
      if (!fits(at)) continue;
      order_.inlinees(callees, [&](const FunctionSamples& inlinee) {
        put_location(at);
        write_samples(inlinee);
      });
    }
  }

  void write_place(LineLocation at, const BodyRecord& record) {
    put_location(at);
    put(record.targets ? static_cast<u32>(record.targets->size()) : 0);
    out_.u64le(record.samples);
    if (!record.targets) return;
    for (const auto& target : order_.targets(*record.targets)) {
      put(gcov_call_targets);
      out_.u64le(name_index(target.name));
      out_.u64le(target.count);
    }
  }

  const Profile& profile_;
  u32 version_;
  FileOrder order_;
  ByteWriter out_;
};

}  // namespace

Result<std::string> write_gcov(const Profile& profile, const WriteOptions& options) {
  if (profile.flags.probe_based || profile.flags.context_sensitive)
    return fail("the gcov form holds no probe-based or context-sensitive profile");
  if (!is_gcov_version(options.gcov_version))
    return fail("gcov version {}: 1, 2 and {} (of GCC 4.7) are known", options.gcov_version,
                gcov_version_407);
  return GcovWriter(profile, options.gcov_version).write();
}

}  // namespace pgokit::profile
