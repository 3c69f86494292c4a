#pragma once

// The road from recordings and a program to the file that is written, pass by pass.
//
//   Road road(std::move(options));
//   Traveller nobody;
//   TRY(road.run(nobody));
//   use(road.generated.profile);
//
// Where no file is wanted, make() goes as far as the profile. Several roads that are to be committed
// together (several_programs.h) go by open(), travel() and commit().

#include <optional>

#include "pipeline/commit_together.h"
#include "pipeline/outputs.h"

namespace pgokit::pipeline {

class Road;

// Looks at what there is between the passes, and may end the journey.
class Traveller {
 public:
  virtual ~Traveller() = default;
  virtual Status opened(Road&) { return {}; }  // the program; its functions are known
  virtual Status read(Road&) { return {}; }    // the input
  virtual Status made(Road&) { return {}; }    // the profile
  // What ended one of several journeys. {}: the others go on without it.
  virtual Status failed(Road&, Error why) { return std::unexpected(std::move(why)); }
};

class Road {
 public:
  explicit Road(RoadOptions chosen) : options(std::move(chosen)) {}
  Status run(Traveller& traveller);
  Status make(Traveller& traveller);

  Status open();                         // the program, and the files that are written
  Status travel(Traveller& traveller);   // the files are made
  std::vector<PendingOutput> pending();  // which appear by commit_together()

  RoadOptions options;
  std::optional<program::Program> program;
  ReadInput input;
  Generated generated;
  Written output;         // its files have been committed
  u64 written = 0;        // bytes of it
  bool left_out = false;  // of several: nothing is written

 private:
  Status choose_program();
  Status open_program();
  Status open_output();
  Status go(Traveller& traveller);
  Status write();
};

}  // namespace pgokit::pipeline
