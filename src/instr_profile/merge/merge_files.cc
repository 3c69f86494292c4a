#include "instr_profile/merge/merge_files.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "base/cursor.h"
#include "base/file.h"
#include "base/parallel.h"
#include "instr_profile/format.h"
#include "instr_profile/memory/memory_program.h"
#include "instr_profile/merge/raw_batch.h"

namespace pgokit::instr_profile {
namespace {

// A batch is so large that handing its records to the threads is little of the work.
constexpr size_t files_at_once = 16;

// A program and its libraries write a file each.
constexpr size_t most_layouts = 16;

// The file that a layout is of stays open.
struct KnownLayout {
  MappedFile file;
  RawLayout layout;
};

struct Opened {
  std::optional<MappedFile> file;
  std::optional<RawFile> raw;  // it has a known layout:
  const RawLayout* layout = nullptr;
  std::string error = {};
};

class Merger {
 public:
  Merger(std::span<const MergeInput> inputs, const MergeOptions& options)
      : inputs_(inputs), options_(options), sum_(options.rules), traces_(options.traces) {
    merged_.inputs.resize(inputs.size());
  }

  Result<MergedFiles> merge() && {
    for (size_t begin = 0; begin < inputs_.size(); begin += files_at_once)
      merge_batch(begin, std::min(inputs_.size(), begin + files_at_once));
    merged_.profile = std::move(sum_.profile());
    if (memory_.any()) {
      merged_.profile.kind |= Kind::memory;
      merged_.profile.memory = TRY(std::move(memory_).finish(options_.memory_form));
    }
    return std::move(merged_);
  }

 private:
  void merge_batch(size_t begin, size_t end) {
    std::vector<Opened> opened(end - begin);
    parallel_for(opened.size(), options_.threads,
                 [&](size_t i, unsigned) { open(begin + i, opened[i]); });
    std::vector<RawFile> alike;
    const RawLayout* layout = nullptr;
    auto add_alike = [&] {
      if (!alike.empty()) layout->add(alike, sum_, options_.threads, take_of_file());
      for (const auto& file : alike) release(file.bytes);
      alike.clear();
    };
    for (size_t i = 0; i < opened.size(); ++i) {
      auto& one = opened[i];
      // Layouts may have come, or gone, since the file was looked at.
      if (one.file && (!one.raw || layouts_changed_)) look_at(one);
      if (one.layout != layout) add_alike();
      layout = one.layout;
      if (one.raw && sum_.takes(kind_of(one.raw->part))) {
        one.raw->weight = inputs_[begin + i].weight;
        one.raw->input = begin + i;
        alike.push_back(*std::move(one.raw));
        continue;
      }
      add_alike();
      add_one(begin + i, one);
    }
    add_alike();
    layouts_changed_ = false;
  }

  // llvm-profdata adds functions counted by the front end to others, where it is a file that says so.
  u64 kind_of(u64 kind, Form form) const {
    bool front_end =
        options_.rules == Rules::commutative && form != Form::text && !(kind & Kind::ir);
    return kind | (front_end ? Kind::frontend : 0);
  }
  u64 kind_of(const RawPart& part) const {
    return kind_of(part.version_and_kind() & Kind::of_version, Form::raw);
  }

  void open(size_t input, Opened& opened) const {
    auto file = MappedFile::open(inputs_[input].path);
    if (!file) {
      opened.error = file.error().message;
      return;
    }
    opened.file.emplace(*std::move(file));
    look_at(opened);
  }
  void look_at(Opened& opened) const {
    opened.raw.reset();
    opened.layout = nullptr;
    Bytes bytes = opened.file->bytes();
    if (!is_raw(bytes)) return;
    for (const auto& known : known_)
      if ((opened.raw = known->layout.check(bytes))) {
        opened.layout = &known->layout;
        return;
      }
  }

  // The general way: once to check, once to add.
  void add_one(size_t input, Opened& opened) {
    auto& merged = merged_.inputs[input];
    const auto& path = inputs_[input].path;
    if (!opened.file) {
      merged.error = opened.error;
      return;
    }
    Bytes bytes = opened.file->bytes();
    if (bytes.empty()) {
      merged.empty = true;
      return;
    }
    if (is_raw_memory(bytes)) {
      if (auto status = add_raw_memory(bytes, merged); !status)
        merged.error = fmt::format("{}: {}", path, status.error().message);
      return;
    }
    Facts checked;
    checked.correlation = options_.correlation;
    checked.as_llvm = options_.as_llvm;
    if (auto status = read(bytes, checked, [](const Record&) -> Status { return {}; }); !status) {
      merged.error = fmt::format("{}: {}", path, status.error().message);
      return;
    }
    // Without functions it goes together with all.
    u64 kind = checked.only_memory ? checked.kind : kind_of(checked.kind, *form_of(bytes));
    if (!sum_.takes(kind)) {
      merged.other_kind = true;
      merged.error = fmt::format(
          "{}: {}", path,
          options_.rules == Rules::llvm
              ? "Merge IR generated profile with Clang generated profile."
              : "its counters are of another kind than those before it (-fprofile-generate and "
                "-fprofile-instr-generate, or of entries alone): merge each kind by itself");
      return;
    }
    if (auto status = add_memory(checked.memory, checked.memory.is_empty, merged); !status) {
      merged.error = fmt::format("{}: {}", path, status.error().message);
      return;
    }
    if (!checked.warning.empty()) merged.warning = fmt::format("{}: {}", path, checked.warning);
    add_functions(input, *opened.file);
    sum_.add_binary_ids(checked.binary_ids);
    if (form_of(bytes) == Form::raw)
      for (auto& trace : checked.traces) trace.weight = inputs_[input].weight;
    if (checked.kind & Kind::temporal)
      traces_.add(std::move(checked.traces), checked.traces_seen, sum_.profile());
    release(bytes);
  }

