#include "profile/model/notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/parse_number.h"
#include "base/saturated.h"
#include "base/utc_date.h"

namespace pgokit::profile {
namespace {

constexpr std::string_view date_key = "date", samples_key = "samples", older_key = "older";

struct TextPart {
  std::string_view key;
  std::string Note::* text;
};
constexpr TextPart text_parts[] = {
    {"program", &Note::program}, {"build-id", &Note::build_id}, {"kind", &Note::kind},
    {"command", &Note::command}, {"machine", &Note::machine},   {"recorder", &Note::recorder},
    {"made-by", &Note::made_by},
};

void append_encoded(std::string& out, std::string_view text) {
  for (char c : text) {
    if (c > ' ' && c <= '~' && c != '%')
      out += c;
    else
      out += fmt::format("%{:02x}", static_cast<u8>(c));
  }
}

// A % that no two digits follow stands for itself.
std::string decoded(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size() && out.size() < Notes::longest_text; ++i) {
    u8 byte = 0;
    if (text[i] == '%' && i + 2 < text.size() && parse_number(text.substr(i + 1, 2), byte, 16)) {
      out += static_cast<char>(byte);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

void append_part(std::string& out, std::string_view key, std::string_view text) {
  if (text.empty()) return;
  if (!out.empty()) out += ' ';
  out += key;
  out += '=';
  append_encoded(out, text);
}

std::string line_of(const Note& note) {
  std::string line;
  append_part(line, date_key, note.date ? utc_text(note.date) : "");
  for (const auto& [key, text] : text_parts) append_part(line, key, note.*text);
  append_part(line, samples_key, note.samples ? std::to_string(note.samples) : "");
  return line;
}

void read_part(std::string_view key, std::string_view value, Note& note) {
  if (key == date_key) {
    note.date = parse_utc(value).value_or(0);
    return;
  }
  if (key == samples_key) {
    if (!parse_number(value, note.samples)) note.samples = 0;
    return;
  }
  for (const auto& [known, text] : text_parts)
    if (key == known) note.*text = decoded(value);
}

}  // namespace

void Notes::add(Note note) {
  for (const auto& part : text_parts)
    if (auto& text = note.*part.text; text.size() > longest_text) text.resize(longest_text);
  note.date = std::min(note.date, latest_date);
  // One of which nothing is known could not be written.
  if (note == Note()) {
    older_ = add_saturated(older_, 1);
    return;
  }
  kept_.insert(std::ranges::upper_bound(kept_, note, std::ranges::greater()), std::move(note));
  if (kept_.size() <= most_kept) return;
  kept_.pop_back();
  older_ = add_saturated(older_, 1);
}

void Notes::add(const Notes& more) {
  for (const auto& note : more.kept_) add(note);
  older_ = add_saturated(older_, more.older_);
}

std::string Notes::text(std::string_view prefix) const {
  std::string text;
  for (const auto& note : kept_) text += fmt::format("{}{}\n", prefix, line_of(note));
  if (older_) text += fmt::format("{}{}={}\n", prefix, older_key, older_);
  return text;
}

void Notes::read_line(std::string_view line) {
  Note note;
  while (!line.empty()) {
    auto word = line.substr(0, line.find(' '));
    line.remove_prefix(std::min(word.size() + 1, line.size()));
    size_t equal = word.find('=');
    if (equal == word.npos) continue;
    auto key = word.substr(0, equal), value = word.substr(equal + 1);
    if (u64 more = 0; key == older_key && parse_number(value, more))
      older_ = add_saturated(older_, more);
    else
      read_part(key, value, note);
  }
  if (note != Note()) add(std::move(note));
}

}  // namespace pgokit::profile
