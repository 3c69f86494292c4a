#pragma once

// Speedscope's own form, for speedscope.app: a profile for each event and thread, whose samples are
// in the order of time where times are known.
//
//   write_speedscope(stacks, "app.perf", out);
//
// Source of truth: https://www.speedscope.app/file-format-schema.json

#include "report/text_buffer.h"
#include "stacks/model/stacks.h"

namespace pgokit::stacks {

void write_speedscope(const Stacks& stacks, std::string_view name, report::TextBuffer& out);

}  // namespace pgokit::stacks
