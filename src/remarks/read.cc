#include "remarks/read.h"

#include "base/cursor.h"
#include "remarks/bitstream.h"
#include "remarks/yaml.h"

namespace pgokit::remarks {

std::string_view name_of(Kind kind) {
  constexpr std::string_view names[kinds] = {
      "Unknown",           "Passed",           "Missed", "Analysis",
      "AnalysisFPCommute", "AnalysisAliasing", "Failure"};
  return names[static_cast<size_t>(kind)];
}

bool recognizes(Bytes file) { return is_bitstream(file) || is_yaml(file); }

Status each_remark(Bytes file, const Visitor& visit) {
  if (file.empty()) return {};
  if (is_bitstream(file)) return each_of_bitstream(file, visit);
  if (is_yaml(file)) return each_of_yaml(file, visit);
  return fail("has no remarks: clang writes them with -fsave-optimization-record");
}

bool is_remarks_name(std::string_view name) {
  return (name.contains(".opt.") || name.contains("-opt.ld.")) &&
         (name.ends_with(".yaml") || name.ends_with(".bitstream"));
}

}  // namespace pgokit::remarks
