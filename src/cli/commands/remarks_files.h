#pragma once

// Where the optimization remarks of a build are, and whether they are of the program at hand.
//
//   for (const auto& path : TRY(remarks_files("build"))) use(path);
//   TRY(read_remarks("build", program, threads, remarks));
//   TRY(check_remarks("build", "app", names, function_symbols(symbols), &shape));

#include <string>
#include <unordered_set>
#include <vector>

#include "analysis/program_shape.h"
#include "annotate/function_remarks.h"
#include "base/result.h"

namespace pgokit::cli {

// A file, or all files of remarks in a folder and those below it; an error where there is none.
Result<std::vector<std::string>> remarks_files(const std::string& path);

// Of some functions, from there. An empty path: there are none. Fails for another program's.
Status read_remarks(const std::string& path, const program::Program& program, unsigned threads,
                    annotate::FunctionRemarks& remarks);

// Canonical names of the functions that are defined.
std::unordered_set<std::string> function_symbols(const std::vector<object::Symbol>& symbols);

// Remarks of another build would explain nothing: the program has to have most of the `functions`
// that they are of, by its symbols or by its shape, which knows those that were inlined everywhere;
// or they are of most functions of its shape, as those of a folder that other programs are built in
// too. `remarks`: where they are, for the message. `shape`: null where it is not known.
Status check_remarks(const std::string& remarks, const std::string& binary,
                     const std::unordered_set<std::string>& functions,
                     const std::unordered_set<std::string>& symbols,
                     const analysis::ProgramShape* shape);

// Those that clang and lld put beside a program; there may be none.
std::vector<std::string> remarks_beside(const std::string& program);

}  // namespace pgokit::cli
