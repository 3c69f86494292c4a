#include "perf/build_ids.h"

#include <fmt/format.h>

#include <algorithm>

namespace pgokit::perf {
namespace {

constexpr std::string_view kernel_name = "[kernel.kallsyms]";

// "snd_hda_intel" of "[snd_hda_intel]" and of "/lib/.../snd-hda-intel.ko.xz"; empty for what is no
// module.
std::string module_name(std::string_view path) {
  std::string_view name = path.substr(path.rfind('/') + 1);
  bool bracketed = name.size() > 2 && name.front() == '[' && name.back() == ']';
  if (bracketed) name = name.substr(1, name.size() - 2);
  for (std::string_view packed : {".gz", ".xz", ".zst"})
    if (name.ends_with(packed)) name.remove_suffix(packed.size());
  bool is_object = name.ends_with(".ko");
  if (is_object) name.remove_suffix(3);
  if (!is_object && !bracketed) return {};
  std::string module(name);
  std::ranges::replace(module, '-', '_');  // as the kernel spells them
  return module;
}

bool is_kernel_image(const BuildId& entry) {
  std::string_view name = entry.path.substr(entry.path.rfind('/') + 1);
  return name.starts_with("vmlinu") ||
         (entry.mode == misc::kernel && module_name(entry.path).empty());
}

}  // namespace

std::string hex(Bytes id) {
  std::string text;
  for (u8 byte : id) text += fmt::format("{:02x}", byte);
  return text;
}

bool is_kernel(std::string_view path) {
  if (!path.starts_with(kernel_name)) return false;
  path.remove_prefix(kernel_name.size());
  return path.empty() || path == "_stext" || path == "_text";
}

BuildIds::BuildIds(const std::vector<BuildId>& list) {
  for (const auto& entry : list) {
    by_path_.try_emplace(entry.path, entry.id);
    if (is_kernel(entry.path)) {
      kernel_ = entry.id;
      continue;
    }
    auto module = module_name(entry.path);
    if (!module.empty())
      modules_.try_emplace(std::move(module), entry.id);
    else if (kernel_.empty() && is_kernel_image(entry))
      kernel_ = entry.id;
  }
}

Bytes BuildIds::of(std::string_view path) const {
  if (is_kernel(path)) return kernel_;
  auto listed = by_path_.find(path);
  if (listed != by_path_.end()) return listed->second;
  auto module = modules_.find(module_name(path));
  return module == modules_.end() ? Bytes{} : module->second;
}

}  // namespace pgokit::perf
