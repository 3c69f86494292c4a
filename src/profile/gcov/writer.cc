#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "profile/format.h"
#include "profile/gcov_format.h"
#include "profile/model/byte_writer.h"
#include "profile/model/file_order.h"
#include "profile/model/summary.h"

namespace pgokit::profile {
namespace {

class GcovWriter {
 public:
  GcovWriter(const Profile& profile, u32 version)
      : profile_(profile), version_{version}, order_(profile) {}

  std::string write() && {
    for (u32 word : {magic_of_gcov, version_.number, 0u}) put(word);
    if (version_.has_files()) write_summary();
    write_names();
    write_functions();
    for (u32 word : {gcov_modules, 0u, 0u}) put(word);
    write_working_set();
    return std::move(out_).take();
  }

 private:
  void put(u32 word) {
    Le<u32> little(word);
    out_.text({reinterpret_cast<const char*>(&little), sizeof little});
  }

  void write_summary() {
    const auto summary = summarize(profile_);
    put(gcov_summary);
    for (u64 count : {summary.total, summary.max_count, summary.max_function_count,
                      summary.num_counts, summary.num_functions, u64{summary.entries.size()}})
      out_.u64le(count);
    for (const auto& entry : summary.entries) {
      put(entry.cutoff);
      out_.u64le(entry.min_count);
      out_.u64le(entry.num_counts);
    }
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
    if (version_.has_files()) put(0);  // a profile does not know the files of functions
    put(static_cast<u32>(order_.names().size() + 1));
    put_name("");
    for (NameId name : order_.names()) put_name(profile_.names.text(name));
    auto contents = std::exchange(out_, std::move(all));
    put_section(gcov_names, contents.bytes());
  }

  void put_name(std::string_view name) {
    size_t bytes = version_.lengths_are_bytes() ? name.size() + 1 : (name.size() + 4) / 4 * 4;
    put(static_cast<u32>(version_.lengths_are_bytes() ? bytes : bytes / 4));
    out_.text(name);
    for (size_t i = name.size(); i < bytes; ++i) out_.byte(0);
    if (version_.has_files()) put(gcov_no_file);
  }

  void write_functions() {
    ByteWriter all = std::exchange(out_, {});
    put(static_cast<u32>(order_.functions().size()));
    for (const auto* function : order_.functions()) {
      out_.u64le(function->samples.head);
      if (version_.has_files()) out_.u64le(0);  // nor when they first ran
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

  static void collect_counts(const FunctionSamples& samples, std::vector<u64>& counts) {
    for (const auto& place : samples.body.unordered()) counts.push_back(place.value.samples);
    for (const auto& at : samples.inlinees.unordered())
      for (const auto& inlinee : at.value.unordered()) collect_counts(*inlinee.value, counts);
  }

  void write_working_set() {
    std::vector<u64> counts;
    for (const auto* function : order_.functions()) collect_counts(function->samples, counts);
    std::ranges::sort(counts, std::greater());
    u64 total = 0;
    for (u64 count : counts) total = add_saturated(total, count);
    put(gcov_working_set);
    put(3 * gcov_working_sets);
    size_t taken = 0;
    u64 sum = 0;
    for (u32 i = 1; i <= gcov_working_sets; ++i) {
      u64 wanted = multiply_saturated(total / (gcov_working_sets + 1), i);
      while (taken < counts.size() && sum < wanted) sum = add_saturated(sum, counts[taken++]);
      put(static_cast<u32>(taken));
      out_.u64le(taken ? counts[taken - 1] : 0);
    }
  }

  const Profile& profile_;
  GcovVersion version_;
  FileOrder order_;
  ByteWriter out_;
};

}  // namespace

Result<std::string> write_gcov(const Profile& profile, const WriteOptions& options) {
  if (profile.flags.probe_based || profile.flags.context_sensitive)
    return fail(
        "the gcov form holds no probe-based or context-sensitive profile: generate it of the "
        "recording with --for gcc, which goes by lines");
  if (!is_gcov_version(options.gcov_version))
    return fail("gcov version {}: 1, 2, 3 and {} (of GCC 4.7) are known", options.gcov_version,
                gcov_version_407);
  return GcovWriter(profile, options.gcov_version).write();
}

}  // namespace pgokit::profile
