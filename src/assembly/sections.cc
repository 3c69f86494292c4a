#include "assembly/sections.h"

#include <algorithm>
#include <array>

namespace pgokit::assembly {
namespace {

// Directives that enter the section of their name.
constexpr std::array<std::string_view, 7> short_forms = {
    ".text", ".data", ".bss", ".rodata", ".tdata", ".tbss", ".data.rel.ro"};

// COFF: which of several sections with one COMDAT symbol the linker takes.
constexpr std::array<std::string_view, 7> selections = {
    "one_only", "discard", "same_size", "same_contents", "associative", "largest", "newest"};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && static_cast<u8>(text.front()) <= ' ') text.remove_prefix(1);
  while (!text.empty() && static_cast<u8>(text.back()) <= ' ') text.remove_suffix(1);
  return text;
}

// The text before the next comma that is in no string; takes it and the comma off `rest`.
std::string_view take_argument(std::string_view& rest) {
  bool quoted = false;
  size_t i = 0;
  for (; i < rest.size() && (quoted || rest[i] != ','); ++i) {
    if (rest[i] == '"') quoted = !quoted;
    if (rest[i] == '\\' && quoted) ++i;
  }
  i = std::min(i, rest.size());
  std::string_view argument = trimmed(rest.substr(0, i));
  rest.remove_prefix(std::min(i + 1, rest.size()));
  return argument;
}

// No assembler takes a string without end.
bool ends_in_string(std::string_view text) {
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (text[i] == '\\' && quoted) ++i;
  }
  return quoted;
}

bool is_or_extends(std::string_view name, std::string_view prefix) {
  return name.starts_with(prefix) && (name.size() == prefix.size() || name[prefix.size()] == '.');
}

// What a section without flags holds, by its name.
Content usual_content(std::string_view name) {
  for (std::string_view code : {".text", ".init", ".fini"})
    if (is_or_extends(name, code)) return Content::code;
  for (std::string_view data : {".data", ".bss", ".rodata", ".tdata", ".tbss", ".note", ".comment",
                                ".eh_frame", ".pseudo_probe", ".pseudo_probe_desc"})
    if (is_or_extends(name, data)) return Content::other;
  return name.starts_with(".debug_") ? Content::other : Content::unknown;
}

struct Arguments {
  std::string_view name, flags, type, entry_size;
  std::string_view rest;  // linked section, group, unique number: with the name what tells it apart
  std::string_view group;
};

// Everything behind the flags is optional, in an order that the flags decide.
Arguments parse_arguments(std::string_view operands, bool pushes) {
  Arguments out;
  out.name = take_argument(operands);
  std::string_view flags = take_argument(operands);
  if (pushes && !flags.starts_with('"') && !flags.starts_with('@')) flags = take_argument(operands);
  out.flags = without_quotes(flags);
  if (out.flags.empty()) return out;
  out.type = take_argument(operands);
  if (out.flags.contains('M')) out.entry_size = take_argument(operands);
  out.rest = trimmed(operands);
  if (std::ranges::find(selections, out.type) != selections.end()) {
    out.group = take_argument(operands);
    return out;
  }
  if (!out.flags.contains('G')) return out;
  std::string_view rest = out.rest;
  if (out.flags.contains('o')) take_argument(rest);
  std::string_view name = take_argument(rest), after = rest;
  out.group = name;
  if (take_argument(after) == "comdat")
    out.group = {name.data(), static_cast<size_t>(after.data() - name.data())};
  if (out.group.ends_with(',')) out.group.remove_suffix(1);
  return out;
}

Content content_of(const Arguments& arguments) {
  if (arguments.flags.empty()) return usual_content(without_quotes(arguments.name));
  bool numeric = arguments.flags[0] >= '0' && arguments.flags[0] <= '9';
  if (numeric) return Content::unknown;
  return arguments.flags.contains('x') ? Content::code : Content::other;
}

}  // namespace

SectionTracker::SectionTracker() { now_.section = now_.previous = named(".text"); }

u32 SectionTracker::find_or_add(const std::string& identity, Section section) {
  auto [place, added] = by_identity_.try_emplace(identity, static_cast<u32>(sections_.size()));
  if (added) sections_.push_back(std::move(section));
  return place->second;
}

u32 SectionTracker::named(std::string_view name) {
  return find_or_add(std::string(name) + '\n', {name, std::string(name), {}, usual_content(name)});
}

u32 SectionTracker::described(std::string_view operands, bool pushes) {
  if (ends_in_string(operands)) return now_.section;
  Arguments arguments = parse_arguments(operands, pushes);
  std::string rest(arguments.rest), flags(arguments.flags);
  // '?': in the group of the section that is left now.
  if (size_t mark = flags.find('?'); mark != std::string::npos) {
    flags.erase(mark, 1);
    arguments.group = sections_[now_.section].group;
    if (!arguments.group.empty()) {
      flags += 'G';
      rest =
          rest.empty() ? std::string(arguments.group) : std::string(arguments.group) + ',' + rest;
    }
  }
  std::string_view name = without_quotes(arguments.name);
  std::string identity = std::string(name) + '\n' + rest;
  Section section{name, ".section ", arguments.group, content_of(arguments)};
  section.directive += arguments.name;
  if (!flags.empty()) section.directive += ",\"" + flags + "\"";
  for (std::string_view more : {arguments.type, arguments.entry_size, std::string_view(rest)})
    if (!more.empty()) section.directive.append(",").append(more);
  return find_or_add(identity, std::move(section));
}

bool SectionTracker::apply(const Statement& statement) {
  std::string_view name = statement.name;
  // All of them begin so; most directives do not.
  if (name.size() < 4 || !std::string_view("tTsSpPdDbBrR").contains(name[1])) return false;
  if (apply_section(statement)) return true;
  if (is_directive(name, ".def")) format_ = ObjectFormat::coff;
  if (is_directive(name, ".build_version") || is_directive(name, ".subsections_via_symbols"))
    format_ = ObjectFormat::mach_o;
  return false;
}

bool SectionTracker::apply_section(const Statement& statement) {
  std::string_view name = statement.name;
  if (is_directive(name, ".section") || is_directive(name, ".sect")) {
    enter(described(statement.operands, false));
  } else if (is_directive(name, ".pushsection")) {
    pushed_.push_back(now_);
    enter(described(statement.operands, true));
  } else if (is_directive(name, ".popsection")) {
    if (pushed_.empty()) return true;  // for the assembler to say
    now_ = pushed_.back();
    pushed_.pop_back();
  } else if (is_directive(name, ".previous")) {
    std::swap(now_.section, now_.previous);
  } else if (is_directive(name, ".subsection")) {
    enter(now_.section);
  } else {
    auto found =
        std::ranges::find_if(short_forms, [&](auto form) { return is_directive(name, form); });
    if (found == short_forms.end()) return false;
    enter(named(*found));
  }
  return true;
}

}  // namespace pgokit::assembly
