#include "cli/commands/cargo_info.h"

#include <filesystem>

#include "base/command_output.h"
#include "record/hardware/machine.h"
#include "report/json.h"
#include "report/numbers.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

namespace fs = std::filesystem;

std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

struct Facts {
  std::string cargo;              // "cargo 1.96.0"
  bool counters = false;          // the library that -Cprofile-generate links is there
  std::string recorder;           // empty: none
  u64 recorded = 0, profile = 0;  // sizes; 0: not there
};

u64 size_of(const std::string& file) {
  std::error_code error;
  auto size = fs::file_size(file, error);
  return error ? 0 : size;
}

Result<Facts> facts_of(const CargoInfo& info) {
  Facts facts;
  const auto& rustc = info.cargo.rustc;
  facts.cargo = first_line(TRY(output_of_command({info.cargo.command, "-V"})));
  auto libraries = first_line(TRY(output_of_command({rustc.command, "--print", "target-libdir"})));
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(libraries, error))
    facts.counters |= entry.path().filename().string().starts_with("libprofiler_builtins");
  auto machine = record::inspect_machine();
  facts.recorder = machine.hardware()   ? "branch stacks of the processor"
                   : machine.software() ? "every branch, in software"
                                        : "";
  facts.recorded = size_of(info.folder + "/app.perf");
  facts.profile = size_of(info.folder + "/app.prof");
  return facts;
}

}  // namespace

Result<std::string> CargoInfo::as_text() const {
  const auto facts = TRY(facts_of(*this));
  const auto& rustc = cargo.rustc;
  auto text = report::format("cargo      {}, as {}\n", facts.cargo, cargo.command);
  text += report::format("rustc      {} for {}, LLVM {}\n", rustc.release, rustc.host, rustc.llvm);
  text += report::format(
      "profile    {}FILE{}\n", rustc.sampled,
      rustc.unstable ? ", which is unstable: RUSTC_BOOTSTRAP=1 permits it where it is given" : "");
  text += report::format("probes     {}\n",
                         rustc.plugin.empty()
                             ? "no: this rustc does not load pgokit's plugin for LLVM 22; profiles "
                               "are by lines"
                             : "by a plugin: profiles count at them");
  text +=
      report::format("counters   {}\n",
                     facts.counters ? "-Cprofile-generate can be tried too (--with instrument)"
                                    : "rustc was built without the library for -Cprofile-generate");
  text +=
      report::format("recorder   {}\n",
                     facts.recorder.empty() ? "none: 'pgokit doctor' tells why" : facts.recorder);
  text += report::format("kept in    {}\n", folder);
  auto tell = [&](const char* what, const char* name, u64 size) {
    text += size ? report::format("{}{}/{}, {}\n", what, folder, name, report::file_size(size))
                 : report::format("{}none yet\n", what);
  };
  tell("recording  ", "app.perf", facts.recorded);
  tell("made of it ", "app.prof", facts.profile);
  text += report::format("next       {}\n", facts.profile
                                                ? "cargo pgokit optimize builds with the profile"
                                                : "cargo pgokit optimize -- ARGS runs the program, "
                                                  "and builds and measures a faster one");
  return text;
}

Result<std::string> CargoInfo::as_json() const {
  const auto facts = TRY(facts_of(*this));
  const auto& rustc = cargo.rustc;
  auto json = report::Json::object();
  json.set("cargo", facts.cargo).set("rustc", rustc.release).set("host", rustc.host);
  json.set("llvm", rustc.llvm).set("option", rustc.sampled).set("unstable", rustc.unstable);
  json.set("probes", !rustc.plugin.empty())
      .set("counters", facts.counters)
      .set("recorder", facts.recorder);
  json.set("folder", folder).set("recording_bytes", facts.recorded);
  json.set("profile_bytes", facts.profile);
  return json.text() + "\n";
}

}  // namespace pgokit::cli
