#include "instr_profile/memory/memory_program.h"

#include <elf.h>
#include <tsl/robin_set.h>

#include <algorithm>
#include <optional>
#include <set>

#include "base/function_name.h"
#include "instr_profile/model/facts.h"
#include "instr_profile/model/in_order.h"

namespace pgokit::instr_profile {
namespace {

constexpr size_t places_of_dense_map = 64;

// With the functions that the run time puts in place of malloc() and its like.
constexpr std::string_view files_of_run_time[] = {
    "memprof_malloc_linux.cpp", "memprof_interceptors.cpp", "memprof_new_delete.cpp"};

bool is_of_run_time(std::string_view path) {
  auto name = path.substr(path.rfind('/') + 1);
  return std::ranges::find(files_of_run_time, name) != std::end(files_of_run_time);
}

// Where the segment with the program's code was.
struct Loaded {
  u64 start = 0, end = 0;
};

Result<Loaded> loaded_at(const RawMemory& raw, const object::File& file, const std::string& path) {
  std::optional<Loaded> found;
  for (const auto& segment : raw.segments) {
    if (segment.build_id != as_text(file.build_id())) continue;
    if (found)
      return fail("{}: We expect only one executable segment in the profiled binary", path);
    found = Loaded{segment.start, segment.end};
  }
  if (found) return *found;
  return fail(
      "{}: No matching executable segments found in binary: its build id is {}, and those "
      "in the profile are {}",
      path, object::hex(file.build_id()), build_ids_of(raw));
}

class Symbolizer {
 public:
  Symbolizer(const RawMemory& raw, const dwarf::DebugInfo& debug, Loaded loaded, u64 code_address,
             bool with_names)
      : raw_(raw),
        debug_(debug),
        cursor_(debug),
        loaded_(loaded),
        code_address_(code_address),
        with_names_(with_names) {}

  Result<MemoryProfile> make() && {
    find_frames();
    if (profile_.raw_stacks == 0)
      return fail("{}: no entries in callstack map after symbolization", problem::malformed);
    for (u32 i = 0; i < raw_.blocks.size(); ++i) TRY(add_block(raw_.blocks[i]));
    for (const auto& [function, places] : calls_)
      for (u32 place : places)
        profile_.call_sites.push_back(
            {profile_.record(function), profile_.add_stack(path_of(std::span(&place, 1)))});
    return std::move(profile_);
  }

 private:
  // The frames of one address, innermost first, in `frames_of_places_`.
  struct Place {
    u32 first = 0, frames = 0;
  };

  // Frames get their numbers in the order in which LLVM looks them up.
  void find_frames() {
    std::vector<u64> numbers;
    for (const auto& stack : raw_.stacks) numbers.push_back(stack.number);
    for (u32 i : hash_table_order(numbers, places_of_dense_map)) {
      bool known = false;
      for (u64 address : raw_.stacks[i].places) known |= places_[place_of(address)].frames > 0;
      profile_.raw_stacks += known;
    }
    for (u32 i = 0; i < numbers.size(); ++i) stack_of_.emplace(numbers[i], i);
  }

  u32 place_of(u64 address) {
    auto [at, added] = place_of_.emplace(address, static_cast<u32>(places_.size()));
    if (added) places_.push_back(read_place(address));
    return at->second;
  }

  Place read_place(u64 address) {
    if (address > loaded_.start && address <= loaded_.end) address += code_address_ - loaded_.start;
    const auto& part = cursor_.at(address);
    Place place{static_cast<u32>(frames_of_places_.size()), 0};
    if (part.frames.empty() || is_of_run_time(debug_.file_name(part, part.frames.back())))
      return place;
    for (auto frame = part.frames.rbegin(); frame != part.frames.rend(); ++frame) {
      auto name = canonical_function_name(frame->function);
      u64 function = function_guid(name);
      if (with_names_) profile_.names.emplace(function, name);
      bool inlined = &*frame != &part.frames.front();
      frames_of_places_.push_back(
          profile_.add_frame({function, frame->line - frame->start_line, frame->column, inlined}));
      ++place.frames;
    }
    return place;
  }

  std::span<const u32> frames_of(u32 place) const {
    return std::span(frames_of_places_).subspan(places_[place].first, places_[place].frames);
  }

  // The node of the frames of places that are innermost first.
  u32 path_of(std::span<const u32> places) {
    u32 node = StackTree::root;
    for (auto place = places.rbegin(); place != places.rend(); ++place) {
      auto frames = frames_of(*place);
      for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame)
        node = profile_.stacks.add(node, *frame);
    }
    return node;
  }

