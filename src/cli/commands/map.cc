#include "cli/commands/commands.h"
#include "cli/commands/merge_instrumented.h"
#include "cli/options.h"

namespace pgokit::cli {
namespace {

int run(std::span<char* const> arguments) {
  InstrumentedMerge merge{.command = "map", .inputs = {}, .output = {}};
  std::string program;
  OptionTable table{
      "pgokit map",
      "Take the map out of an instrumented program, before it is stripped and shipped.",
      {{"PROGRAM", "", "the program, its .debug file, or the section alone", &program, true},
       {"-o,--output", "FILE", "the map (PROGRAM.map)", &merge.output},
       {"--strict", "", "fail if a part of the map is damaged", &merge.strict},
       {"-q,--quiet", "", "no messages but failures", &merge.quiet}},
      "\nexample:\n"
      "  pgokit map app -o app.map && llvm-strip-22 app\n"
      "  ./app                       # writes a dump, see 'pgokit flags --help'\n"
      "  pgokit merge app.map *.mipraw -o app.mip\n"
      "  pgokit show app.mip\n"};
  if (auto exit = parse_options(table, arguments)) return *exit;
  if (merge.output.empty()) merge.output = program + ".map";
  merge.inputs.push_back({program, 1});
  auto code = merge_instrumented(merge);
  return code ? *code : report_failure("map", code.error());
}

}  // namespace

constexpr Command map_command{"map", "take the map out of an instrumented program", run};

}  // namespace pgokit::cli
