#pragma once

// The forms that stacks are written in: a table, one entry each.
//
//   const Form* form = form_of("app.folded");                 // by the ending; null: of none
//   if (!form) form = form_named("pprof");
//   form->write(stacks, {.name = "app.perf"}, [&](std::string_view bytes) { file.write(bytes); });
//
// A new form needs a writer in stacks/write/, an entry, and tests.

#include <functional>
#include <span>

#include "stacks/model/collector.h"
#include "stacks/write/folded.h"

namespace pgokit::stacks {

struct WriteOptions {
  std::string name;  // of the profile, where the form has one
  FoldedOptions folded;
};

struct Form {
  std::string_view name;
  std::string_view endings[2];  // of file names; unused ones are empty
  Times times;                  // whether it shows when samples were taken
  bool gzip;                    // always packed
  void (*write_to)(const Stacks&, const WriteOptions&, report::TextBuffer&);

  using Take = std::function<void(std::string_view bytes)>;
  void write(const Stacks& stacks, const WriteOptions& options, const Take& take) const;
};

std::span<const Form> forms();
const Form* form_named(std::string_view name);
const Form* form_of(std::string_view path);
// "folded, speedscope, pprof, firefox"
std::string form_names();

}  // namespace pgokit::stacks
