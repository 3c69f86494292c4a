#pragma once

// YAML for BOLT, made of fdata. YAML names blocks by their numbers in BOLT's graph of each
// function, with a hash of each that is made of LLVM's opcodes: llvm-bolt itself computes these.
//
//   auto maker = TRY(bolt::YamlMaker::create("llvm-bolt-22"));     // or "": the newest in PATH
//   bolt::write_fdata(profile, functions, [&](std::string_view part) { maker.write(part); });
//   TRY(maker.make(program.path(), output));
//
// What llvm-bolt makes of fdata it also takes whole; perf2bolt's own YAML has functions in it whose
// hashes llvm-bolt does not find (those with conditional tail calls).

#include <string>

#include "base/file.h"
#include "base/temporary_folder.h"

namespace pgokit::bolt {

class YamlMaker {
 public:
  // An error where it is not installed.
  static Result<YamlMaker> create(const std::string& llvm_bolt);

  // Of the fdata.
  void write(std::string_view part) { fdata_.write(part); }
  // Runs llvm-bolt; an error is what it complains of.
  Status make(const std::string& program, OutputFile& yaml);

 private:
  YamlMaker(std::string llvm_bolt, TemporaryFolder folder, OutputFile fdata)
      : llvm_bolt_(std::move(llvm_bolt)), folder_(std::move(folder)), fdata_(std::move(fdata)) {}

  std::string llvm_bolt_;
  TemporaryFolder folder_;
  OutputFile fdata_;
};

}  // namespace pgokit::bolt
