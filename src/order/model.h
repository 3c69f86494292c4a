#pragma once

// What is known of a program's functions when they are to be put in order: how large they are, in
// which order they first ran in each scenario, and who called whom how often.
//
//   order::Model model;
//   u32 f = model.function("main"), g = model.function("parse");
//   model.traces.push_back({.functions = {f, g}, .weight = 2, .source = "run.mipraw"});
//   model.calls.push_back({f, g, 1000});
//   model.normalize();
//   for (u32 id : order::first_touch(model)) use(model.name(id));
//
// Functions are known by their names: linkers are told nothing else.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/names.h"
#include "base/types.h"

namespace pgokit::order {

struct Function {
  u64 size = 0;     // bytes of code; 0: not known
  u64 address = 0;  // where it is now; 0: not known
  u64 weight = 0;   // samples in it, or how often it was called
};

// Functions in the order in which they first ran, each once.
struct Trace {
  std::vector<u32> functions;
  u64 weight = 1;
  std::string source = {};  // where it is from, for messages
};

struct Call {
  u32 from = 0, to = 0;
  u64 weight = 0;
  bool operator==(const Call&) const = default;
};

class Model {
 public:
  // Made on first use.
  u32 function(std::string_view name);
  std::optional<u32> find(std::string_view name) const;
  std::string_view name(u32 function) const { return names_.text(static_cast<NameId>(function)); }

  std::vector<Function> functions;
  std::vector<Trace> traces;
  std::vector<Call> calls;
  u64 start = 0;  // the address from which on linkers place what is ordered; 0: not known

  // Calls between the same functions are added up and sorted; functions without a weight get that
  // of the calls that come in. Before algorithms and scores.
  void normalize();
  // Functions whose size is not known get the mean of the others, so that algorithms can go on.
  void guess_sizes();

  bool has_calls() const { return !calls.empty(); }

 private:
  Names names_;
};

}  // namespace pgokit::order
