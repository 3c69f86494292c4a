#pragma once

// Assembly with .pseudoprobe directives becomes assembly that any assembler takes.
//
//   auto lowering = TRY(probe::Lowering::read(text, "a.s", {}));
//   lowering.write([&](std::string_view piece) { out.write(piece); });
//
// In the place of each directive comes a local label, or nothing where the one before marks the
// same place; every other line stays as it is and where it is. The sections with the probes come at
// the end, as data directives whose address deltas are label differences in LEB128. They are
// entered from the text section they belong to, so that '?' puts them in its group: GNU as and
// clang spell a section that is in a group and linked to another in different orders.
//
// Of ELF and COFF, told by its directives. In COFF the records of a function that is in a COMDAT
// section are in a section associated with it, as clang has it.
//
// A probe that is in another section than its function's symbol (f.cold, f.__part.1) gets its
// record in that section, counted from the last symbol before it and with a sentinel. (clang 22
// refuses it.)
//
// read() keeps about 50 bytes per directive and 24 per label, and points into `text`.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assembly/sections.h"
#include "base/result.h"
#include "probe/encoder.h"

namespace pgokit::probe {

struct LoweringOptions {
  std::optional<assembly::Dialect> dialect;  // else guessed
  // Take probes of functions that have no descriptor in this file.
  bool unknown_functions = false;
  // By GUID: of functions that have no descriptor in this file those are written, each in a COMDAT
  // group of its own. The names must outlive the lowering.
  std::span<const Descriptor> descriptors = {};
};

class Lowering {
 public:
  // Fails where an assembler would, or would have to guess: "NAME:LINE: ...".
  static Result<Lowering> read(std::string_view text, std::string_view name,
                               const LoweringOptions& options);

  // Calls `write` with the pieces of the result.
  void write(const std::function<void(std::string_view)>& write) const;

 private:
  friend class LoweringReader;
  Lowering() = default;

  // A directive, and the label that comes in its place. One of no size adds a label.
  struct Replacement {
    u64 begin = 0;
    u32 size = 0;
    u32 label = none;
  };
  // A symbol with probes in one section: a function, or a part of one.
  struct Part {
    std::string_view symbol;  // as written
    u32 section = 0;
    u32 first_label = 0;     // in the section
    u32 start_label = none;  // COFF: at the symbol, whose own distances clang does not compute
    FunctionProbes probes;
  };

  std::string section_text(u32 section, std::span<const u32> parts) const;
  // The directives that enter the probe section of a text section.
  std::string probe_section(u32 section, u32 first_label) const;

  std::string_view text_;
  size_t data_at_ = 0;  // where the sections come: the end, or before .end
  std::string prefix_;  // of the labels
  assembly::ObjectFormat format_ = assembly::ObjectFormat::elf;
  std::vector<Replacement> replacements_;
  std::vector<Part> parts_;
  std::vector<assembly::Section> sections_;
  std::vector<Descriptor> descriptors_;  // to be written
};

}  // namespace pgokit::probe
