// Any ELF file as a program for BOLT: its functions, stubs, blocks and jump tables.
#include <algorithm>
#include <cstdlib>

#include "bolt/fdata.h"
#include "bolt/loads.h"
#include "bolt/profile.h"

using namespace pgokit;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto file = object::File::parse({data, size});
  if (!file || !bolt::check_program(*file)) return 0;
  auto functions = bolt::Functions::of(*file);
  bolt::Traces traces;
  u64 last = 0;
  for (const auto& function : functions.all()) {
    if (function.room < function.size || function.address < last) abort();
    last = function.address;
    if (traces.list.size() > 256) break;
    traces.list.push_back(
        {samples::external, {function.address}, {function.address + function.size / 2}, 1});
    traces.list.push_back({{function.address + function.size / 2},
                           {function.address + 1},
                           {function.address + function.size - 1},
                           1});
  }
  traces.normalize();
  auto profile = bolt::branch_profile(*file, functions, traces, 1);
  size_t bytes = 0;
  bolt::write_fdata(profile, functions, [&](std::string_view part) { bytes += part.size(); });
  bolt::DataObjects objects(*file, functions);
  std::vector<bolt::Load> loads;
  for (const auto& object : functions.data().first(std::min<size_t>(functions.data().size(), 256)))
    loads.push_back({{last}, {object.end - 1}, 1});
  for (const auto& row : bolt::load_profile(functions, objects, loads))
    if (objects.name(row.object).empty()) abort();
  return 0;
}
