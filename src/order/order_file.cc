#include "order/order_file.h"

#include <tsl/robin_set.h>

#include <algorithm>
#include <array>

#include "base/printable.h"

namespace pgokit::order {
namespace {

constexpr std::string_view text_section = ".text.";

std::string section_of(const PlacedSymbol& symbol) {
  return symbol.section.empty() ? std::string(text_section).append(symbol.name)
                                : std::string(symbol.section);
}

// In linker scripts and gold's patterns these stand for others.
std::string escaped(std::string_view text) {
  std::string result;
  for (char c : text) {
    if (c == '*' || c == '?' || c == '[' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// What ends a pattern or a statement of a linker script, or begins a comment.
bool fits_in_script(std::string_view text) {
  return fits_in_line(text) && text.find_first_of(" (){};,\"'") == text.npos &&
         !text.contains("/*");
}

// In an edge of a call graph blanks are between names.
bool fits_in_edge(std::string_view name) { return fits_in_line(name) && !name.contains(' '); }

bool can_be_written(const PlacedSymbol& symbol, OrderFormat format) {
  std::string section = section_of(symbol);
  std::string_view object = file_name(symbol.object);
  switch (format) {
    case OrderFormat::gold:
      return fits_in_line(section);
    case OrderFormat::ld:
      return fits_in_script(section) && fits_in_script(object);
    case OrderFormat::ld64:
      return fits_in_line(symbol.name) && fits_in_line(object);
    default:
      return fits_in_line(symbol.name);
  }
}

void append_line(const PlacedSymbol& symbol, OrderFormat format, std::string& text) {
  if (format == OrderFormat::ld) {
    auto object =
        symbol.object.empty() ? "*" : std::string("*") + escaped(file_name(symbol.object));
    fmt::format_to(std::back_inserter(text), "    {}({})\n", object, escaped(section_of(symbol)));
    return;
  }
  if (format == OrderFormat::gold) {
    text += escaped(section_of(symbol));
  } else if (format == OrderFormat::ld64) {
    if (!symbol.object.empty()) text.append(file_name(symbol.object)).append(":");
    text.append("_").append(symbol.name);
  } else {
    text += symbol.name;
  }
  text += '\n';
}

std::string_view trimmed(std::string_view line) {
  constexpr const char* blanks = " \t\r\v\f";
  size_t first = line.find_first_not_of(blanks);
  if (first == line.npos) return {};
  return line.substr(first, line.find_last_not_of(blanks) - first + 1);
}

// ".text.hot.f" is f; a symbol does not begin with ".text.".
std::string_view symbol_of(std::string_view line) {
  if (!line.starts_with(text_section) || line.size() == text_section.size()) return line;
  line.remove_prefix(text_section.size());
  for (std::string_view prefix : {"hot.", "unlikely.", "startup.", "exit.", "unknown."})
    if (line.starts_with(prefix) && line.size() > prefix.size()) {
      line.remove_prefix(prefix.size());
      break;
    }
  return line;
}

// Other files begin with what text does not have; one that is cut short may be little more.
bool is_text(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return std::ranges::none_of(
      line, [](char c) { return (static_cast<u8>(c) < 0x20 && c != '\t') || c == 0x7f; });
}

}  // namespace

OrderText write_order(const std::vector<PlacedSymbol>& symbols, OrderFormat format) {
  bool is_script = format == OrderFormat::ld;
  OrderText order;
  // Statements before the default script's take their sections first.
  if (is_script) order.text = "SECTIONS\n{\n  .text.ordered :\n  {\n";
  for (const auto& symbol : symbols) {
    if (can_be_written(symbol, format))
      append_line(symbol, format, order.text);
    else
      ++order.left_out;
  }
  if (is_script) order.text += "  }\n}\nINSERT BEFORE .text;\n";
  return order;
}

OrderText write_call_graph(const std::vector<PlacedCall>& calls) {
  OrderText graph;
  for (const auto& call : calls) {
    if (fits_in_edge(call.from) && fits_in_edge(call.to))
      fmt::format_to(std::back_inserter(graph.text), "{} {} {}\n", call.from, call.to, call.weight);
    else
      ++graph.left_out;
  }
  return graph;
}

Result<OrderFile> read_order(std::string_view text) {
  OrderFile file;
  tsl::robin_set<std::string_view> seen;
  u64 number = 0;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    auto whole = text.substr(0, end);
    auto line = trimmed(whole.substr(0, whole.find('#')));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (!is_text(whole)) return fail("line {}: it is no text, so no order file", number);
    if (line.empty()) continue;
    // Names in files of profiles and programs have no blanks; C++ as people write it has.
    if (line.find_first_of(" \t") != line.npos)
      return fail("line {}: '{}': one symbol is wanted per line", number, line.substr(0, 60));
    auto name = symbol_of(line);
    if (seen.insert(name).second)
      file.names.push_back(name);
    else
      ++file.repeated;
  }
  if (file.names.empty()) return fail("no function is in it");
  return file;
}

namespace {

// Of a name as linkers have them: unlike a path or what is in other lists.
bool is_symbol(std::string_view word) {
  return is_text(word) && word.find_first_of("/:=,;{}()\"'") == word.npos;
}

bool is_number(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789") == word.npos;
}

// What a line is in each form.
bool is_line_of(std::string_view line, OrderFormat format) {
  std::array<std::string_view, 4> words;
  size_t count = 0;
  for (auto rest = line; !rest.empty() && count < words.size(); rest = trimmed(rest)) {
    words[count] = rest.substr(0, rest.find_first_of(" \t"));
    rest.remove_prefix(words[count++].size());
  }
  if (format == OrderFormat::call_graph)
    return count == 3 && is_symbol(words[0]) && is_symbol(words[1]) && is_number(words[2]);
  if (format == OrderFormat::gold && !line.starts_with(text_section)) return false;
  return count == 1 && is_symbol(words[0]);
}

}  // namespace

std::optional<OrderFormat> order_format_of(std::string_view text) {
  if (trimmed(text).starts_with("SECTIONS") && text.contains("INSERT")) return OrderFormat::ld;
  bool some = false;
  std::vector possible{OrderFormat::gold, OrderFormat::call_graph, OrderFormat::lld};
  while (!text.empty() && !possible.empty()) {
    size_t length = std::min(text.find('\n'), text.size());
    auto whole = text.substr(0, length);
    auto line = trimmed(whole.substr(0, whole.find('#')));
    text.remove_prefix(std::min(length + 1, text.size()));
    if (!is_text(whole)) return std::nullopt;
    if (line.empty()) continue;
    some = true;
    std::erase_if(possible, [&](OrderFormat format) { return !is_line_of(line, format); });
  }
  if (!some || possible.empty()) return std::nullopt;
  return possible.front();
}

}  // namespace pgokit::order
