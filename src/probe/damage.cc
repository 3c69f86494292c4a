#include "probe/damage.h"

#include <fmt/format.h>

namespace pgokit::probe {

std::vector<std::string> losses(const Damage& damage) {
  std::vector<std::string> found;
  if (damage.truncated)
    found.emplace_back("the probes of the program are damaged: what follows the fault is left out");
  if (damage.names)
    found.push_back(fmt::format("damaged probes: left out {} descriptor{} without a usable name",
                                damage.names, damage.names == 1 ? "" : "s"));
  if (damage.probes)
    found.push_back(fmt::format("damaged probes: left out {} with indexes of more than 16 bits",
                                damage.probes));
  if (damage.call_sites)
    found.push_back(fmt::format(
        "damaged probes: {} inlined call{} of an index of more than 16 bits, taken as not known",
        damage.call_sites, damage.call_sites == 1 ? "" : "s"));
  return found;
}

}  // namespace pgokit::probe
