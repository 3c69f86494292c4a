#include "optimize/rustc.h"

#include <algorithm>
#include <cstdlib>

#include "base/command_output.h"
#include "base/command_path.h"
#include "base/parse_number.h"
#include "base/shell_word.h"
#include "compilers/flags.h"
#include "pipeline/consumers.h"

namespace pgokit::optimize {
namespace {

// Of a line "name: value".
std::string value_in(std::string_view text, std::string_view name) {
  while (!text.empty()) {
    auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.starts_with(name) && line.substr(name.size()).starts_with(": "))
      return std::string(line.substr(name.size() + 2));
  }
  return "";
}

}  // namespace

std::vector<std::string> Rustc::profiling() const {
  return compilers::rust_profiling_words(discriminators);
}

bool Rustc::adds_probes(const std::string& file, unsigned llvm_of_plugin) const {
  if (llvm != llvm_of_plugin) return false;
  auto code = output_of_command(
      {"/bin/sh", "-c",
       fmt::format("echo '#[no_mangle] pub extern \"C\" fn f() {{}}' | RUSTC_BOOTSTRAP=1 {} "
                   "--crate-name probed --crate-type lib --emit llvm-ir -Copt-level=2 -o - "
                   "-Zllvm-plugins={} -",
                   shell_word(command), shell_word(file))});
  return code && code->contains("@llvm.pseudoprobe(");
}

Result<Rustc> rustc_of(std::string_view versions, std::string_view codegen_help,
                       std::string_view unstable_help) {
  Rustc rustc;
  rustc.release = value_in(versions, "release");
  rustc.host = value_in(versions, "host");
  std::string llvm = value_in(versions, "LLVM version");
  std::string_view number = llvm;
  if (rustc.release.empty() || !take_number(number, rustc.llvm))
    return fail(
        "rustc -vV tells no release, or no version of LLVM: only rustc's own LLVM backend "
        "takes profiles");
  auto take = [&](const compilers::RustcNames& names) {
    rustc.sampled = names.sample_profile;
    rustc.discriminators = names.discriminators;
  };
  if (codegen_help.contains(" profile-sample-use=")) {
    take(compilers::stable_rustc);
  } else if (unstable_help.contains(" profile-sample-use=")) {
    take(compilers::unstable_rustc);
    rustc.unstable = true;
  } else {
    return fail("rustc {} takes no profile of samples: 1.57 and later do (rustup update)",
                rustc.release);
  }
  if (rustc.llvm < pipeline::consumers::clang.oldest)
    return fail("rustc {} is of LLVM {}: profiles are for LLVM {} and later (rustup update)",
                rustc.release, rustc.llvm, pipeline::consumers::clang.oldest);
  return rustc;
}

Result<Rustc> find_rustc() {
  const char* variable = std::getenv("RUSTC");
  std::string command = variable && *variable ? variable : "rustc";
  if (path_of_command(command).empty())
    return fail("{} is not installed: Debian's packages rustc and cargo have it, or rustup",
                command);
  auto versions = TRY(output_of_command({command, "-vV"}));
  auto codegen = TRY(output_of_command({command, "-C", "help"}));
  auto unstable = output_of_command({"env", "RUSTC_BOOTSTRAP=1", command, "-Z", "help"});
  auto rustc = TRY(rustc_of(versions, codegen, unstable.value_or("")));
  rustc.command = command;
  return rustc;
}

}  // namespace pgokit::optimize
