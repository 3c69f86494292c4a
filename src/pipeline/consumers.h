#pragma once

// Who a file is written for: compilers and the tools after them, by name and version, in one table.
//
//   auto target = TRY(target_named("clang-16"));
//   options.output = TRY(output_for(target, ""));   // the form that it takes best
//   target.fit(options.write);                      // nothing that this version does not read
//
// A new consumer is an entry in the table of consumers.cc, and its forms in that of outputs.cc.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "profile/format.h"

namespace pgokit::pipeline {

struct Output;

struct Consumer {
  std::string_view name;                   // of --for, before the version
  std::span<const Output* const> outputs;  // those of --format; the first is the default
  // The versions that differ in what they read; 0: --for names none. `usual` stands for no version.
  unsigned oldest = 0, newest = 0, usual = 0;
  // Versions before this one read `old_outputs` instead.
  unsigned first_of_outputs = 0;
  std::span<const Output* const> old_outputs = {};
  // Options of writing as this version wants them.
  void (*fit)(unsigned version, profile::WriteOptions& options) = nullptr;
  // The profile as this version looks for it: names of functions, and nothing that it cannot use.
  void (*fit_profile)(unsigned version, profile::Profile& profile, bool is_c) = nullptr;
};

// A consumer in one of its versions.
struct Target {
  const Consumer* consumer = nullptr;
  unsigned version = 0;  // 0: none was named

  std::string name() const;  // "clang-16"
  std::span<const Output* const> outputs() const;
  void fit(profile::WriteOptions& options) const;
  // is_c: the program is known to have no C++.
  void fit(profile::Profile& profile, bool is_c = false) const;
};

namespace consumers {
extern const Consumer clang, gcc;
extern const Consumer pgokit;     // of counts without names
extern const Consumer bolt;       // llvm-bolt and perf2bolt
extern const Consumer propeller;  // clang and lld, of where code shall lie
}  // namespace consumers

std::span<const Consumer* const> all_consumers();

// Of "clang" or "clang-16". Errors list what is known.
Result<Target> target_named(std::string_view name);
// The form called `format`, or the default one where that is empty. An error lists its forms.
Result<const Output*> output_for(const Target& target, std::string_view format);

// Of the values of --for and --format, each of which may be empty: a form alone stands for the one
// who reads it, and nothing for the newest clang.
struct Destination {
  Target target;
  const Output* output = nullptr;
};
Result<Destination> destination_of(std::string_view consumer, std::string_view format);
// The same of what takes sample profiles.
Result<Destination> profile_destination_of(std::string_view consumer, std::string_view format);

// "clang, clang-13 to clang-22, gcc", for help; those of sample profiles alone or all.
enum class Consumers : bool { all, of_profiles };
std::string names_of(Consumers which);
// Each of them: "clang", "clang-13", ...
std::vector<std::string> consumer_names(Consumers which);

}  // namespace pgokit::pipeline
