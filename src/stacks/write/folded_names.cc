#include "stacks/write/folded_names.h"

#include <fmt/format.h>

#include <algorithm>

namespace pgokit::stacks {
namespace {

// A function without the types of its arguments: "f(int)" is "f". What is in parentheses for
// another reason stays: anonymous namespaces, types in templates, which stackcollapse-perf.pl cuts
// in two, and receivers in Go ("net.(*conn).Read").
std::string without_arguments(std::string name) {
  constexpr std::string_view anonymous = "(anonymous namespace)";
  size_t receiver = name.find(".(");
  if (receiver != name.npos && name.find(").", receiver) != name.npos) return name;
  int depth = 0;
  for (size_t at = 0; at < name.size(); ++at) {
    depth += (name[at] == '<') - (name[at] == '>');
    if (name[at] == '(' && depth == 0 && at != 0 &&
        !std::string_view(name).substr(at).starts_with(anonymous))
      return name.substr(0, at);
  }
  return name;
}

std::string tidy(std::string name, bool is_java) {
  name = without_arguments(std::move(name));
  std::erase_if(name, [](char c) { return c == '"' || c == '\''; });
  for (char& c : name)
    if (c == ';')
      c = ':';
    else if (c == '\n' || c == '\r' || c == '\0')
      c = ' ';
  if (is_java && name.starts_with('L') && name.contains('/')) name.erase(0, 1);
  return name;
}

}  // namespace

NameId FoldedNames::root(const Track& track) {
  std::string name(stacks_.names.text(track.name));
  for (char& c : name)
    if (c == ';')
      c = ':';
    else if (c == ' ' || c == '\n' || c == '\r' || c == '\0')
      c = '_';
  auto pid = track.knows_pid ? std::to_string(track.pid) : "?";
  if (options_.root == FoldedRoot::process) name += "-" + pid;
  if (options_.root == FoldedRoot::thread) name += "-" + pid + "/" + std::to_string(track.tid);
  return names_.intern(name);
}

std::span<const NameId> FoldedNames::of(u32 location, bool is_java) {
  auto& made = made_[is_java];
  if (made.empty()) made.resize(stacks_.locations.size());
  auto& part = made[location];
  if (part.size == 0) {
    part.first = static_cast<u32>(list_.size());
    bool is_inlined = false;
    for (const auto& frame : stacks_.frames_of(location)) {
      add_frame(frame, stacks_.locations[location], is_inlined, is_java);
      is_inlined = true;
    }
    part.size = static_cast<u32>(list_.size()) - part.first;
  }
  return std::span<const NameId>(list_).subspan(part.first, part.size);
}

// Just-in-time compilers name what they inlined too: "caller->callee".
void FoldedNames::add_frame(const Frame& frame, const Location& at, bool is_inlined, bool is_java) {
  if (stacks_.names.text(frame.function).empty()) return add_name(nameless(at), at, is_inlined);
  std::string name = stacks_.shown_name(frame, at);
  std::string_view rest = name;
  for (size_t arrow = rest.find("->"); arrow != rest.npos; arrow = rest.find("->")) {
    add_name(tidy(std::string(rest.substr(0, arrow)), is_java), at, is_inlined);
    is_inlined = true;
    rest.remove_prefix(arrow + 2);
  }
  add_name(tidy(std::string(rest), is_java), at, is_inlined);
}

std::string FoldedNames::nameless(const Location& at) const {
  auto module = stacks_.modules[at.module].name();
  if (module.starts_with('[') && module.ends_with(']'))
    module = module.substr(1, module.size() - 2);
  auto name = tidy(std::string(module.empty() ? "unknown" : module), false);
  return options_.addresses ? fmt::format("[{} <{:x}>]", name, at.address) : "[" + name + "]";
}

void FoldedNames::add_name(std::string name, const Location& at, bool is_inlined) {
  if (options_.marks && is_inlined)
    name += "_[i]";
  else if (options_.marks && at.code == Code::kernel)
    name += "_[k]";
  else if (options_.marks && at.code == Code::generated)
    name += "_[j]";
  list_.push_back(names_.intern(name));
}

}  // namespace pgokit::stacks
