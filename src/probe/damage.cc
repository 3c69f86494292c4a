#include "probe/damage.h"

#include <fmt/format.h>

#include "report/numbers.h"

namespace pgokit::probe {

std::vector<std::string> losses(const Damage& damage) {
  std::vector<std::string> found;
  if (damage.truncated)
    found.emplace_back("the probes of the program are damaged: what follows the fault is left out");
  if (damage.names)
    found.push_back(fmt::format("damaged probes: left out {} without a usable name",
                                report::counted(damage.names, "descriptor")));
  if (damage.probes)
    found.push_back(fmt::format("damaged probes: left out {} with indexes of more than 16 bits",
                                report::grouped(damage.probes)));
  if (damage.call_sites)
    found.push_back(
        fmt::format("damaged probes: {} of an index of more than 16 bits, taken as not known",
                    report::counted(damage.call_sites, "inlined call")));
  return found;
}

}  // namespace pgokit::probe
