#pragma once

// llvm-symbolizer's answers, as the judge of inline frames.

#include <charconv>
#include <vector>

#include "test/support/shell.h"

namespace pgokit::test {

struct JudgedFrame {
  std::string function, file;
  unsigned line = 0, column = 0, discriminator = 0, start_line = 0;

  bool operator==(const JudgedFrame&) const = default;
};

inline std::string to_text(const JudgedFrame& f) {
  return fmt::format("{} {}:{}:{} discriminator {} start {}", f.function, f.file, f.line, f.column,
                     f.discriminator, f.start_line);
}

// Frames of every address, outermost first, up to the first one without a name: as llvm-profgen
// reads them. The symbol table would stand in for missing names, so it is taken away first, which
// leaves the program `judged` in the folder. The dynamic symbols stay and still do that.
inline std::vector<std::vector<JudgedFrame>> judge_frames(const ScratchDir& dir,
                                                          const std::string& program,
                                                          const std::vector<uint64_t>& addresses,
                                                          const std::string& options = {}) {
  std::string list;
  for (uint64_t address : addresses) list += fmt::format("{:#x}\n", address);
  dir.write("addresses", list);
  auto answer = run(fmt::format(
      "cd {0} && llvm-objcopy-22 --strip-all --wildcard --keep-section='.debug_*' {1} judged && "
      "llvm-symbolizer-22 -e judged --functions=linkage --no-demangle --inlines --verbose {2} "
      "< addresses",
      dir.path(), program, options));
  std::vector<std::vector<JudgedFrame>> all;
  std::vector<JudgedFrame> frames;
  std::string_view rest = answer.output;
  while (!rest.empty()) {
    auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    auto number = [&](std::string_view key, unsigned& value) {
      if (line.starts_with(key))
        std::from_chars(line.data() + key.size(), line.data() + line.size(), value);
    };
    if (line.empty()) {
      std::vector<JudgedFrame> named;
      for (auto f = frames.rbegin(); f != frames.rend() && f->function != "??"; ++f)
        named.push_back(*f);
      all.push_back(named);
      frames.clear();
    } else if (!line.starts_with(' ')) {
      frames.emplace_back().function = line;
    } else if (!frames.empty()) {
      if (line.starts_with("  Filename: ")) frames.back().file = line.substr(12);
      number("  Line: ", frames.back().line);
      number("  Column: ", frames.back().column);
      number("  Discriminator: ", frames.back().discriminator);
      number("  Function start line: ", frames.back().start_line);
    }
  }
  return all;
}

}  // namespace pgokit::test
