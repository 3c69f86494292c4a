#pragma once

// What `cargo pgokit info` tells: the tools, what they can do, and what has been recorded.
//
//   CargoInfo info{.cargo = cargo, .folder = "target/pgokit"};
//   print(TRY(info.as_text()));

#include <string>

#include "optimize/cargo.h"

namespace pgokit::cli {

struct CargoInfo {
  const optimize::Cargo& cargo;
  std::string folder;  // where everything is kept

  Result<std::string> as_text() const;
  Result<std::string> as_json() const;
};

}  // namespace pgokit::cli
