#include "annotate/inlined_lines.h"

#include <algorithm>
#include <tuple>

#include "base/saturated.h"

namespace pgokit::annotate {
namespace {

using Lines = std::map<u32, SourceLine>;

// The copies in one function's code, as a tree: below each the copies that were inlined in it.
class Copies {
 public:
  // A function in a file: what lines are grouped by.
  using Group = std::pair<std::string_view, u32>;

  void add(const Place& place, u64 count) {
    u32 copy = 0;  // the function itself
    for (size_t i = 1; i < place.frames.size(); ++i) {
      const auto& call = place.frames[i - 1];
      const auto& frame = place.frames[i];
      auto next = static_cast<u32>(copies_.size() + 1);
      copy = copies_.try_emplace({copy, call.file, call.line, frame.function}, next).first->second;
      bool is_leaf = i + 1 == place.frames.size();
      if (frame.file == nowhere || frame.line == 0) continue;
      Group group{frame.function, frame.file};
      auto& line = lines_[group][copy][frame.line];
      line.line = frame.line;
      line.count = std::max(line.count, count);
      line.inlined |= !is_leaf;
      if (is_leaf) executed_[group] = add_saturated(executed_[group], count);
    }
  }

  std::vector<InlinedLines> sums() const {
    std::vector<InlinedLines> list;
    for (const auto& [group, copies] : lines_) {
      Lines sum;
      for (const auto& [copy, lines] : copies)
        for (const auto& [number, line] : lines) {
          auto& into = sum[number];
          into.line = number;
          into.count = add_saturated(into.count, line.count);
          into.inlined |= line.inlined;
        }
      auto executed = executed_.find(group);
      InlinedLines one{
          group.first, group.second, executed == executed_.end() ? 0 : executed->second, {}};
      bool ran = false;
      for (const auto& [number, line] : sum) {
        one.lines.push_back(line);
        ran |= line.count > 0;
      }
      if (ran) list.push_back(std::move(one));
    }
    return list;
  }

 private:
  // By the copy that calls, the place of the call and the function.
  std::map<std::tuple<u32, u32, u32, std::string_view>, u32> copies_;
  std::map<Group, std::map<u32, Lines>> lines_;  // by copy
  std::map<Group, u64> executed_;
};

}  // namespace

std::vector<InlinedLines> inlined_lines(const FunctionCode& code) {
  Copies copies;
  for (const auto& one : code.instructions) copies.add(code.places[one.place], one.count);
  auto list = copies.sums();
  std::ranges::stable_sort(list, std::greater{}, &InlinedLines::instructions);
  return list;
}

InlinedNames::InlinedNames(const program::Program& program, const CodeCounts& counts) {
  if (!program.debug()) return;
  dwarf::FrameCursor cursor(*program.debug());
  for (const auto& piece : counts.pieces()) {
    const auto* range = program.functions().find(piece.start.value);
    for (u64 at = piece.start.value; range && at <= piece.last.value;) {
      const auto& part = cursor.at(at);
      for (size_t i = 1; i < part.frames.size(); ++i)
        hosts_[std::string(part.frames[i].function)].insert(range->function);
      if (part.end <= at) break;
      at = part.end;
    }
  }
}

InlinedFunction inlined_function(std::string_view name, const std::set<u32>& hosts,
                                 CodeReader& reader) {
  InlinedFunction all{.name = std::string(name), .hosts = {}, .sources = {}};
  std::map<std::string, Lines> files;
  for (u32 host : hosts) {
    auto code = reader.read(host);
    u64 executed = 0;
    for (const auto& one : inlined_lines(code)) {
      if (one.function != name) continue;
      executed = add_saturated(executed, one.instructions);
      for (const auto& line : one.lines) {
        auto& into = files[code.files[one.file]][line.line];
        into.line = line.line;
        into.count = add_saturated(into.count, line.count);
        into.inlined |= line.inlined;
      }
    }
    all.hosts.push_back({host, executed});
    all.instructions = add_saturated(all.instructions, executed);
  }
  std::ranges::stable_sort(all.hosts, std::greater{}, &InlinedFunction::Host::instructions);
  for (const auto& [file, lines] : files) {
    auto& source = all.sources.emplace_back();
    source.file = file;
    for (const auto& [number, line] : lines) source.lines.push_back(line);
  }
  return all;
}

}  // namespace pgokit::annotate
