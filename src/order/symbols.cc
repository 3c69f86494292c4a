#include "order/symbols.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "base/cursor.h"
#include "object/archive.h"
#include "object/bitcode.h"

namespace pgokit::order {
namespace {

// ".llvm.123" and the like: with a number behind them or without.
constexpr std::array<std::string_view, 9> numbered = {".llvm",      ".part",        ".isra",
                                                      ".constprop", ".lto_priv",    ".argprom",
                                                      ".argelim",   ".specialized", ".extracted"};
constexpr std::array<std::string_view, 2> apart = {".cold", ".split"};

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

// Takes ".word" or ".word.N" from the end.
bool strip_last(std::string_view& name, std::string_view word) {
  auto rest = name;
  if (auto dot = rest.rfind('.'); dot != rest.npos && is_number(rest.substr(dot + 1)))
    rest = rest.substr(0, dot);
  if (!rest.ends_with(word) || rest.size() == word.size()) return false;
  name = rest.substr(0, rest.size() - word.size());
  return true;
}

bool is_function(const object::Symbol& symbol, const object::File& file) {
  using Kind = object::SymbolKind;
  bool is_code = symbol.kind == Kind::function || symbol.kind == Kind::indirect_function;
  if (symbol.section == 0 || symbol.section >= file.sections().size()) return false;
  // Assembly often forgets the type; labels of the compiler have no place in an order.
  if (symbol.kind == Kind::none)
    is_code = !symbol.is_local || (symbol.size > 0 && file.has_symbol_sizes());
  return is_code && !symbol.name.empty() && file.sections()[symbol.section].is_code();
}

// Of many: it may have data alone.
bool is_part_of_link(Bytes bytes) {
  if (object::is_archive(bytes) || object::is_bitcode(bytes)) return true;
  auto file = object::File::parse(bytes);
  return file && file->is_relocatable();
}

// C compilers put a '_' in front of every name of Mach-O, and of C names of COFF for i386. Profiles do
// not have it, and the writers of order files add it where the linker wants it.
std::string_view source_name(std::string_view name, const object::File& file) {
  bool i386_coff = file.format() == object::Format::coff && file.machine() == EM_386;
  bool prefixed = file.format() == object::Format::mach_o || i386_coff;
  if (prefixed && name.size() > 1 && name.starts_with('_')) name.remove_prefix(1);
  return name;
}

}  // namespace

std::string link_base_name(std::string_view name) {
  std::string_view part;
  for (bool again = true; again;) {
    again = false;
    for (auto word : numbered) again |= strip_last(name, word);
    for (auto word : apart)
      if (strip_last(name, word)) part = word, again = true;
  }
  return std::string(name).append(part);
}

Status LinkSymbols::add(const std::string& path) {
  auto image = TRY(MappedFile::open(path));
  if (image.bytes().empty()) return fail("{}: it is empty", path);
  size_t before = symbols_.size();
  if (object::is_archive(image.bytes()))
    TRY_IN(path, add_archive(path, image.bytes()));
  else if (!TRY_IN(path, add_object(path, image.bytes())))
    return fail("{}: neither a program, an object file, bitcode nor an archive", path);
  if (symbols_.size() == before && !is_part_of_link(image.bytes()))
    return fail("{}: it has no symbols of functions (stripped?)", path);
  images_.push_back(std::move(image));
  return {};
}

Result<bool> LinkSymbols::add_object(const std::string& path, Bytes bytes) {
  if (object::is_bitcode(bytes)) {
    TRY(take_bitcode(bytes, paths_.emplace_back(path)));
    return true;
  }
  if (!object::File::recognizes(bytes)) return false;
  take(TRY(object::File::parse(bytes)), paths_.emplace_back(path));
  return true;
}

// Members that are no objects are passed over, as linkers do.
Status LinkSymbols::add_archive(const std::string& path, Bytes archive) {
  bool is_thin = object::is_thin_archive(archive);
  auto folder = std::filesystem::path(path).parent_path();
  std::set<std::string_view> seen;
  return object::each_member(archive, [&](const object::ArchiveMember& member) -> Status {
    // As patterns of GNU ld's scripts name it.
    auto name = fmt::format("{}:{}", path, member.name);
    if (!is_thin) {
      [[maybe_unused]] bool is_object =
          TRY_IN(std::string(member.name), add_object(name, member.contents));
      return {};
    }
    if (!seen.insert(member.name).second) return {};
    auto file = folder / member.name;
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error))
      return fail("its member {} is not there, or no file", member.name);
    auto image = TRY(MappedFile::open(file));
    [[maybe_unused]] bool is_object =
        TRY_IN(std::string(member.name), add_object(name, image.bytes()));
    images_.push_back(std::move(image));
    return {};
  });
}

