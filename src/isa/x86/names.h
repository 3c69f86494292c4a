#pragma once

// Prefixes and names of instructions as LLVM prints them in both syntaxes.

#include <Zydis/Zydis.h>

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "isa/x86/decoded.h"

namespace pgokit::isa {

struct Renamed {
  ZydisMnemonic mnemonic;
  const char* name;
};

// Names by mnemonic: Zydis' own, but for conditions and some more that both syntaxes call otherwise.
using Names = std::array<const char*, ZYDIS_MNEMONIC_MAX_VALUE + 1>;
Names llvm_names(std::span<const Renamed> of_syntax);

// "eq" of "cmpeqsd", which stands for an immediate; empty where the instruction has no such name.
std::string_view comparison_of(const DecodedX86& one);

std::string name_with_comparison(std::string_view name, std::string_view comparison);

// Adds those that are printed, each with two tabs.
void append_prefixes(const DecodedX86& one, std::string& text);

}  // namespace pgokit::isa
