#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/file.h"
#include "cli/commands/commands.h"
#include "cli/commands/merge_instrumented.h"
#include "cli/options.h"
#include "object/strip.h"
#include "pipeline/several_programs.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

struct Settings {
  std::vector<std::string> programs;
  std::string output, shipped;
  bool strict = false, quiet = false;
};

// What is written of one program.
struct Files {
  std::string outcome;  // for people
  int code = 0;
  pipeline::NamedOutput map;
  std::optional<pipeline::NamedOutput> shipped = {};
};

// For all who may read it. Not where it was written to a pipe.
void make_executable(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return;
  auto bits = static_cast<unsigned>(fs::status(path, error).permissions());
  fs::permissions(path, static_cast<fs::perms>((bits & 0444) >> 2), fs::perm_options::add, error);
}

// Of one program any name will do; each of several gets its own.
Result<std::string> path_of(const Settings& s, const std::string& pattern,
                            const std::string& program, std::string_view ending) {
  if (s.programs.size() == 1 && !pattern.ends_with('/')) return pattern;
  return pipeline::path_for(pattern, program, ending);
}

Result<Files> make(const Settings& s, const std::string& program, const std::string& map,
                   const std::string& shipped) {
  InstrumentedMerge merge{.command = "map", .inputs = {{program, 1}}, .output = map};
  merge.strict = s.strict;
  auto made = TRY(make_instrumented(merge));
  Files files{
      .outcome = std::move(made.outcome), .code = made.code, .map = {map, std::move(made.output)}};
  if (shipped.empty()) return files;
  auto file = TRY(MappedFile::open(program));
  auto stripped = TRY_IN(program, object::strip(file.bytes()));
  files.shipped = pipeline::NamedOutput{shipped, TRY(OutputFile::create(shipped))};
  files.shipped->file.write(stripped);
  return files;
}

Result<int> take(const Settings& s) {
  std::vector<std::string> maps, shipped;
  for (const auto& program : s.programs) {
    maps.push_back(s.output.empty() ? program + ".map"
                                    : TRY(path_of(s, s.output, program, ".map")));
    shipped.push_back(s.shipped.empty() ? "" : TRY(path_of(s, s.shipped, program, "")));
  }
  TRY(pipeline::check_distinct(maps));
  if (!s.shipped.empty()) TRY(pipeline::check_distinct(shipped));
  auto map_folder = TRY(pipeline::folder_for(s.output));
  auto shipped_folder = TRY(pipeline::folder_for(s.shipped));
  std::vector<Files> all;
  for (size_t i = 0; i < maps.size(); ++i)
    all.push_back(TRY(make(s, s.programs[i], maps[i], shipped[i])));
  std::vector<pipeline::PendingOutput> outputs;
  for (auto& files : all) {
    outputs.push_back(files.map.pending());
    if (files.shipped) outputs.push_back(files.shipped->pending());
  }
  TRY(pipeline::commit_together(outputs));
  int code = 0;
  for (const auto& files : all) {
    code = std::max(code, files.code);
    if (files.shipped) make_executable(files.shipped->path);
    if (!s.quiet) report::print(stderr, "{}", report::lines(files.outcome));
  }
  return code;
}

int run(std::span<char* const> arguments) {
  Settings s;
  OptionTable table{
      "pgokit map",
      "Take the map out of an instrumented program, before it is stripped and shipped.",
      {{"PROGRAM", "",
        "the program, its .debug file, or the section alone; of several, such as a program and its "
        "libraries, each gets its map",
        &s.programs, true},
       {"-o,--output", "FILE",
        "the map (PROGRAM.map). Of several programs: FOLDER/, or a name in which %n is the "
        "program's",
        &s.output},
       {"--strip", "SHIPPED",
        "also the program without it, stripped as by llvm-strip: a file, or FOLDER/", &s.shipped},
       {"--strict", "", "fail if a part of the map is damaged", &s.strict},
       {"-q,--quiet", "", "no messages but failures", &s.quiet}},
      "\nexample:\n"
      "  pgokit map app libx.so -o maps/ --strip shipped/\n"
      "  shipped/app                 # writes a dump, see 'pgokit flags --help'\n"
      "  pgokit merge maps/*.map *.mipraw -o app.mip\n"
      "  pgokit show app.mip\n"};
  if (auto exit = parse_options(table, arguments)) return *exit;
  auto code = take(s);
  return code ? *code : report_failure("map", code.error());
}

}  // namespace

constexpr Command map_command{"map", "take the map out of an instrumented program", run};

}  // namespace pgokit::cli
