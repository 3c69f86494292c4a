#pragma once

// Debug information of one program: its functions, and the inline frames at an address.
//
//   auto info = TRY(dwarf::DebugInfo::load(elf_file, {.path = "app"}));
//   for (const auto& f : info.functions()) use(f.name, f.begin, f.end);
//
//   dwarf::FrameCursor cursor(info);              // one per thread
//   for (u64 a = begin; a < end;) {               // one step per change of frames
//     const auto& part = cursor.at(a);
//     use(part.frames);                           // outermost first; back() is the leaf
//     a = std::min(part.end, end);
//   }
//
// Results are those of llvm-symbolizer 22 with linkage names and without the symbol table (also
// what llvm-profgen asks for): same functions, lines, start lines and discriminators. Frames
// from the first nameless one inwards are left out, as llvm-profgen does.
//
// Reads DWARF 2 to 5, 32- and 64-bit, compressed or not, split (.dwo, .dwp); docs/formats/dwarf.md
// tells what is read and which rules hold. Does not look for separate debug files, does not read
// dwz's alternate files (names there are unknown), variables or types. A broken unit is counted
// in facts() and left out.

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "object/file.h"

namespace pgokit::dwarf {

class InlineIndex;
class LineTable;

// Where in a line table an address was found: the next one is looked for there first.
struct LinePlace {
  u32 sequence = 0, row = 0;
};

// The empty braces keep Options{.path = ...} free of warnings.
struct Options {
  std::string path = {};  // NOLINT(readability-redundant-member-init): PATH.dwp is looked for
  std::string dwp = {};   // NOLINT(readability-redundant-member-init): instead of PATH.dwp
  unsigned threads = 0;   // 0: all cores
};

// One range of one function. A function in several parts has several, with the same `die`.
struct FunctionRange {
  std::string_view name;  // linkage name, else short name; lives as long as DebugInfo and its file
  u64 begin = 0, end = 0;
  u32 unit = 0;  // position among all units
  u64 die = 0;   // offset of the entry in its section; with `unit` unique
};

// A place in a function: the leaf's is its line table row, a caller's is the call site.
struct Frame {
  std::string_view function;  // never empty
  u32 line = 0;               // 0: not known
  u32 column = 0;
  u32 discriminator = 0;  // raw, as the compiler encoded it
  u32 start_line = 0;     // where the function is declared; 0: not known
  u32 file = no_file;     // index for DebugInfo::file_name()

  static constexpr u32 no_file = ~u32{0};

  bool operator==(const Frame&) const = default;
};

// The longest run of addresses with the same frames.
struct FramePart {
  u64 begin = 0, end = 0;         // holds the address asked for, also when there are no frames
  std::span<const Frame> frames;  // outermost first; empty: no debug information
  u32 unit = 0;                   // position among all units, also without frames; else past them
  u64 scope = 0;  // equal scopes: equal frames but for the leaf's line, column and discriminator
};

struct Facts {
  u64 units = 0;
  u64 line_table_units = 0;  // units with a line table
  u64 split_units = 0;       // units whose contents are in a .dwo or .dwp
  u64 missing_dwo = 0;       // ... and were not found
  std::string first_missing_dwo;
  u64 broken_units = 0;
  unsigned lowest_version = 0, highest_version = 0;
  bool linkage_names = false;   // seen in the first units
  bool discriminators = false;  // seen in the first line tables
  bool alternate_file = false;  // made by dwz -m: some names are in a file not read
};

class DebugInfo {
 public:
  // Fails when a debug section cannot be decompressed or there is no debug information at all.
  // Both `file` and its image must outlive the result.
  static Result<DebugInfo> load(const object::File& file, const Options& options);
  DebugInfo(DebugInfo&&) noexcept;
  DebugInfo& operator=(DebugInfo&&) noexcept;
  ~DebugInfo();

  // What functions are called by where their code begins, in place of the names in the debug
  // information; before functions are asked for. Inlined calls keep theirs. Names live as long as
  // this.
  using EntryNames = std::function<std::string_view(u64 begin, std::string_view name)>;
  void set_entry_names(EntryNames names);

  // Every subprogram with code and a name, its non-empty ranges, in the order of the file: units
  // in order, then the units split off; entries in order within a unit. Goes through all of
  // .debug_info, on all cores.
  std::vector<FunctionRange> functions() const;

  // Which compiler made most units, and often with which options; empty where no unit tells.
  std::string_view producer() const;
  // Whether a unit is in C++; nullopt where no unit tells its language.
  std::optional<bool> has_cplusplus() const;

  // The source file of a frame, absolute if the unit tells its directory.
  std::string file_name(const FramePart& part, const Frame& frame) const;
  // The source file of a unit as the compiler was given it; empty: not known.
  std::string_view unit_name(u32 unit) const;

  Facts facts() const;

 private:
  friend class FrameCursor;
  struct State;
  explicit DebugInfo(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

// Whether what is read of a function or unit will be wanted again.
enum class Reading : u8 {
  kept,  // for all cursors, as long as DebugInfo lives
  once,  // forgotten when no cursor of this kind is there: code is gone through in its order
};

// Frames by address. Units are read when first asked about, once for all cursors; a cursor is for
// one thread, any number of them may be used at a time. Asking in ascending order is fastest.
class FrameCursor {
 public:
  explicit FrameCursor(const DebugInfo& info, Reading reading = Reading::kept);
  ~FrameCursor();
  FrameCursor(const FrameCursor&) = delete;
  FrameCursor& operator=(const FrameCursor&) = delete;

  // Valid until the next call.
  const FramePart& at(u64 address);

 private:
  void fill(u64 address);
  bool enter_function(u64 address);
  void enter_scope(u32 scope);
  void narrow_to_line(u64 address, Frame& leaf);

  const DebugInfo::State* state_;
  Reading reading_;
  // The function that the last address was in, and where in its tables that was.
  u64 begin_ = 0, end_ = 0;
  const InlineIndex* inlines_ = nullptr;
  const LineTable* lines_ = nullptr;
  std::unique_ptr<const InlineIndex> own_inlines_;
  std::shared_ptr<const LineTable> own_lines_;
  u32 lines_unit_ = ~u32{0};  // of own_lines_
  size_t inline_place_ = 0;
  LinePlace line_place_;
  u32 scope_ = ~u32{0};          // that of frames_
  std::string_view entry_name_;  // of the function, where such names were set
  bool has_leaf_ = false;
  FramePart part_;
  std::vector<Frame> frames_;
};

}  // namespace pgokit::dwarf
