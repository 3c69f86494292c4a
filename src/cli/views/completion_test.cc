#include "cli/views/completion.h"

#include <gtest/gtest.h>

namespace pgokit::cli {
namespace {

struct Values {
  std::string text;
  std::vector<std::string> list, trailing;
  bool json = false;
};

CommandText program(Values& v) {
  OptionTable inner{"pgokit probes dump",
                    "Dump.",
                    {{"FILE", "", "files", &v.list},
                     {"-o,--output", "FILE", "it's [here]: \\", &v.text},
                     one_of({"--format", "FORMAT", "{}", &v.text}, {"a", "b"}),
                     {"--work", "DIR", "a folder", &v.text},
                     {"--run", "CMD", "a command", &v.text},
                     {"--top", "N", "a number", &v.text},
                     {"--json", "", "JSON", &v.json},
                     {"--secret", "", "", &v.json, false, true}},
                    ""};
  inner.trailing = &v.trailing;
  CommandText probes{
      "pgokit probes", "all of them", {}, {{"pgokit probes dump", "one", inner, {}}}};
  return {"pgokit", "faster", {}, {probes}};
}

bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

TEST(Completion, OfBashKnowsWhatIsBehindOptions) {
  Values v;
  auto text = bash_completion(program(v));
  EXPECT_TRUE(has(text, "    '') specs='=probes --help' ;;\n")) << text;
  EXPECT_TRUE(has(text, "    'probes') specs='=dump --help' ;;\n")) << text;
  EXPECT_TRUE(
      has(text,
          "    'probes dump') specs='=file -o=file --output=file --format=a|b --work=folder "
          "--run=command --top=none --json --=command --help' ;;\n"))
      << text;
}

TEST(Completion, OfZshQuotesHelp) {
  Values v;
  auto text = zsh_completion(program(v));
  EXPECT_TRUE(has(text, "'(-o --output)--output=[it'\\''s \\[here\\]: \\\\]:FILE:_files'")) << text;
  EXPECT_TRUE(has(text, "'(--format)--format=[a (default) or b]:FORMAT:(a b)'")) << text;
  EXPECT_TRUE(has(text, "'*:FILE:_files'")) << text;
  EXPECT_FALSE(has(text, "secret"));
}

TEST(Completion, OfFishQuotesHelp) {
  Values v;
  auto text = fish_completion(program(v));
  EXPECT_TRUE(has(text, "-n '__pgokit_in probes dump' -s o -l output -rF -d 'it\\'s [here]: \\\\'"))
      << text;
  EXPECT_TRUE(has(text, "-l format -xa 'a b' -d 'a (default) or b'")) << text;
  EXPECT_TRUE(has(text, "-n '__pgokit_before probes' -a dump -d 'one'")) << text;
}

}  // namespace
}  // namespace pgokit::cli
