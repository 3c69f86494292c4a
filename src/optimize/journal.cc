#include "optimize/journal.h"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/file.h"
#include "measure/run.h"

namespace pgokit::optimize {
namespace {

constexpr std::string_view head = "pgokit journal 1\n";

// Tabs and line ends separate.
std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '\\' || c == '\t' || c == '\n') out += '\\';
    out += c == '\t' ? 't' : c == '\n' ? 'n' : c;
  }
  return out;
}

std::string unescaped(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    bool escape = text[i] == '\\' && i + 1 < text.size();
    char c = escape ? text[++i] : text[i];
    out += escape && c == 't' ? '\t' : escape && c == 'n' ? '\n' : c;
  }
  return out;
}

}  // namespace

Result<Journal> Journal::parse(std::string_view text) {
  Journal journal;
  if (!text.starts_with(head)) return fail("it is no journal of pgokit");
  text.remove_prefix(head.size());
  for (size_t line = 2; !text.empty(); ++line) {
    auto rest = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), rest.size() + 1));
    if (std::ranges::count(rest, '\t') != 2)
      return fail("line {} is not one of pgokit's journals", line);
    std::array<std::string, 3> fields;
    for (auto& field : fields) {
      auto written = rest.substr(0, rest.find('\t'));
      rest.remove_prefix(std::min(rest.size(), written.size() + 1));
      field = unescaped(written);
    }
    journal.entries_.emplace_back(fields[0], fields[1], fields[2]);
  }
  return journal;
}

Result<Journal> Journal::read(const std::string& path) {
  Journal journal;
  if (access(path.c_str(), F_OK) == 0) {
    auto file = TRY(MappedFile::open_regular(path));
    auto bytes = file.bytes();
    journal = TRY_IN(path, parse({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
  }
  journal.path_ = path;
  return journal;
}

std::optional<std::string> Journal::done(std::string_view step, std::string_view words) {
  if (next_ < entries_.size() && entries_[next_].step == step && entries_[next_].words == words)
    return entries_[next_++].result;
  entries_.resize(next_);
  return std::nullopt;
}

Status Journal::add(std::string_view step, std::string_view words, std::string_view result) {
  entries_.emplace_back(std::string(step), std::string(words), std::string(result));
  next_ = entries_.size();
  return write();
}

Status Journal::write() const {
  auto out = TRY(OutputFile::create(path_));
  out.write(text());
  return out.commit();
}

bool Journal::has(std::string_view step) const {
  return std::ranges::count(entries_, step, &Entry::step) > 0;
}

Error to_go_on(Error error) {
  if (error.exit_code == measure::interrupted)
    error.message += "; the same command goes on where it stopped";
  return error;
}

std::string Journal::text() const {
  std::string text(head);
  for (const auto& entry : entries_)
    text += fmt::format("{}\t{}\t{}\n", escaped(entry.step), escaped(entry.words),
                        escaped(entry.result));
  return text;
}

}  // namespace pgokit::optimize