  // By llvm-profdata's rules the first one is kept, and others are not.
  Status add_memory(const auto& memory, bool is_empty, MergedInput& merged) {
    if (options_.rules == Rules::commutative || memory_.empty() || is_empty)
      return memory_.add(memory);
    merged.note =
        "its memory profile is left out, as llvm-profdata keeps the first one only: 'pgokit merge' "
        "adds those of indexed files up";
    return {};
  }

  Status add_raw_memory(Bytes bytes, MergedInput& merged) {
    auto raw = TRY(read_raw_memory(bytes));
    if (options_.memory_program.empty())
      return fail("{} {}", raw_memory_wants_program, build_ids_of(raw));
    if (!memory_program_)
      memory_program_.emplace(TRY(MemoryProgram::open(options_.memory_program)));
    return add_memory(TRY(memory_program_->profile_of(raw, false)), false, merged);
  }

  void add_functions(size_t input, MappedFile& file) {
    std::vector<u32> functions;
    Facts facts;
    facts.correlation = options_.correlation;
    facts.as_llvm = options_.as_llvm;
    bool any_told = false, told = false;
    const Record* now = nullptr;
    TakeMismatch mismatch = [&](Mismatch what) {
      if (!told && options_.mismatch) options_.mismatch(inputs_[input], what, now->name);
      told = any_told = true;
    };
    auto status = read(file.bytes(), facts, [&](const Record& record) -> Status {
      Record added = record;
      if (options_.rename) added.name = options_.rename(record.name);
      now = &added;
      told = false;
      functions.push_back(sum_.add(added, inputs_[input].weight, mismatch));
      return {};
    });
    // A function of the sum may have other counters now.
    if (any_told && options_.rules == Rules::commutative) {
      known_.clear();
      layouts_changed_ = true;
    }
    if (status && form_of(file.bytes()) == Form::raw) remember(file, std::move(functions));
  }

  // Where all of it is as it is in the sum, later files of the same program need no look at names.
  void remember(MappedFile& file, std::vector<u32> functions) {
    auto part = RawPart::parse(file.bytes(), 0);
    if (!part || !RawLayout::is_simple(*part) || part->size() != functions.size()) return;
    if (known_.size() == most_layouts) return;
    for (size_t i = 0; i < functions.size(); ++i)
      if (!is_as_in_sum(*part, i, functions[i])) return;
    auto sorted = functions;
    std::ranges::sort(sorted);
    if (std::ranges::adjacent_find(sorted) != sorted.end()) return;
    known_.push_back(
        std::make_unique<KnownLayout>(std::move(file), RawLayout(*part, std::move(functions))));
    layouts_changed_ = true;
  }

  bool is_as_in_sum(const RawPart& part, size_t i, u32 function) {
    auto raw = part.record(i);
    auto record = sum_.profile().record(function);
    return raw.counters == record.counters.size() && raw.bitmap_bytes == record.bitmap.size() &&
           mark_of(record.counters) == Mark::none && raw.has_values() == (record.values != nullptr);
  }

  RawLayout::TakeFileMismatch take_of_file() const {
    return [this](const RawFile& file, Mismatch what, std::string_view name) {
      if (options_.mismatch) options_.mismatch(inputs_[file.input], what, name);
    };
  }

  std::span<const MergeInput> inputs_;
  const MergeOptions& options_;
  Sum sum_;
  TraceSample traces_;
  MemorySum memory_;
  std::optional<MemoryProgram> memory_program_;
  std::vector<std::unique_ptr<KnownLayout>> known_;
  bool layouts_changed_ = false;
  MergedFiles merged_;
};

}  // namespace

size_t MergedFiles::used() const {
  return static_cast<size_t>(std::ranges::count_if(
      inputs, [](const MergedInput& input) { return input.error.empty() && !input.empty; }));
}

Result<MergedFiles> merge_files(std::span<const MergeInput> inputs, const MergeOptions& options) {
  return Merger(inputs, options).merge();
}

}  // namespace pgokit::instr_profile
