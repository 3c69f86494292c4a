#pragma once

// The programs that a recording, or counters of instrumented programs, can be made into profiles of,
// where the user names none.
//
//   auto chosen = TRY(dominant_program(options.read.inputs, options.read.threads));
//   options.binary = chosen.file;

#include <string>
#include <vector>

#include "base/result.h"
#include "perf/programs.h"

namespace pgokit::pipeline {

// A program or library with samples, and where its file is now: where it was when it ran, beside
// the recording, in the current folder, or in perf's cache (~/.debug).
struct RecordedProgram {
  perf::Program program;
  std::string file;      // of the build that ran; empty: none was found
  std::string obstacle;  // why no profile can be made of it: "which is stripped"; empty: one can

  bool usable() const { return obstacle.empty(); }
  // Memory in which the process made code, as of just-in-time compilers: there is no file.
  bool is_generated() const;
  // Of the distribution, such as libc, which is mostly stripped: what users seldom build.
  bool is_system_library() const;
};

struct RecordedPrograms {
  std::vector<RecordedProgram> list;  // those with the largest shares, the largest first
  perf::Totals all;
  bool counted = false;   // by instrumented programs: executions, not samples
  std::string cut_short;  // why a recording is not whole; empty: all are

  // The one that a profile is wanted of most, where none can be made: what has the largest share, a
  // library of the system only if there is nothing else, or it has most of all. Null: there is no
  // need to talk of it.
  const RecordedProgram* missed() const;
  // Its share is worth a word.
  bool is_hot(const RecordedProgram& program) const;
};

Result<RecordedPrograms> recorded_programs(const std::vector<std::string>& recordings,
                                           unsigned threads);

// For whoever has named another one: "95.4 % of it is in /usr/lib/libapp.so, build id ab12, ...". Empty:
// nothing is known.
std::string what_ran(const std::vector<perf::Program>& programs);
std::string what_ran(const std::vector<std::string>& recordings, unsigned threads);

struct ChosenProgram {
  std::string file;
  std::string passed_over;  // for people: what would be better, and why not that; mostly empty
};

// The one with the largest share among those that a profile can be made of; of counters the only one. An
// error where there is none, and for input that does not tell programs.
Result<ChosenProgram> dominant_program(const std::vector<std::string>& recordings,
                                       unsigned threads);

}  // namespace pgokit::pipeline
