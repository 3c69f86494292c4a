#include "base/edit_distance.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace pgokit {

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j)
      diagonal = std::exchange(
          row[j], std::min({diagonal + (a[i - 1] != b[j - 1]), row[j] + 1, row[j - 1] + 1}));
  }
  return row.back();
}

}  // namespace pgokit
