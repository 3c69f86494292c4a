#pragma once

// What `pgokit bisect` found, on a screen and as JSON.

#include <string>

#include "annotate/source_places.h"
#include "bisect/bisect.h"

namespace pgokit::cli {

struct BisectionView {
  std::string profile, only;  // only: the function whose sites were looked at; empty: all functions
  const bisect::Outcome* outcome = nullptr;
  annotate::SourcePlaces places;  // of the sites that were found, where the program tells
  bool mangled = false;
};

std::string bisection_text(const BisectionView& view);
std::string bisection_json(const BisectionView& view);

}  // namespace pgokit::cli
