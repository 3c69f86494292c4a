// What the lines of a function's source count.
//
// Debug information alone makes a line as frequent as its most frequent instruction. That is too
// little where the optimizer has made several copies of a block, and nothing where the instructions
// of the copy that runs have lost their line, as those of a loop's condition that is also tested
// before the loop. Probes tell these: all copies of a block have its probe, and the line that one
// copy shows is that of all. So a line runs as often as its block's probe, in all copies together.
// Where several blocks have become one, their probes stand at one instruction, and which of them its
// lines are of nobody knows: there its own count is all.
#include <algorithm>
#include <map>
#include <set>

#include "annotate/function_code.h"
#include "base/saturated.h"

namespace pgokit::annotate {
namespace {

// Probes of the function itself, with the lines of its file that they are of; what was inlined counts
// at the call, by its code.
class ProbeLines {
 public:
  ProbeLines(const FunctionCode& code, u32 file) : code_(code), file_(file) {
    for (const auto& probe : code.probes)
      if (is_own(probe) && probe.type == probe::Type::block) ++blocks_[probe.instruction];
    for (const auto& probe : code.probes)
      if (is_own(probe)) add(probe);
  }

  void raise(std::map<u32, SourceLine>& lines) const {
    for (auto [line, id] : ids_)
      if (auto found = lines.find(line); found != lines.end())
        found->second.count = std::max(found->second.count, counts_.at(id));
  }

 private:
  static bool is_own(const CodeProbe& probe) { return probe.frames.size() == 1; }

  void add(const CodeProbe& probe) {
    u32 id = probe.frames.front().id, at = probe.instruction;
    u64 ran = code_.instructions[at].count;
    u64& count = counts_[id];
    count = add_saturated(count, ran);
    bool is_block = probe.type == probe::Type::block;
    if (is_block && blocks_.at(at) > 1) return;
    add_line(at, id);
    if (!is_block) return;
    // Up to a jump, the next probe, or where other counts say that the block has ended.
    auto goes_on = [&](u32 next) {
      return next < code_.instructions.size() && code_.instructions[next].count == ran &&
             !blocks_.contains(next);
    };
    while (!code_.instructions[at].leaves && goes_on(at + 1)) add_line(++at, id);
  }

  void add_line(u32 instruction, u32 id) {
    const auto& frames = code_.places[code_.instructions[instruction].place].frames;
    if (frames.size() == 1 && frames[0].file == file_ && frames[0].line > 0)
      ids_.emplace(frames[0].line, id);
  }

  const FunctionCode& code_;
  u32 file_;
  std::map<u32, u32> blocks_;          // how many probes of blocks an instruction has
  std::map<u32, u64> counts_;          // by probe: of all its copies
  std::set<std::pair<u32, u32>> ids_;  // line and probe
};

}  // namespace

SourceLines own_lines(const FunctionCode& code) {
  SourceLines own;
  std::map<u32, SourceLine> by_line;
  for (const auto& one : code.instructions) {
    const auto& frames = code.places[one.place].frames;
    if (frames.empty() || frames.front().line == 0 || frames.front().file == nowhere) continue;
    if (own.file == nowhere) own.file = frames.front().file;
    if (own.file != frames.front().file) continue;
    auto& line = by_line[frames.front().line];
    line.line = frames.front().line;
    line.count = std::max(line.count, one.count);
    line.inlined |= frames.size() > 1;
  }
  if (!code.probes.empty()) ProbeLines(code, own.file).raise(by_line);
  for (const auto& [number, line] : by_line) own.lines.push_back(line);
  return own;
}

}  // namespace pgokit::annotate