  Status add_block(const RawMemory::Block& block) {
    auto stack = stack_of_.find(block.stack);
    if (stack == stack_of_.end())
      return fail("{}: memprof callstack record does not contain id: {}", problem::malformed,
                  block.stack);
    known_.clear();
    for (u64 address : raw_.stacks[stack->second].places)
      if (u32 place = place_of(address); places_[place].frames > 0) known_.push_back(place);
    if (known_.empty()) return {};
    u32 number = profile_.add_block(all_memory_fields, block.fields);
    if (with_names_) profile_.histograms.push_back(block.histogram);
    u32 node = profile_.add_stack(path_of(known_));
    for (size_t i = 0; i < known_.size(); ++i) add_calls(known_[i], i == 0);
    add_allocs(node, number);
    return {};
  }

  // To the function of each frame, but for the allocation itself.
  void add_calls(u32 place, bool allocates) {
    auto frames = frames_of(place);
    for (u32 frame : frames.subspan(allocates ? 1 : 0)) {
      u64 function = profile_.frames[frame].function;
      auto [at, added] = calls_of_.emplace(function, static_cast<u32>(calls_.size()));
      if (added) calls_.push_back({function, {}});
      if (listed_.insert(u64{at->second} << 32 | place).second)
        calls_[at->second].places.push_back(place);
    }
  }

  // To the functions from the innermost to the first that is not inlined.
  void add_allocs(u32 stack, u32 block) {
    for (u32 place : known_)
      for (u32 frame : frames_of(place)) {
        const auto& one = profile_.frames[frame];
        profile_.allocs.push_back({profile_.record(one.function), stack, block});
        if (!one.inlined) return;
      }
  }

  struct Calls {
    u64 function;
    std::vector<u32> places;
  };

  const RawMemory& raw_;
  const dwarf::DebugInfo& debug_;
  dwarf::FrameCursor cursor_;
  Loaded loaded_;
  u64 code_address_;
  bool with_names_;
  MemoryProfile profile_;
  std::vector<Place> places_;
  std::vector<u32> frames_of_places_;
  tsl::robin_map<u64, u32, IntHash> place_of_, stack_of_, calls_of_;
  std::vector<Calls> calls_;  // by function, in the order in which these came
  tsl::robin_set<u64, IntHash> listed_;
  std::vector<u32> known_;  // places of the stack at hand, those without frames left out
};

}  // namespace

Result<MemoryProgram> MemoryProgram::open(const std::string& path) {
  MemoryProgram program(path);
  program.image_ = std::make_unique<MappedFile>(TRY(MappedFile::open(path)));
  Bytes image = program.image_->bytes();
  program.file_ = std::make_unique<object::File>(TRY_IN(path, object::File::parse(image)));
  TRY(program.check());
  program.debug_ = std::make_unique<dwarf::DebugInfo>(
      TRY_IN(path, dwarf::DebugInfo::load(*program.file_, {.path = path})));
  return program;
}

// llvm-profdata takes no other programs either; the run time is only there for these.
Status MemoryProgram::check() {
  if (file_->format() != object::Format::elf) return fail("{}: Not an ELF file", path_);
  if (file_->machine() != EM_X86_64 && file_->machine() != EM_386)
    return fail("{}: Unsupported target: {}", path_, object::machine_name(file_->machine()));
  if (file_->build_id().empty())
    return fail("{}: No build id found in binary: link it with -Wl,--build-id", path_);
  size_t with_code = 0;
  for (const auto& segment : file_->segments())
    if (segment.executable) code_address_ = segment.address, ++with_code;
  if (with_code > 1)
    return fail("{}: Expect only one executable load segment in the binary", path_);
  return {};
}

Result<MemoryProfile> MemoryProgram::profile_of(const RawMemory& raw, bool with_names) const {
  auto loaded = TRY(loaded_at(raw, *file_, path_));
  return Symbolizer(raw, *debug_, loaded, code_address_, with_names).make();
}

std::string build_ids_of(const RawMemory& raw) {
  constexpr size_t most = 16;
  std::set<std::string_view> seen;
  std::string list;
  for (const auto& segment : raw.segments) {
    if (!seen.insert(segment.build_id).second) continue;
    if (seen.size() > most) return list + " ...";
    auto id = object::hex(as_bytes(segment.build_id));
    list += fmt::format("{}{}", list.empty() ? "" : ", ", id.empty() ? "<None>" : id);
  }
  return list;
}

}  // namespace pgokit::instr_profile
