// `pgokit probes lower`: .pseudoprobe directives for assemblers that do not know them.
#include <optional>

#include "base/cursor.h"
#include "base/file.h"
#include "cli/commands/probes_commands.h"
#include "cli/options.h"
#include "probe/descriptor_list.h"
#include "probe/lowering.h"
#include "program/probe_file.h"

namespace pgokit::cli {
namespace {

struct Settings {
  std::string file, output = "-", target, descriptors;
  bool unknown_functions = false;
};

Result<std::optional<assembly::Dialect>> dialect_of(const std::string& target) {
  if (target.empty()) return std::nullopt;
  if (target == "x86-64" || target == "i386") return assembly::Dialect::x86;
  if (target == "aarch64") return assembly::Dialect::aarch64;
  return usage_error("--target {}: there are x86-64, i386 and aarch64", target);
}

// Where descriptors are that an assembly lacks: a program or object with probes, or a listing.
struct DescriptorSource {
  std::optional<program::ProbeFile> program;
  std::optional<MappedFile> text;
  std::vector<probe::Descriptor> list;

  Status open(const std::string& path) {
    if (path.empty()) return {};
    text = TRY(MappedFile::open(path));
    if (object::File::recognizes(text->bytes())) {
      program = TRY(program::ProbeFile::open(path, {}));
      list = program->descriptors().list();
    } else {
      list = TRY(probe::parse_descriptors(as_text(text->bytes()), path));
    }
    return {};
  }
};

Status lower(const Settings& settings) {
  auto dialect = TRY(dialect_of(settings.target));
  DescriptorSource descriptors;
  TRY(descriptors.open(settings.descriptors));
  auto input = TRY(MappedFile::open(settings.file));
  std::string_view text = as_text(input.bytes());
  if (text.substr(0, 4096).contains('\0')) return fail("{}: it is not assembly text", input.path());
  auto lowering = TRY(probe::Lowering::read(
      text, input.path(), {dialect, settings.unknown_functions, descriptors.list}));
  auto output = TRY(OutputFile::create(settings.output));
  lowering.write([&](std::string_view piece) { output.write(piece); });
  return output.commit();
}

int run(std::span<char* const> arguments) {
  Settings settings;
  OptionTable table{
      "pgokit probes lower",
      "Rewrite assembly so that assemblers which do not know .pseudoprobe keep the probes.",
      {{"FILE", "", "assembly of clang -S -fpseudo-probe-for-profiling; - is standard input",
        &settings.file, true},
       {"-o,--output", "FILE", "where the result goes; - is standard output", &settings.output},
       one_of({"--target", "ARCH", "{}; otherwise told by the instructions", &settings.target},
              {"x86-64", "i386", "aarch64"}, First::is_like_the_others),
       {"--descriptors", "FILE",
        "descriptors that FILE lacks: a program or object with probes, or a list of GUID HASH NAME",
        &settings.descriptors},
       {"--allow-unknown", "", "take probes of functions that have no descriptor in FILE",
        &settings.unknown_functions}},
      "  clang -O2 -fpseudo-probe-for-profiling -S -o - app.c | pgokit probes lower - | as -o "
      "app.o"};
  if (auto exit = parse_options(table, arguments)) return *exit;
  auto status = lower(settings);
  return status ? 0 : report_failure("probes lower", status.error());
}

}  // namespace

constexpr Command probes_lower_command{
    "lower", "rewrite assembly with probes for assemblers like GNU as", run};

}  // namespace pgokit::cli
