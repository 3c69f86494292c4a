#include "base/cursor.h"
#include "base/saturated.h"
#include "profile/gcov_format.h"
#include "profile/readers.h"

namespace pgokit::profile {
namespace {

class GcovReader {
 public:
  explicit GcovReader(Bytes file) : in_(file) {}

  Result<ReadProfile> read() && {
    in_.skip(4);  // the magic has been looked at
    version_ = {in_.get<u32>()};
    in_.skip(4);
    auto status = version_.has_files() ? skip_summary() : Status();
    if (!status) return error("summary", std::move(status).error());
    status = read_names();
    if (!status) return error("names", std::move(status).error());
    section_ = in_.position();
    status = read_functions();
    if (!status) return error("functions", std::move(status).error());
    result_.profile.sort();
    return std::move(result_);  // groups of modules and working sets are of no use here
  }

 private:
  std::unexpected<Error> error(std::string_view section, Error error) const {
    return std::unexpected(
        std::move(error).in(fmt::format("section '{}' (offset {:#x})", section, section_)));
  }

  Status begin_section(u32 tag) {
    u32 found = in_.get<u32>();
    in_.skip(4);  // its length, which old writers do not get right
    if (!in_.ok()) return fail("ends early");
    if (found != tag) return fail("tag {:#x} where {:#x} is wanted", found, tag);
    return {};
  }

  // It is made of the counts again, and has no length.
  Status skip_summary() {
    constexpr u64 bytes_of_entry = 4 + 8 + 8;
    section_ = in_.position();
    u32 tag = in_.get<u32>();
    in_.skip(5 * sizeof(u64));
    u64 entries = in_.get<u64>();
    if (!in_.ok()) return fail("ends early");
    if (tag != gcov_summary) return fail("tag {:#x} where {:#x} is wanted", tag, gcov_summary);
    if (entries > in_.left() / bytes_of_entry) return fail("ends early");
    in_.skip(entries * bytes_of_entry);
    return {};
  }

  std::string_view read_text() {
    u64 length = in_.get<u32>();
    std::string_view text = as_text(in_.bytes(version_.lengths_are_bytes() ? length : 4 * length));
    return text.substr(0, text.find('\0'));
  }

  Status read_names() {
    section_ = in_.position();
    TRY(begin_section(gcov_names));
    if (version_.has_files())
      for (u32 n = in_.get<u32>(); n > 0 && in_.ok(); --n) read_text();
    for (u32 n = in_.get<u32>(); n > 0 && in_.ok(); --n) {
      names_.push_back(result_.profile.names.intern(read_text()));
      if (version_.has_files()) in_.skip(4);
    }
    if (!in_.ok()) return fail("ends early");
    return {};
  }

  Status read_functions() {
    TRY(begin_section(gcov_functions));
    for (u32 n = in_.get<u32>(); n > 0 && in_.ok(); --n) {
      size_t start = in_.position();
      auto status = read_top();
      if (!status)
        return std::unexpected(
            std::move(status).error().in(fmt::format("function at offset {:#x}", start)));
    }
    if (!in_.ok()) return fail("ends early");
    return {};
  }

  Status read_top() {
    u64 head = in_.get<u64>();
    if (version_.has_files()) in_.skip(8);  // when it first ran
    u32 index = in_.get<u32>();
    NameId name = TRY(read_name(index));
    FunctionSamples& samples = result_.profile.function(name);
    samples.add_head(head);
    // Aliases of a function come with the same samples again. Where names have files, a name that
    // is in the table again is another function, which is added to the first.
    FunctionSamples again;
    if (read_.size() < names_.size()) read_.resize(names_.size());
    bool other = version_.has_files() && !read_[index];
    read_[index] = true;
    auto total = read_samples(samples.total == 0 || other ? samples : again, 1);
    if (!total) return std::unexpected(std::move(total).error());
    return {};
  }

  Result<NameId> read_name(u64 index) {
    if (!in_.ok()) return fail("ends early");
    if (index >= names_.size())
      return fail("name index {} is past the table of {} names", index, names_.size());
    return names_[index];
  }

  static LineLocation location(u32 offset) { return {offset >> 16, offset & 0xffff}; }

  // Everything behind the name. Gives the sum of all counts in it.
  Result<u64> read_samples(FunctionSamples& samples, unsigned depth) {
    if (depth > max_inline_depth) return fail("inlined more than {} levels deep", max_inline_depth);
    u32 places = in_.get<u32>(), inlinees = in_.get<u32>();
    u64 total = 0;
    for (; places > 0 && in_.ok(); --places) {
      auto at = location(in_.get<u32>());
      u32 targets = in_.get<u32>();
      u64 count = in_.get<u64>();
      if (!in_.ok()) break;
      samples.add_body(at, count);
      total = add_saturated(total, count);
      TRY(read_targets(samples, at, targets));
    }
    for (; inlinees > 0 && in_.ok(); --inlinees) {
      auto at = location(in_.get<u32>());
      NameId name = TRY(read_name(in_.get<u32>()));
      total = add_saturated(total, TRY(read_samples(samples.inlinee(at, name), depth + 1)));
    }
    if (!in_.ok()) return fail("ends early");
    samples.add_total(total);
    return total;
  }

  Status read_targets(FunctionSamples& samples, LineLocation at, u32 targets) {
    for (; targets > 0 && in_.ok(); --targets) {
      u32 kind = in_.get<u32>();
      if (in_.ok() && kind != gcov_call_targets)
        return fail("values of kind {} where call targets ({}) are wanted", kind,
                    gcov_call_targets);
      NameId name = TRY(read_name(in_.get<u64>()));
      samples.add_target(at, name, in_.get<u64>());
    }
    return {};
  }

  Cursor in_;
  GcovVersion version_;
  size_t section_ = 0;
  ReadProfile result_{{}, Format::gcov, false, {}, {}, {}};
  std::vector<NameId> names_;
  std::vector<bool> read_;  // by index of the name: a function of it
};

}  // namespace

Result<ReadProfile> read_gcov(Bytes bytes) { return GcovReader(bytes).read(); }

}  // namespace pgokit::profile
