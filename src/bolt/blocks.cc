#include "bolt/blocks.h"

#include <algorithm>
#include <set>

#include "base/parallel.h"
#include "bolt/code.h"
#include "bolt/entering.h"
#include "bolt/jump_tables.h"
#include "dwarf/landing_pads.h"
#include "program/stubs.h"

namespace pgokit::bolt {
namespace {

using isa::Flow;

Bytes code_of(const object::File& file, const Function& function) {
  for (const auto& section : file.sections()) {
    u64 offset = function.address - section.address;
    if (!section.is_code() || offset >= section.contents.size()) continue;
    return section.contents.subspan(offset,
                                    std::min<u64>(function.size, section.contents.size() - offset));
  }
  return {};
}

void sort_once(std::vector<u32>& list) {
  std::ranges::sort(list);
  auto repeated = std::ranges::unique(list);
  list.erase(repeated.begin(), repeated.end());
}

class BlockReader {
 public:
  BlockReader(const object::File& file, const Functions& functions, std::span<const u32> hit)
      : file_(file),
        functions_(functions),
        hit_(hit),
        code_(hit.size()),
        entries_(hit.size()),
        pads_(hit.size()) {}

  void decode(unsigned threads) {
    auto decoder = isa::Decoder::for_machine(file_.machine());
    if (!decoder) return;
    bool is_x86 = file_.machine() == EM_X86_64;
    auto read = [&](u32 index) {
      const auto& function = functions_.all()[index];
      if (function.stub || function.no_graph) return FunctionCode();
      return read_code(*decoder, code_of(file_, function), function, is_x86);
    };
    parallel_each(hit_.size(), 64, threads, [&](size_t i, unsigned) { code_[i] = read(hit_[i]); });
    for (u32 function : entering_functions(file_, functions_, hit_, threads))
      for (u64 target : read(function).elsewhere) add_entry_at(target);
  }

  // Entries from symbols, from branches of other functions, and from relocations.
  void add_entries() {
    for (const auto& entry : functions_.entries()) add_entry(entry.function, entry.offset);
    for (u64 address : program::dynamic_addresses(file_)) add_entry_at(address);
    for (size_t i = 0; i < hit_.size(); ++i)
      for (u64 target : code_[i].elsewhere) add_entry_at(target);
  }

  void add_landing_pads() {
    dwarf::LandingPads pads(file_);
    for (const auto& range : dwarf::frame_ranges(file_)) {
      if (range.exceptions == 0) continue;
      u32 function = functions_.index_of(range.begin);
      if (function == Functions::none) continue;
      size_t i = place_of(function);
      if (i == hit_.size()) continue;
      for (u64 address : pads.of(range))
        if (functions_.all()[function].holds(address))
          pads_[i].push_back(static_cast<u32>(address - functions_.all()[function].address));
    }
  }

  void add_jump_tables() {
    JumpTables tables(file_, functions_);
    std::set<u64> begins;
    for (size_t i = 0; i < hit_.size(); ++i) {
      const auto& function = functions_.all()[hit_[i]];
      std::erase_if(code_[i].tables,
                    [&](const auto& table) { return !tables.looks_like(table, function); });
      for (const auto& table : code_[i].tables) begins.insert(table.address);
    }
    for (size_t i = 0; i < hit_.size(); ++i) {
      const auto& function = functions_.all()[hit_[i]];
      for (const auto& table : code_[i].tables) {
        auto next = begins.upper_bound(table.address);
        tables.for_each_target(table, next == begins.end() ? 0 : *next, function, [&](u64 target) {
          if (function.holds(target))
            code_[i].targets.push_back(static_cast<u32>(target - function.address));
          else
            leave_out_family(function.family);
        });
      }
    }
    for (const auto& reference : tables.references()) add_reference(reference);
  }

  FunctionBlocks blocks_of(size_t i) {
    FunctionBlocks blocks;
    blocks.size = static_cast<u32>(functions_.all()[hit_[i]].size);
    auto& code = code_[i];
    if (!code.readable || code.instructions.empty() || is_left_out(hit_[i])) return blocks;
    sort_once(entries_[i]);
    sort_once(pads_[i]);
    for (const auto* more : {&entries_[i], &pads_[i]})
      code.targets.insert(code.targets.end(), more->begin(), more->end());
    sort_once(code.targets);
    cut(code, entries_[i], blocks.list);
    for (auto& block : blocks.list)
      block.landing_pad = std::ranges::binary_search(pads_[i], block.begin);
    blocks.stops.resize(blocks.list.size());
    for (size_t b = 1; b < blocks.list.size(); ++b)
      blocks.stops[b] = blocks.stops[b - 1] + !blocks.list[b - 1].falls;
    code = {};
    return blocks;
  }

