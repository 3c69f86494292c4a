#pragma once

// The kinds of files that pgokit reads, told apart by what is in them, in one table.
//
//   auto file = TRY(MappedFile::open(path));
//   if (identify(file.bytes()) == &inputs::sample_profile) ...
//   const Input* kind = TRY_IN(path, identify_counts(file.bytes()));   // for a profile
//
// A new kind is its reader in inputs/, an entry in the table of inputs.cc, and its tests.

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/types.h"
#include "program/program.h"

namespace pgokit::pipeline {

struct ReadOptions;
struct ReadInput;

// A file, and the program whose counts are taken of it.
struct Source {
  std::string path;
  Bytes bytes;
  const program::Program& program;
  const ReadOptions& options;
};

struct Input {
  std::string_view name;  // "a recording": for sentences
  bool (*sniff)(Bytes bytes);
  // Adds what the file holds of the program to what was read before. Null: it holds no counts.
  Status (*read)(const Source& source, ReadInput& into) = nullptr;
  // After the last file, where a kind cannot be added up file by file.
  Status (*finish)(const program::Program& program, const ReadOptions& options,
                   ReadInput& into) = nullptr;
  // Why no profile is made of it unless that is asked for.
  std::string_view refusal = {};
  bool of_samples = false;  // each of them is used or dropped; else the file holds sums
};

namespace inputs {
extern const Input recording;
extern const Input script;     // text of perf script with branch stacks
extern const Input ip_script;  // ... without
extern const Input raw_counts;
extern const Input autofdo_text;
extern const Input sample_profile;
extern const Input counters;       // of instrumented programs: maps with merged dumps
extern const Input counter_map;    // ... the map alone, in the program or in a file of its own
extern const Input counter_dumps;  // ... as the programs write them
extern const Input instr_profile;  // of clang: raw, indexed or text
extern const Input program;
}  // namespace inputs

// Null: none of them.
const Input* identify(Bytes bytes);

// One that a profile can be made of; else an error that says what it is and what to do.
// `allow_ip`: of samples without branch stacks too.
Result<const Input*> identify_counts(Bytes bytes, bool allow_ip = false);

// A recording, or text of one.
bool is_recording(const Input* kind);

// A map, a dump or a profile of an instrumented program.
bool is_of_counters(const Input* kind);

// Fails for what is known and no sample profile, where one is wanted.
Status refuse_other_than_profile(const std::string& path, Bytes bytes);

}  // namespace pgokit::pipeline
