#pragma once

// The processed form of the Firefox Profiler, for profiler.firefox.com: version 48, which newer
// ones take too.
//
//   write_firefox(stacks, "app.perf", out);
//
// Source of truth: src/types/profile.js and docs-developer/CHANGELOG-formats.md of
// https://github.com/firefox-devtools/profiler

#include "report/text_buffer.h"
#include "stacks/model/stacks.h"

namespace pgokit::stacks {

void write_firefox(const Stacks& stacks, std::string_view name, report::TextBuffer& out);

}  // namespace pgokit::stacks