 private:
  size_t place_of(u32 function) const {
    auto found = std::ranges::lower_bound(hit_, function);
    return found != hit_.end() && *found == function ? static_cast<size_t>(found - hit_.begin())
                                                     : hit_.size();
  }
  void add_entry(u32 function, u32 offset) {
    if (size_t i = place_of(function); i < hit_.size()) entries_[i].push_back(offset);
  }
  void add_entry_at(u64 address) {
    u32 function = functions_.index_of(address);
    if (function == Functions::none) return;
    const auto& target = functions_.all()[function];
    if (address != target.address && target.holds(address))
      add_entry(function, static_cast<u32>(address - target.address));
  }

  // A label, and where it comes from another function's code an entry.
  void add_reference(const JumpTables::Reference& reference) {
    u32 function = functions_.index_of(reference.address);
    if (function == Functions::none) return;
    const auto& target = functions_.all()[function];
    u64 offset = reference.address - target.address;
    if (offset == 0 || offset >= target.size) return;
    if (reference.from_code && functions_.index_of(reference.place) != function)
      return add_entry(function, static_cast<u32>(offset));
    if (size_t i = place_of(function); i < hit_.size())
      code_[i].targets.push_back(static_cast<u32>(offset));
  }

  void leave_out_family(u32 family) {
    if (family) left_out_.insert(family);
  }
  bool is_left_out(u32 function) const {
    return left_out_.contains(functions_.all()[function].family);
  }

  // An unconditional jump after a conditional one belongs to its block, unless something leads
  // there.
  static bool joins(const Instruction& before, const Instruction& one) {
    if (one.flow != Flow::jump || one.leaves || before.leaves) return false;
    return before.flow == Flow::conditional || before.flow == Flow::other;
  }

  static void cut(const FunctionCode& code, std::span<const u32> entries,
                  std::vector<Block>& blocks) {
    const Instruction* before = nullptr;
    auto target = code.targets.begin();
    auto entry = entries.begin();
    for (const auto& one : code.instructions) {
      while (target != code.targets.end() && *target < one.offset) ++target;
      bool is_target = target != code.targets.end() && *target == one.offset;
      bool begins = !before || is_target || (before->ends && !joins(*before, one));
      if (begins) {
        if (!blocks.empty()) blocks.back().falls = falls_after(*before);
        while (entry != entries.end() && *entry < one.offset) ++entry;
        bool entered = blocks.empty() || (entry != entries.end() && *entry == one.offset);
        blocks.push_back({.begin = one.offset, .last = one.offset, .entry = entered});
      }
      blocks.back().last = one.offset;
      blocks.back().ends_in_call = isa::is_call(one.flow);
      before = &one;
    }
  }
  static bool falls_after(const Instruction& last) {
    return !last.ends || last.flow == Flow::conditional;
  }

  const object::File& file_;
  const Functions& functions_;
  std::span<const u32> hit_;
  std::vector<FunctionCode> code_;                // by place in hit_
  std::vector<std::vector<u32>> entries_, pads_;  // offsets, by place in hit_
  std::set<u32> left_out_;                        // families
};

}  // namespace

u32 FunctionBlocks::block_of(u64 offset) const {
  if (offset > size || list.empty()) return none;
  auto next =
      std::ranges::upper_bound(list, offset, {}, [](const Block& b) { return u64{b.begin}; });
  if (next == list.begin() || (next == list.end() && offset >= size)) return none;
  return static_cast<u32>(next - list.begin()) - 1;
}

std::vector<FunctionBlocks> read_blocks(const object::File& file, const Functions& functions,
                                        std::span<const u32> hit, unsigned threads) {
  BlockReader reader(file, functions, hit);
  reader.decode(threads);
  reader.add_entries();
  reader.add_landing_pads();
  reader.add_jump_tables();
  std::vector<FunctionBlocks> blocks(hit.size());
  parallel_each(hit.size(), 64, threads,
                [&](size_t i, unsigned) { blocks[i] = reader.blocks_of(i); });
  return blocks;
}

}  // namespace pgokit::bolt
