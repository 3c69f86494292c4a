#include "annotate/source_folder.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/cursor.h"
#include "base/file.h"

namespace pgokit::annotate {
namespace {

namespace fs = std::filesystem;

constexpr size_t largest_source = size_t{16} << 20;

bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '~';
}
bool continues_name(char c) { return begins_name(c) || (c >= '0' && c <= '9'); }

bool is_source(const std::string& extension) {
  constexpr std::array<std::string_view, 11> known = {".c",   ".cc",  ".cpp", ".cxx", ".h", ".hh",
                                                      ".hpp", ".hxx", ".inc", ".ipp", ".m"};
  return std::ranges::count(known, extension) > 0;
}

// A name, a number, or one other character; "::" is one token.
struct Token {
  std::string_view text = {};  // empty: the end
  u32 line = 0;

  bool is(std::string_view what) const { return text == what; }
  bool is_name() const { return !text.empty() && begins_name(text.front()); }
};

class Tokens {
 public:
  // No more than `budget` bytes are gone through by it and its copies: then the text ends.
  Tokens(std::string_view text, size_t& budget) : text_(text), budget_(&budget) {}

  Token next() {
    size_t before = at_;
    auto token = read();
    size_t taken = at_ - before;
    if (taken > *budget_) at_ = text_.size();
    *budget_ -= std::min(taken, *budget_);
    return token;
  }

 private:
  Token read() {
    skip_others();
    if (at_ >= text_.size()) return {{}, line_};
    size_t begin = at_++;
    if (continues_name(text_[begin]))
      while (at_ < text_.size() && continues_name(text_[at_])) ++at_;
    else if (text_.substr(begin, 2) == "::")
      ++at_;
    return {text_.substr(begin, at_ - begin), line_};
  }

  void step() {
    line_ += text_[at_] == '\n';
    ++at_;
  }
  void skip_line() {
    while (at_ < text_.size() && text_[at_] != '\n') {
      if (text_[at_] == '\\') step();
      if (at_ < text_.size()) step();
    }
  }
  void skip_past(std::string_view end) {
    size_t found = text_.find(end, at_);
    size_t stop = found == text_.npos ? text_.size() : found + end.size();
    while (at_ < stop) step();
  }
  void skip_quoted(char quote) {
    for (step(); at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n';) {
      if (text_[at_] == '\\') step();
      if (at_ < text_.size()) step();
    }
    if (at_ < text_.size()) step();
  }
  // R"mark(...)mark"
  void skip_raw() {
    size_t open = text_.find('(', at_);
    if (open == text_.npos) return skip_past("\n");
    std::string end = ")" + std::string(text_.substr(at_ + 2, open - at_ - 2)) + "\"";
    skip_past(end);
  }

  void skip_others() {
    while (at_ < text_.size()) {
      auto rest = text_.substr(at_);
      char c = rest.front();
      if (c == '\n')
        step(), at_line_start_ = true;
      else if (c == ' ' || c == '\t' || c == '\r' || c == '\f')
        step();
      else if ((c == '#' && at_line_start_) || rest.starts_with("//"))
        skip_line();
      else if (rest.starts_with("/*"))
        at_ += 2, skip_past("*/");
      else if (rest.starts_with("R\""))
        skip_raw();
      else if (c == '"' || c == '\'')
        skip_quoted(c);
      else
        break;
    }
    at_line_start_ = false;
  }

  std::string_view text_;
  size_t* budget_;
  size_t at_ = 0;
  u32 line_ = 1;
  bool at_line_start_ = true;
};

// What stands between an opening bracket, which was read, and its counterpart. The last token.
Token skip_balanced(Tokens& tokens, std::string_view open, std::string_view close) {
  Token token;
  for (size_t depth = 1; depth > 0;) {
    token = tokens.next();
    if (token.text.empty()) break;
    if (token.is(open)) ++depth;
    if (token.is(close)) --depth;
  }
  return token;
}

// After the name of a function: whether parameters and a body follow, and the line of its end.
// The tokens are a copy: bodies are gone through for other definitions, too.
u32 end_of_definition(Tokens tokens) {
  if (!tokens.next().is("(")) return 0;
  skip_balanced(tokens, "(", ")");
  bool initializers = false;
  Token before;
  constexpr size_t most_tokens = 4000;
  for (size_t i = 0; i < most_tokens; ++i) {
    Token token = tokens.next();
    if (token.is("{")) {
      // A member that is initialized by braces.
      if (!initializers || !before.is_name()) return skip_balanced(tokens, "{", "}").line;
      token = skip_balanced(tokens, "{", "}");
    } else if (token.is("(")) {
      token = skip_balanced(tokens, "(", ")");
    } else if (token.is(":")) {
      initializers = true;
    } else if (token.text.empty() || token.is(";") || token.is("=") || token.is(")") ||
               token.is("}") || token.is("?") || (token.is(",") && !initializers)) {
      return 0;
    }
    before = token;
  }
  return 0;
}

}  // namespace

void find_definitions(std::string_view text, const std::string& file,
                      const std::set<std::string, std::less<>>& names, Definitions& found) {
  // Bodies are gone through for their end, and again for what is in them.
  size_t budget = 16 * text.size();
  Tokens tokens(text, budget);
  std::string scope;
  bool goes_on = false;  // the last token was "::"
  for (Token token = tokens.next(); !token.text.empty(); token = tokens.next()) {
    if (token.is("::")) {
      goes_on = true;
      continue;
    }
    if (!token.is_name()) {
      scope.clear(), goes_on = false;
      continue;
    }
    if (!goes_on) scope.clear();
    goes_on = false;
    if (names.contains(token.text))
      if (u32 last = end_of_definition(tokens))
        found[std::string(token.text)].push_back({file, scope, token.line, last});
    scope += (scope.empty() ? "" : "::") + std::string(token.text);
  }
}

Result<SourceFolder> SourceFolder::open(const std::string& path) {
  SourceFolder folder;
  std::error_code error;
  fs::recursive_directory_iterator at(path, error), end;
  for (; !error && at != end; at.increment(error)) {
    auto name = at->path().filename().string();
    std::error_code unreadable;
    if (at->is_directory(unreadable) && name.starts_with(".")) at.disable_recursion_pending();
    if (!is_source(at->path().extension().string())) continue;
    if (folder.files_.size() == most_files)
      return fail("{}: more than {} sources are in it: name a folder further down", path,
                  most_files);
    folder.files_.push_back(at->path().string());
  }
  if (error) return fail("{}: {}", path, error.message());
  if (folder.files_.empty()) return fail("{}: no sources of C or C++ are in it", path);
  std::ranges::sort(folder.files_);
  return folder;
}

Definitions SourceFolder::definitions(const std::set<std::string, std::less<>>& names) const {
  Definitions found;
  for (const auto& path : files_) {
    auto file = MappedFile::open_regular(path);
    if (!file || file->bytes().size() > largest_source) continue;
    find_definitions(as_text(file->bytes()), path, names, found);
  }
  return found;
}

}  // namespace pgokit::annotate
