#pragma once

// What makes no sense between the files and numbers of a command line, said before any work.
//
//   TRY(check_files(options.read.inputs, options.binary, output));
//   TRY(check_threads(options.read.threads));

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "pipeline/inputs.h"
#include "program/program.h"

namespace pgokit::pipeline {

// What goes in front of a message about a recording that was cut short: mostly its cause.
std::string not_whole(const std::string& why);
// That there are no samples, and what to do about it.
std::string nothing_in(const std::string& cut_short);

// Two outputs that are one file, by whatever names.
Status check_outputs(std::span<const std::string> outputs);

// A file of machine code, which takes a build to have again.
bool is_program(const std::string& path);

// Inputs that are given twice, an output that would replace an input or a program.
Status check_files(const std::vector<std::string>& inputs, const std::string& binary,
                   const std::string& output);

Status check_threads(u64 threads);

// A package of split debug information is of use where the program's is split.
Status check_package(const program::Program& program);

// Options of `pgokit generate` that say nothing about sums are refused where the input holds no
// samples. `given`: as OptionTable has them.
Status check_given(std::span<const std::string> given, const Input& kind, std::string_view path);

}  // namespace pgokit::pipeline
