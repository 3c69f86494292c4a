// The counts of a whole run by calling context (pgokit record --exact --contexts). What ran from a
// branch's target to the next branch is divided at the borders of inlined functions, and weighs the
// instructions that it executed; calls are an event of their own.

#include <algorithm>
#include <map>
#include <tuple>

#include "perf/branch_contexts.h"
#include "program/code_map.h"
#include "stacks/read/read.h"
#include "stacks/read/symbols.h"

namespace pgokit::stacks {
namespace {

using PlaceInFile = perf::BranchCounts::Place;
using program::CodeIndex;
using program::no_code;

enum CountedEvent : u32 { instructions, calls };

// A file that branches were counted in.
struct CountedFile {
  u32 module = 0;
  std::unique_ptr<ModuleFile> file;
  std::unique_ptr<program::CodeSymbols> symbols;
  std::unique_ptr<program::CodeMap> code;
  std::unique_ptr<dwarf::FrameCursor> cursor;
};

class CountReader {
 public:
  CountReader(const perf::BranchCounts& counted, const perf::BranchContexts& contexts,
              const ReadOptions& options, Read& out)
      : counted_(counted), contexts_(contexts), options_(options), out_(out), stacks_(out.stacks) {}

  void read(std::string_view run) {
    stacks_.events = {{"instructions", "count", true}, {"calls", "count", true}};
    open_files();
    for (auto event : {instructions, calls})
      stacks_.tracks.push_back({0, 0, false, stacks_.names.intern(run), event});
    std::vector<u32> callers(contexts_.nodes.size());
    for (size_t i = 1; i < callers.size(); ++i) {
      const auto& node = contexts_.nodes[i];
      auto at = node.returns_to;
      if (at.offset != 0) --at.offset;  // the call stands before it
      callers[i] = collector_.child(callers[node.parent], location_of(at));
    }
    for (const auto& step : contexts_.steps) add(step, callers[step.node]);
    for (const auto& rest : contexts_.rests)
      if (rest.start.file == rest.end.file)
        add_range(rest.start, rest.end.offset, rest.count, callers[rest.node]);
    stacks_.nodes = collector_.nodes();
    stacks_.samples = collector_.samples();
    add_frames();
    arrange(stacks_);
  }

 private:
  void open_files() {
    for (const auto& file : counted_.files) {
      CountedFile one{static_cast<u32>(stacks_.modules.size()), {}, {}, {}, {}};
      Module module{.path = std::string(file.path), .build_id = object::hex(file.build_id)};
      one.file = ModuleFile::find(module, options_);
      if (one.file) {
        one.symbols = std::make_unique<program::CodeSymbols>(one.file->file());
        if (auto code = program::CodeMap::build(one.file->file(), *one.symbols))
          one.code = std::make_unique<program::CodeMap>(std::move(*code));
        if (one.file->debug())
          one.cursor = std::make_unique<dwarf::FrameCursor>(*one.file->debug());
      } else {
        out_.nameless.push_back(module.path);
      }
      stacks_.modules.push_back(std::move(module));
      files_.push_back(std::move(one));
    }
    stacks_.modules.emplace_back();  // for code that no file has
  }

  // `address` is the linker's where the file is here.
  u32 location(u32 module, u64 address) {
    auto [found, is_new] =
        numbers_.try_emplace({module, address}, static_cast<u32>(stacks_.locations.size()));
    if (is_new)
      stacks_.locations.push_back(
          {module, address, module < files_.size() ? Code::file : Code::generated, 0, 0});
    return found->second;
  }
  std::optional<u64> linked(PlaceInFile at) const {
    if (at.file >= files_.size() || !files_[at.file].file) return std::nullopt;
    return files_[at.file].file->linked_address(at.offset);
  }
  u32 location_of(PlaceInFile at) {
    u32 module = std::min(at.file, static_cast<u32>(files_.size()));
    return location(module, linked(at).value_or(module < files_.size() ? at.offset : 0));
  }

  void add(const perf::BranchContexts::Step& step, u32 callers) {
    const auto& branch = counted_.branches[step.branch];
    if (branch.from.file == step.start.file)
      add_range(step.start, branch.from.offset + 1, step.count, callers);
    auto from = linked(branch.from);
    const auto* file = from ? &files_[branch.from.file] : nullptr;
    auto at = file && file->code ? file->code->index_of({*from}) : no_code;
    if (at == no_code || !file->code->is_call(at)) return;
    u32 node = collector_.child(collector_.child(callers, location_of(branch.from)),
                                location_of(branch.to));
    collector_.add({0, step.count, step.count, calls, node});
  }

