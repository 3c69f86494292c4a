#include "bolt/yaml.h"

#include "base/command_output.h"
#include "base/command_path.h"

namespace pgokit::bolt {
namespace {

constexpr char fdata_name[] = "profile.fdata", yaml_name[] = "profile.yaml";

}  // namespace

Result<YamlMaker> YamlMaker::create(const std::string& llvm_bolt) {
  auto command = llvm_bolt.empty() ? newest_command("llvm-bolt") : llvm_bolt;
  if (path_of_command(command).empty())
    return fail(
        "{} is not installed, and YAML has hashes that only BOLT computes: install bolt-22, or "
        "make fdata, which needs no other tool",
        command);
  auto folder = TRY(TemporaryFolder::create());
  auto fdata = TRY(OutputFile::create(folder.file(fdata_name)));
  return YamlMaker(std::move(command), std::move(folder), std::move(fdata));
}

Status YamlMaker::make(const std::string& program, OutputFile& yaml) {
  TRY(fdata_.commit());
  auto path = folder_.file(yaml_name);
  auto name = (program.starts_with('-') ? "./" : "") + program;
  // It rewrites the program too, in memory.
  auto said = output_of_command(
      {llvm_bolt_, name, "-o", "/dev/null", "-data", folder_.file(fdata_name), "-w", path});
  constexpr std::string_view way_out = "fdata needs no other tool (without -w and yaml)";
  if (!said) return fail("{}; {}", said.error().message, way_out);
  auto made = MappedFile::open_regular(path);
  if (!made)
    return fail("{} wrote no profile of {}: is it llvm-bolt, and did code run that it rewrites? {}",
                llvm_bolt_, program, way_out);
  yaml.write(made->bytes());
  return {};
}

}  // namespace pgokit::bolt
