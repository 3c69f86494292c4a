#pragma once

// What became of a profile in a build: which functions' samples the compiler could use, and why not
// those of the others.
//
//   Explanation told = explain({.profile = &profile, .facts = &facts, .shape = &shape,
//                               .symbols = &names, .density = density}, compiled);
//   for (const Finding& finding : told.findings)            // what loses most samples, first
//     say(description_of(finding.cause).sentence, finding.samples);
//
// A function has one cause, the first that holds of the list in Cause; samples are those of its own
// places, wherever they are, and where a compiler does not find it by its name, of all that was
// inlined into it. So the samples of all findings are those of the profile.

#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "analysis/compiled.h"
#include "analysis/program_shape.h"
#include "profile/model/profile.h"
#include "program/facts.h"

namespace pgokit::analysis {

enum class Cause : u8 {
  other_program,      // hardly any of the profile's functions is in the program
  no_probes,          // the profile is by probes, the program has none
  no_debug,           // the profile is by lines, the program has none, or line tables only
  not_found,          // no function of that name
  unique_names,       // static function: only one of the two has names with .__uniq.
  other_path,         // static function of a source file elsewhere
  changed,            // another checksum, other call sites, or other places
  no_discriminators,  // its lines have several blocks, which the profile cannot tell apart
  not_used,           // the compiler was given no profile
  not_applied,        // the compiler put none of its samples on its code
  thin,               // too few samples to tell branches by
  used,               // by remarks or the block map
  fits,               // nothing stands against it, but the build does not tell
};
constexpr size_t causes = 13;

struct Description {
  std::string_view name;      // of JSON: "not-found"
  std::string_view sentence;  // after the number of functions
  std::string_view next;      // what to do; empty where nothing is wrong
};
const Description& description_of(Cause cause);
bool is_loss(Cause cause);  // neither used nor fits
// It holds of all functions or of none.
inline bool is_of_whole_profile(Cause cause) { return cause <= Cause::no_debug; }

struct Finding {
  Cause cause = Cause::fits;
  u64 functions = 0, samples = 0;
};

struct ExplainedFunction {
  std::string name;  // of the profile
  Cause cause = Cause::fits;
  u64 samples = 0;
  const CompiledFunction* compiled = nullptr;  // null: the compiler tells nothing of it by itself
};

// Each is a part of the one before it.
struct Funnel {
  u64 samples = 0;              // of the profile
  u64 in_program = 0;           // of functions that the program has by name
  u64 matched = 0;              // of functions that are as they were when it was made
  std::optional<u64> believed;  // that the compiler used; nullopt: the build does not tell
  u64 lost_places = 0;  // of functions it used, at places that it had no code for; by remarks
};

struct Explanation {
  Funnel funnel;
  std::vector<Finding> findings;             // losses first, each kind by samples downwards
  std::vector<ExplainedFunction> functions;  // by samples downwards
};

struct Explained {
  const profile::Profile* profile = nullptr;
  const program::ProgramFacts* facts = nullptr;
  const ProgramShape* shape = nullptr;  // null: the program lacks what the profile is by
  const std::unordered_set<std::string>* symbols = nullptr;  // canonical names of functions
  double density = 0;
};

Explanation explain(const Explained& input, const Compiled& compiled);

}  // namespace pgokit::analysis
