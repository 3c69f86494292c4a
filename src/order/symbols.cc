#include "order/symbols.h"

#include <algorithm>
#include <array>

#include "base/cursor.h"

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
  bool is_code = symbol.type == STT_FUNC || symbol.type == STT_GNU_IFUNC;
  if (symbol.section == SHN_UNDEF || symbol.section >= file.sections().size()) return false;
  // Assembly often forgets the type; labels of the compiler have no place in an order.
  if (symbol.type == STT_NOTYPE) is_code = symbol.binding != STB_LOCAL || symbol.size > 0;
  return is_code && !symbol.name.empty() && file.sections()[symbol.section].is_code();
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
  if (as_text(image.bytes()).starts_with("!<arch>"))
    return fail("{}: it is an archive; give the objects in it, or the linked program", path);
  if (as_text(image.bytes()).starts_with("BC\xc0\xde"))
    return fail("{}: it is bitcode, whose functions have no code yet; give the linked program",
                path);
  if (!as_text(image.bytes()).starts_with(ELFMAG))
    return fail("{}: neither a program nor an object file", path);
  auto file = TRY_IN(path, object::File::parse(image.bytes()));
  size_t before = symbols_.size();
  take(file, paths_.emplace_back(path));
  if (symbols_.size() == before)
    return fail("{}: it has no symbols of functions (stripped?)", path);
  images_.push_back(std::move(image));
  return {};
}

void LinkSymbols::take(const object::File& file, const std::string& path) {
  bool is_object = file.type() == ET_REL;
  if (!is_object && build_id_.empty()) build_id_ = file.build_id();
  if (!is_object)
    for (const auto& section : file.sections())
      if (section.is_code()) {
        text_begin_ = std::min(text_begin_, section.address);
        text_end_ = std::max(text_end_, section.address + section.size);
        if (section.name == ".text") ordered_begin_ = section.address;
      }
  has_sections_ |= is_object;
  std::string_view source;
  for (const auto& symbol : file.symbols()) {
    if (symbol.type == STT_FILE) source = symbol.name;
    if (!is_function(symbol, file)) continue;
    bool is_static = symbol.binding == STB_LOCAL;
    constexpr u64 largest = ~u32{0};
    symbols_.push_back(
        {.name = symbol.name,
         .file = is_object   ? std::string_view(path)
                 : is_static ? source
                             : std::string_view(),
         .section = is_object ? file.sections()[symbol.section].name : std::string_view(),
         .address = is_object ? 0 : symbol.address,
         .size = std::min(symbol.size, largest),
         .is_static = is_static});
  }
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
