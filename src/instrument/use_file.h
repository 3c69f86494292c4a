#pragma once

// The text that the plugin reads (-pgokit-use): docs/formats/use.md draws it.
//
//   auto file = instrument::use_file({.targets = &profile, .hotness = functions});
//   if (file.calls == 0) return fail("no calls");
//   output.write(file.text);

#include <span>
#include <string>

#include "instrument/block_places.h"
#include "instrument/hotness.h"
#include "instrument/module.h"

namespace pgokit::instrument {

struct UseContents {
  const Profile* targets = nullptr;  // of its calls; those outside of the program are left out
  std::span<const FunctionHotness> hotness = {};
  std::span<const FunctionPlaces> places = {};
};

struct UseFile {
  std::string text;
  u64 calls = 0;          // in the text; copies of one call that was inlined are added up
  u64 without_place = 0;  // sites that were reached and cannot be found in the source
  u64 recorded = 0, recorded_without_place = 0;  // at all sites, and at those
  u64 unwritable = 0;  // names of functions and targets that fit in no line, which are left out
};

UseFile use_file(const UseContents& contents);

}  // namespace pgokit::instrument
