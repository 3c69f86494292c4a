#include <filesystem>

#include "base/file.h"
#include "cli/commands/commands.h"
#include "cli/commands/merge_instrumented.h"
#include "cli/options.h"
#include "object/strip.h"

namespace pgokit::cli {
namespace {

// For all who may read it. Not where it was written to a pipe.
void make_executable(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return;
  auto bits = static_cast<unsigned>(fs::status(path, error).permissions());
  fs::permissions(path, static_cast<fs::perms>((bits & 0444) >> 2), fs::perm_options::add, error);
}

Result<int> take(const InstrumentedMerge& merge, const std::string& shipped) {
  if (shipped.empty()) return merge_instrumented(merge);
  const std::string& program = merge.inputs[0].path;
  auto file = TRY(MappedFile::open(program));
  auto stripped = TRY_IN(program, object::strip(file.bytes()));
  int code = TRY(merge_instrumented(merge));
  auto output = TRY(OutputFile::create(shipped));
  output.write(stripped);
  TRY(output.commit());
  make_executable(shipped);
  return code;
}

int run(std::span<char* const> arguments) {
  InstrumentedMerge merge{.command = "map", .inputs = {}, .output = {}};
  std::string program, shipped;
  OptionTable table{
      "pgokit map",
      "Take the map out of an instrumented program, before it is stripped and shipped.",
      {{"PROGRAM", "", "the program, its .debug file, or the section alone", &program, true},
       {"-o,--output", "FILE", "the map (PROGRAM.map)", &merge.output},
       {"--strip", "SHIPPED", "also the program without it, stripped as by llvm-strip", &shipped},
       {"--strict", "", "fail if a part of the map is damaged", &merge.strict},
       {"-q,--quiet", "", "no messages but failures", &merge.quiet}},
      "\nexample:\n"
      "  pgokit map app -o app.map --strip shipped/app\n"
      "  shipped/app                 # writes a dump, see 'pgokit flags --help'\n"
      "  pgokit merge app.map *.mipraw -o app.mip\n"
      "  pgokit show app.mip\n"};
  if (auto exit = parse_options(table, arguments)) return *exit;
  if (merge.output.empty()) merge.output = program + ".map";
  merge.inputs.push_back({program, 1});
  auto code = take(merge, shipped);
  return code ? *code : report_failure("map", code.error());
}

}  // namespace

constexpr Command map_command{"map", "take the map out of an instrumented program", run};

}  // namespace pgokit::cli
