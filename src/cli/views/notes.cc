#include "cli/views/notes.h"

#include <algorithm>

#include "base/saturated.h"
#include "base/utc_date.h"
#include "report/numbers.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

using profile::Note;
using report::Json;

std::string joined(std::initializer_list<std::string> parts) {
  std::string text;
  for (const auto& part : parts)
    if (!part.empty()) text += (text.empty() ? "" : ", ") + part;
  return text;
}

std::string with(std::string_view word, const std::string& text) {
  return text.empty() ? "" : report::format("{} {}", word, text);
}

std::string note_text(const Note& note) {
  std::string text = report::format(
      "recorded   {}\n",
      joined({note.date ? utc_text(note.date) : "at a time that is not known", note.kind,
              note.samples ? report::counted(note.samples, "sample") : ""}));
  for (const auto& line :
       {joined({with("of", note.program), with("build id", note.build_id)}),
        with("by", note.command), with("on", note.machine),
        joined({with("recorder", note.recorder), with("profile by", note.made_by)})})
    if (!line.empty()) text += report::format("           {}\n", line);
  return text;
}

}  // namespace

std::string notes_text(const profile::Notes& notes, size_t most) {
  std::string text;
  auto shown = notes.newest().first(std::min(most, notes.newest().size()));
  for (const auto& note : shown) text += note_text(note);
  u64 before = add_saturated(notes.newest().size() - shown.size(), notes.older());
  if (before)
    text += report::format("           ... and {} before\n", report::counted(before, "recording"));
  return text;
}

void add_notes(Json& json, const profile::Notes& notes) {
  Json list = Json::array();
  for (const auto& note : notes.newest()) {
    Json one = Json::object();
    auto set = [&](std::string_view key, const std::string& text) {
      if (!text.empty()) one.set(key, text);
    };
    set("date", note.date ? utc_text(note.date) : "");
    set("program", note.program);
    set("build_id", note.build_id);
    set("kind", note.kind);
    set("command", note.command);
    set("machine", note.machine);
    set("recorder", note.recorder);
    set("made_by", note.made_by);
    if (note.samples) one.set("samples", note.samples);
    list.push(std::move(one));
  }
  json.set("notes", std::move(list)).set("older_notes", notes.older());
}

}  // namespace pgokit::cli
