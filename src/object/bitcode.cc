#include "object/bitcode.h"

#include "base/bit_reader.h"
#include "base/cursor.h"

namespace pgokit::object {
namespace {

constexpr std::string_view magic = "BC\xc0\xde";
constexpr std::string_view no_table = "the bitcode has no table of symbols";
constexpr u64 strtab_block = 23, symtab_block = 25;
constexpr u64 enter_block = 1, define_abbreviation = 2, first_abbreviation = 4;

namespace flag {
constexpr u32 undefined = 1 << 3, global = 1 << 10, format_specific = 1 << 11, executable = 1 << 13;
}

// The bytes of a block that is one abbreviation of a code and a blob, and one record by it.
Bytes blob_of(Bytes block, u32 width) {
  BitReader in(block);
  if (in.fixed(width) != define_abbreviation || in.vbr(5) != 2) return {};
  constexpr u64 blob = 5;
  bool is_literal = in.fixed(1);
  in.vbr(8);
  if (!is_literal || in.fixed(1) || in.fixed(3) != blob) return {};
  if (in.fixed(width) != first_abbreviation) return {};
  u64 size = in.vbr(6);
  in.align();
  return in.take(size);
}

struct Tables {
  Bytes symbols, strings;
};

Result<Tables> tables_of(Bytes bytes) {
  Tables tables;
  BitReader in(bytes);
  in.take(magic.size());
  while (!in.at_end()) {
    constexpr u32 outer_width = 2;
    if (in.fixed(outer_width) != enter_block) return fail("the bitcode is damaged");
    u64 id = in.vbr(8), width = in.vbr(4);
    in.align();
    u64 words = in.fixed(32);
    Bytes block = in.take(4 * words);
    if (!in.ok() || width < 2 || width > 32) return fail("the bitcode is damaged");
    if (id == symtab_block) tables.symbols = blob_of(block, static_cast<u32>(width));
    if (id == strtab_block) tables.strings = blob_of(block, static_cast<u32>(width));
  }
  if (tables.symbols.empty()) return fail(no_table);
  return tables;
}

struct Range {
  Le<u32> offset, size;
};

struct Header {
  Le<u32> version;
  Range producer, modules, comdats, symbols;
};

struct Symbol {
  Range name, ir_name;
  Le<u32> comdat, flags;
};

}  // namespace

bool is_bitcode(Bytes bytes) { return as_text(bytes).starts_with(magic); }

Status each_bitcode_symbol(Bytes bytes, const std::function<void(const BitcodeSymbol&)>& visit) {
  auto tables = TRY(tables_of(bytes));
  Cursor in(tables.symbols);
  auto header = in.get<Header>();
  constexpr u32 known_version = 3;
  if (!in.ok()) return fail(no_table);
  if (header.version != known_version)
    return fail(
        "the bitcode's table of symbols has version {}, and {} is known: recompile by LLVM 22",
        u32{header.version}, known_version);
  if (header.symbols.offset > tables.symbols.size()) return fail("the bitcode is damaged");
  Cursor list(tables.symbols.subspan(header.symbols.offset));
  auto symbols = list.array<Symbol>(header.symbols.size);
  if (!list.ok()) return fail("the bitcode is damaged");
  auto strings = as_text(tables.strings);
  for (const auto& symbol : symbols) {
    if (symbol.flags & flag::format_specific) continue;
    if (symbol.name.offset > strings.size() ||
        symbol.name.size > strings.size() - symbol.name.offset)
      return fail("the bitcode is damaged");
    visit({.name = strings.substr(symbol.name.offset, symbol.name.size),
           .is_defined = !(symbol.flags & flag::undefined),
           .is_code = (symbol.flags & flag::executable) != 0,
           .is_local = !(symbol.flags & flag::global)});
  }
  return {};
}

}  // namespace pgokit::object
