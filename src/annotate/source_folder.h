#pragma once

// Where functions are defined in a folder with sources of C and C++: for profiles without their
// program, whose debug information would tell it.
//
//   auto folder = TRY(SourceFolder::open("src"));
//   auto found = folder.definitions({"next", "main"});
//   for (const Definition& one : found["next"]) use(one.file, one.line, one.last);
//
// It looks for a name, its parameters and a body, with comments, strings and directives left out.
// What macros put together is not found, nor are operators.

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace pgokit::annotate {

struct Definition {
  std::string file;
  std::string scope;  // as written in front of the name: "ns::Parser" of ns::Parser::next
  u32 line = 0;       // of the name
  u32 last = 0;       // of its body
  bool operator==(const Definition&) const = default;
};

using Definitions = std::map<std::string, std::vector<Definition>, std::less<>>;

class SourceFolder {
 public:
  static constexpr size_t most_files = 50'000;

  // Folders whose names begin with a dot are left out.
  static Result<SourceFolder> open(const std::string& path);

  // By name, without scopes; in the order of the files.
  Definitions definitions(const std::set<std::string, std::less<>>& names) const;

 private:
  std::vector<std::string> files_;
};

// Of one text; `file` is only noted.
void find_definitions(std::string_view text, const std::string& file,
                      const std::set<std::string, std::less<>>& names, Definitions& found);

}  // namespace pgokit::annotate
