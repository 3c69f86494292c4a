#include "instrument/source_lines.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"
#include "instrument/blocks.h"

namespace pgokit::instrument {
namespace {

class LineCounter {
 public:
  LineCounter(const Module& module, const dwarf::DebugInfo& debug)
      : module_(module), debug_(debug), cursor_(debug), places_(debug) {}

  std::vector<SourceFile> count() {
    for (u32 i = 0; i < module_.functions.size(); ++i) count_function(i);
    std::vector<SourceFile> list;
    for (auto& [name, file] : files_) {
      file.name = name;
      std::ranges::sort(file.functions, {}, [](const SourceFunction& f) {
        return std::tuple(f.line, f.name, f.calls);
      });
      list.push_back(std::move(file));
    }
    return list;
  }

 private:
  void count_function(u32 i) {
    const auto& function = module_.functions[i];
    auto place = places_.of_function(function);
    bool counted = function.kinds & (MIP_CALLS32 | MIP_CALLS64 | MIP_BLOCKS64);
    u64 calls = counted ? module_.data.calls[i] : module_.data.ran[i];
    if (!place.file.empty())
      files_[place.file].functions.push_back({place.line, module_.name(function), calls});
    auto counts = block_counts(module_, function);
    if (!counts.known()) return;
    const auto& values = counts.executions.empty() ? counts.ran : counts.executions;
    auto blocks = module_.blocks_of(function);
    for (u32 b = 0; b < blocks.size(); ++b)
      count_code(blocks[b].address, module_.block_end(function, b), values[b]);
  }

  void count_code(u64 begin, u64 end, u64 executions) {
    end = std::min(end, begin + longest_code);
    for (u64 at = begin; at < end;) {
      const auto& part = cursor_.at(at);
      if (!part.frames.empty() && part.frames.back().line > 0) {
        auto& lines = file_of(part).lines;
        u64& count = lines[part.frames.back().line];
        count = std::max(count, executions);
      }
      if (part.end <= at) break;
      at = part.end;
    }
  }

  // Names of files are made once: a program has few.
  SourceFile& file_of(const dwarf::FramePart& part) {
    auto& known = by_index_[{part.unit, part.frames.back().file}];
    if (!known) known = &files_[debug_.file_name(part, part.frames.back())];
    return *known;
  }

  const Module& module_;
  const dwarf::DebugInfo& debug_;
  dwarf::FrameCursor cursor_;
  Places places_;
  std::map<std::string, SourceFile> files_;
  std::map<std::pair<u32, u32>, SourceFile*> by_index_;
};

}  // namespace

std::string Place::text() const {
  if (file.empty()) return {};
  return fmt::format("{}:{}", file.substr(file.rfind('/') + 1), line);
}

const dwarf::FramePart* Places::first_known(u64 begin, u64 end) {
  end = std::min(end, begin + longest_code);
  for (u64 at = begin; at < end;) {
    const auto& part = cursor_.at(at);
    if (!part.frames.empty() && part.frames.back().line > 0) return &part;
    if (part.end <= at) break;
    at = part.end;
  }
  return nullptr;
}

Place Places::of(u64 begin, u64 end) {
  const auto* part = first_known(begin, end);
  if (!part) return {};
  return {debug_.file_name(*part, part->frames.back()), part->frames.back().line};
}

Place Places::of_function(const Function& function) {
  u64 size = std::max(function.size, 1u);
  const auto* part = first_known(function.address, function.address + size);
  if (!part) return {};
  const auto& outermost = part->frames.front();
  return {debug_.file_name(*part, outermost), outermost.start_line};
}

std::vector<SourceFile> source_lines(const Module& module, const dwarf::DebugInfo& debug) {
  return LineCounter(module, debug).count();
}

LcovInfo lcov_info(const std::vector<SourceFile>& files, std::string_view test_name) {
  LcovInfo info;
  auto out = std::back_inserter(info.text);
  for (const auto& file : files) {
    if (file.name.empty()) continue;
    if (!fits_in_line(file.name)) {
      ++info.left_out;
      continue;
    }
    fmt::format_to(out, "TN:{}\nSF:{}\n", test_name, file.name);
    std::vector<const SourceFunction*> functions;
    for (const auto& f : file.functions) {
      if (fits_in_line(f.name))
        functions.push_back(&f);
      else
        ++info.left_out;
    }
    u64 functions_hit = 0, lines_hit = 0;
    for (const auto* f : functions) fmt::format_to(out, "FN:{},{}\n", f->line, f->name);
    for (const auto* f : functions) {
      fmt::format_to(out, "FNDA:{},{}\n", f->calls, f->name);
      functions_hit += f->calls > 0;
    }
    fmt::format_to(out, "FNF:{}\nFNH:{}\n", functions.size(), functions_hit);
    for (auto [line, executions] : file.lines) {
      fmt::format_to(out, "DA:{},{}\n", line, executions);
      lines_hit += executions > 0;
    }
    fmt::format_to(out, "LF:{}\nLH:{}\nend_of_record\n", file.lines.size(), lines_hit);
  }
  return info;
}

std::string annotate(const SourceFile& file, std::string_view text) {
  std::string result;
  auto out = std::back_inserter(result);
  for (u32 line = 1; !text.empty(); ++line) {
    auto content = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), content.size() + 1));
    auto it = file.lines.find(line);
    std::string count = it == file.lines.end() ? "-"
                        : it->second == 0      ? "#####"
                                               : fmt::format("{}", it->second);
    fmt::format_to(out, "{:>12}: {:>5}: {}\n", count, line, content);
  }
  return result;
}

}  // namespace pgokit::instrument
