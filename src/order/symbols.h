#pragma once

// The functions of a link: what an order can name. Read from the program as it is linked now, or
// from the objects it is made of.
//
//   order::LinkSymbols symbols;
//   TRY_IN(path, symbols.add(path));
//   symbols.finish();
//   order::Match match = symbols.match("parse.llvm.123");   // parse.llvm.456, if that is there now
//
// A name that is not there as it stands is looked for without what compilers append to it
// (.llvm.N, .part.N, .cold ...). Source of truth of the suffixes: the symbols of clang 22, lld 22
// and GCC 12.

#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "base/types.h"
#include "object/file.h"

namespace pgokit::order {

struct LinkSymbol {
  std::string_view name;
  std::string_view file;     // the object, or in programs the source file of a static function
  std::string_view section;  // of an object: the input section it is in
  u64 address = 0, size = 0;
  bool is_static = false;
};

// The name without what compilers and linkers append; parts that are placed apart (.cold, .split)
// keep that: "f.cold.1" is "f.cold".
std::string link_base_name(std::string_view name);

// By path: a static function of a source file that is elsewhere now (base/unique_names.h).
enum class Found { not_there, exactly, by_base, by_path };

struct Match {
  Found found = Found::not_there;
  std::span<const u32> symbols;  // of the name, or of the names with the same base
};

class LinkSymbols {
 public:
  // A program, a shared object, an object file, bitcode, or an archive of objects, also a thin one.
  // Functions of bitcode have no sizes.
  Status add(const std::string& path);
  // Before matching.
  void finish();

  const std::vector<LinkSymbol>& all() const { return symbols_; }
  bool empty() const { return symbols_.empty(); }
  // Whether any file was an object: sections are known.
  bool has_sections() const { return has_sections_; }
  // The linker is lld-link, which has an option of its own.
  bool is_coff() const { return is_coff_; }

  // The spans are valid as long as the symbols.
  Match match(std::string_view name) const;
  // Static functions of the same name, of which linkers cannot be told one.
  bool is_ambiguous(std::span<const u32> symbols) const;

  // Of the first program; empty for objects.
  Bytes build_id() const { return build_id_; }
  // Of its code.
  u64 text_begin() const { return text_begin_; }
  u64 text_end() const { return text_end_; }
  // Of .text, where linkers begin with what is ordered; 0: not known.
  u64 ordered_begin() const { return ordered_begin_; }

 private:
  // False: it is neither.
  Result<bool> add_object(const std::string& path, Bytes bytes);
  Status add_archive(const std::string& path, Bytes archive);
  Status take_bitcode(Bytes bytes, const std::string& path);
  void take(const object::File& file, const std::string& path);

  struct ByName {
    std::string_view name;
    u32 symbol;
  };
  static std::span<const u32> range_of(const std::vector<ByName>& list,
                                       const std::vector<u32>& numbers, std::string_view name);

  std::deque<MappedFile> images_;
  std::deque<std::string> paths_;
  std::deque<std::string> bases_text_;
  std::vector<LinkSymbol> symbols_;
  std::vector<ByName> names_, bases_;  // sorted
  std::vector<u32> by_name_, by_base_;
  Bytes build_id_;
  u64 text_begin_ = ~u64{0}, text_end_ = 0, ordered_begin_ = 0;
  bool has_sections_ = false, prefixed_ = false, is_coff_ = false;
};

}  // namespace pgokit::order