  // From `start` to before `end`, which is an offset in the same file.
  void add_range(PlaceInFile start, u64 end, u64 count, u32 callers) {
    auto address = linked(start), last = linked({start.file, end - 1});
    if (!address || !last || *last < *address || !files_[start.file].code) {
      // One instruction at least ran there.
      collector_.add({0, 1, count, instructions, collector_.child(callers, location_of(start))});
      return;
    }
    for (auto [place, ran] : pieces_of(start.file, *address, *last + 1))
      collector_.add(
          {0, 1, multiply_saturated(ran, count), instructions, collector_.child(callers, place)});
  }

  // The same ranges run in many contexts.
  struct Piece {
    u32 location;
    u64 instructions;
  };
  std::span<const Piece> pieces_of(u32 number, u64 begin, u64 end) {
    // No straight run is longer in a real program; decoding what a file claims has to end.
    constexpr u64 longest = u64{1} << 16;
    end = std::min(end, begin + longest);
    auto [found, is_new] = known_.try_emplace({number, begin, end});
    auto& [first, size] = found->second;
    if (is_new) {
      first = pieces_.size();
      divide(number, begin, end);
      size = pieces_.size() - first;
    }
    return std::span<const Piece>(pieces_).subspan(first, size);
  }
  void divide(u32 number, u64 begin, u64 end) {
    auto& file = files_[number];
    for (u64 at = begin; at < end;) {
      u64 until = end, start = at;
      if (file.cursor) {
        const auto& part = file.cursor->at(at);
        start = part.begin;
        until = std::min(until, std::max(part.end, at + 1));
      }
      if (u64 ran = instructions_in(*file.code, at, until))
        pieces_.push_back({location(number, start), ran});
      at = until;
    }
  }
  static u64 instructions_in(const program::CodeMap& code, u64 begin, u64 end) {
    u64 number = 0;
    for (u64 at = begin; at < end;) {
      auto index = code.index_of({at});
      if (index == no_code) break;
      if (!code.is_instruction(index)) index = code.at_or_after(index);
      if (index == no_code || code.address_of(index).value >= end) break;
      ++number;
      at = code.address_of(index).value + code.length(index);
    }
    return number;
  }

  void add_frames() {
    auto nameless = stacks_.names.intern("");
    std::vector<u32> order(stacks_.locations.size());
    for (u32 i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::sort(order, {}, [&](u32 i) {
      return std::pair(stacks_.locations[i].module, stacks_.locations[i].address);
    });
    for (u32 i : order) {
      auto& at = stacks_.locations[i];
      at.first_frame = static_cast<u32>(stacks_.frames.size());
      if (at.module < files_.size() && files_[at.module].file)
        files_[at.module].file->add_frames(at.address, stacks_);
      else
        stacks_.frames.push_back({nameless, nameless, 0, 0});
      at.frames = static_cast<u32>(stacks_.frames.size() - at.first_frame);
    }
  }

  const perf::BranchCounts& counted_;
  const perf::BranchContexts& contexts_;
  const ReadOptions& options_;
  Read& out_;
  Stacks& stacks_;
  Collector collector_{Times::dropped};
  std::vector<CountedFile> files_;
  std::map<std::pair<u32, u64>, u32> numbers_;
  std::map<std::tuple<u32, u64, u64>, std::pair<size_t, size_t>> known_;  // parts of pieces_
  std::vector<Piece> pieces_;
};

}  // namespace

// What the process was called after its first exec.
static std::string name_of_run(const perf::Recording& recording) {
  std::string name;
  perf::ReadCounts unreadable;
  recording.for_each_other([&](const perf::Record& record) {
    perf::Comm comm;
    bool is_comm = record.type == perf::RecordType::comm && name.empty() &&
                   recording.parser().comm(record, comm, unreadable);
    if (is_comm && comm.exec) name = comm.name;
  });
  return name.empty() ? "program" : name;
}

Result<Read> read_counts(const perf::Recording& recording, const ReadOptions& options) {
  const auto& features = recording.features();
  auto counted = TRY(perf::decode_branch_counts(features.branch_counts));
  auto contexts = TRY(perf::decode_branch_contexts(features.branch_contexts, counted));
  Read read;
  CountReader(counted, contexts, options, read).read(name_of_run(recording));
  return read;
}

}  // namespace pgokit::stacks
