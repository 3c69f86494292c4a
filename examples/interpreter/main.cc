// sprig: runs a script of a small language.  usage: sprig SCRIPT [INTEGER...]
// The integers are the script's list `arguments`.

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "builtins.h"
#include "parser.h"

namespace {

std::string read_file(const char* path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw sprig::ScriptError(0, std::string("cannot read ") + path);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

void run(int argc, char** argv) {
  using namespace sprig;
  std::string source = read_file(argv[1]);
  Script script = parse(source);
  Map globals;
  add_builtins(globals);
  auto* arguments = new List;
  Value holder(Kind::list, arguments);
  for (int i = 2; i < argc; ++i)
    arguments->items.emplace_back(static_cast<std::int64_t>(std::atoll(argv[i])));
  globals.at_or_insert(make_text("arguments"), 0) = holder;
  for (auto& [name, function] : script.functions) globals.at_or_insert(name, 0) = function;

  std::vector<Value> stack(most_locals * (deepest_call + 1));
  Frame frame{stack.data(), stack.data(), globals};
  script.main->call(frame, nullptr, 0, 0);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: sprig SCRIPT [INTEGER...]\n", stderr);
    return 2;
  }
  try {
    run(argc, argv);
  } catch (const sprig::ScriptError& error) {
    std::fprintf(stderr, "sprig: %s:%d: %s\n", argv[1], error.line, error.what());
    return 1;
  }
  return 0;
}
