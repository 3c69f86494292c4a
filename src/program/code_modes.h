#pragma once

// Where the code of an Arm program is Arm code, Thumb code, or data between them.
//
//   CodeModes modes(file);
//   CodeModes::Piece piece = modes.at(address);
//   auto one = decoder.decode(piece.of(code, address), address, piece.mode);
//
// The symbols $a, $t and $d of assemblers say it; where a program has none (stripped ones), the
// lowest bit of the addresses of functions does. Other machines have one mode.

#include <algorithm>
#include <vector>

#include "isa/decoder.h"
#include "object/file.h"
#include "object/relocations.h"

namespace pgokit::program {

class CodeModes {
 public:
  struct Piece {
    isa::Mode mode = isa::Mode::usual;
    u64 end = ~u64{0};  // address

    // `code`, which lies at `address`, up to the end.
    Bytes of(Bytes code, u64 address) const {
      return code.first(std::min<u64>(code.size(), end - address));
    }
  };

  CodeModes() = default;
  // `symbols` are those of `layout`'s file, or of its separate debug file. Addresses are those of
  // object::Layout.
  CodeModes(const object::File& file, const object::Layout& layout,
            const std::vector<object::Symbol>& symbols);
  explicit CodeModes(const object::File& linked);

  // The mode at an address, and where another one begins.
  Piece at(u64 address) const { return changes_.empty() ? Piece{} : search(address); }

 private:
  struct Change {
    u64 address = 0;
    isa::Mode mode = isa::Mode::usual;
  };
  Piece search(u64 address) const;

  std::vector<Change> changes_;  // ascending
};

// $a, $d, $x.12: what assemblers mark code and data of Arm, AArch64 and RISC-V by.
bool is_mapping_symbol(std::string_view name);

}  // namespace pgokit::program