void LinkSymbols::take(const object::File& file, const std::string& path) {
  bool is_object = file.is_relocatable();
  if (!is_object && build_id_.empty()) build_id_ = file.build_id();
  if (!is_object)
    for (const auto& section : file.sections())
      if (section.is_code()) {
        text_begin_ = std::min(text_begin_, section.address);
        text_end_ = std::max(text_end_, section.address + section.size);
        if (section.name == ".text" || section.name == "__text") ordered_begin_ = section.address;
      }
  has_sections_ |= is_object;
  is_coff_ |= file.format() == object::Format::coff;
  prefixed_ |= file.format() == object::Format::mach_o;
  std::string_view source;
  for (const auto& symbol : file.symbols()) {
    if (symbol.kind == object::SymbolKind::file) source = symbol.name;
    if (!is_function(symbol, file)) continue;
    bool is_static = symbol.is_local;
    constexpr u64 largest = ~u32{0};
    symbols_.push_back(
        {.name = source_name(symbol.name, file),
         .file = is_object   ? std::string_view(path)
                 : is_static ? source
                             : std::string_view(),
         .section = is_object ? file.sections()[symbol.section].name : std::string_view(),
         .address = is_object ? 0 : symbol.address,
         .size = std::min(symbol.size, largest),
         .is_static = is_static});
  }
}

Status LinkSymbols::take_bitcode(Bytes bytes, const std::string& path) {
  has_sections_ = true;
  return object::each_bitcode_symbol(bytes, [&](const object::BitcodeSymbol& symbol) {
    if (symbol.is_defined && symbol.is_code && !symbol.name.empty())
      symbols_.push_back({.name = symbol.name,
                          .file = path,
                          .section = {},  // the linker's: .text.NAME
                          .is_static = symbol.is_local});
  });
}

void LinkSymbols::finish() {
  names_.clear(), bases_.clear(), by_name_.clear(), by_base_.clear();
  for (u32 i = 0; i < symbols_.size(); ++i) {
    names_.push_back({symbols_[i].name, i});
    bases_.push_back({bases_text_.emplace_back(link_base_name(symbols_[i].name)), i});
  }
  auto less = [](const ByName& a, const ByName& b) {
    return std::pair(a.name, a.symbol) < std::pair(b.name, b.symbol);
  };
  std::ranges::sort(names_, less);
  std::ranges::sort(bases_, less);
  for (const auto& entry : names_) by_name_.push_back(entry.symbol);
  for (const auto& entry : bases_) by_base_.push_back(entry.symbol);
}

std::span<const u32> LinkSymbols::range_of(const std::vector<ByName>& list,
                                           const std::vector<u32>& numbers, std::string_view name) {
  auto range = std::ranges::equal_range(list, name, {}, &ByName::name);
  return std::span(numbers).subspan(static_cast<size_t>(range.begin() - list.begin()),
                                    range.size());
}

Match LinkSymbols::match(std::string_view name) const {
  if (auto same = range_of(names_, by_name_, name); !same.empty()) return {Found::exactly, same};
  // As ld64 has it in an order file.
  if (prefixed_ && name.starts_with('_'))
    if (auto same = range_of(names_, by_name_, name.substr(1)); !same.empty())
      return {Found::exactly, same};
  auto same = range_of(bases_, by_base_, link_base_name(name));
  return {same.empty() ? Found::not_there : Found::by_base, same};
}

bool LinkSymbols::is_ambiguous(std::span<const u32> symbols) const {
  if (symbols.size() < 2) return false;
  const auto& first = symbols_[symbols.front()];
  return std::ranges::any_of(symbols, [&](u32 i) {
    const auto& symbol = symbols_[i];
    bool elsewhere = symbol.address != first.address || symbol.file != first.file;
    return elsewhere && (symbol.is_static || first.is_static) && symbol.name == first.name;
  });
}

}  // namespace pgokit::order
