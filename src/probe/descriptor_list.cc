#include "probe/descriptor_list.h"

#include <algorithm>

#include "base/function_name.h"
#include "base/parse_number.h"

namespace pgokit::probe {
namespace {

std::string_view take_line(std::string_view& rest) {
  size_t end = std::min(rest.find('\n'), rest.size());
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string_view take_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  std::string_view word = line.substr(0, line.find_first_of(" \t"));
  line.remove_prefix(word.size());
  return word;
}

}  // namespace

Result<std::vector<Descriptor>> parse_descriptors(std::string_view text, std::string_view name) {
  std::vector<Descriptor> list;
  for (u64 number = 1; !text.empty(); ++number) {
    std::string_view rest = take_line(text);
    std::string_view guid = take_word(rest), hash = take_word(rest);
    if (guid.empty() && !list.empty()) break;
    Descriptor one;
    if (!parse_number(guid, one.guid)) continue;
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    one.name = rest;
    if (!parse_number(hash, one.hash) || one.name.empty())
      return fail("{}:{}: it is not GUID HASH NAME", name, number);
    if (function_guid(one.name) != one.guid)
      return fail(
          "{}:{}: {} is not the GUID of '{}'; names are to be those of the file: pgokit "
          "probes dump --mangled",
          name, number, one.guid, one.name);
    list.push_back(one);
  }
  std::ranges::sort(list, {}, &Descriptor::guid);
  if (list.empty()) return fail("{}: it has no descriptors, lines of GUID HASH NAME", name);
  return list;
}

}  // namespace pgokit::probe
