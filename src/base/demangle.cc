#include "base/demangle.h"

#define HAVE_DECL_BASENAME 1  // or libiberty declares one, unlike the C library's
#include <fmt/format.h>
#include <libiberty/demangle.h>

#include <algorithm>
#include <csetjmp>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/flat_map.h"
#include "base/parse_number.h"
#include "base/saturated.h"

namespace pgokit {
namespace {

// Longer ones would not fit on the stack of libiberty's printer, which knows no other end.
constexpr size_t longest_cplusplus = 1024, longest_rust = 4096;
constexpr size_t most_text = 1 << 16;
constexpr u64 most_nodes = 1 << 16;

// Back references let a name of a hundred characters unfold to more than there is memory.
struct Printed {
  std::string text;
  std::jmp_buf full;
};

void take(const char* part, size_t size, void* opaque) {
  auto& printed = *static_cast<Printed*>(opaque);
  // libiberty's printers own nothing, so nothing is lost by leaving them.
  if (printed.text.size() + size > most_text) std::longjmp(printed.full, 1);
  printed.text.append(part, size);
}

template <class Print>
std::string printed_by(Print print) {
  Printed printed;
  if (setjmp(printed.full)) return "";
  return print(&printed) ? std::move(printed.text) : "";
}

// How large the tree of a name is when it is walked without remembering what back references have
// in common, as libiberty does in search of parameter packs.
class TreeSize {
 public:
  u64 of(const demangle_component* node) {
    if (!node) return 0;
    auto key = reinterpret_cast<u64>(node);
    auto [known, added] = sizes_.find_or_add(key, 0);
    if (!added) return known;
    u64 size = add_saturated(1, add_saturated(of(left(*node)), of(right(*node))));
    return sizes_[key] = size;
  }

 private:
  static bool is_leaf(const demangle_component& node) {
    switch (node.type) {
      case DEMANGLE_COMPONENT_NAME:
      case DEMANGLE_COMPONENT_TEMPLATE_PARAM:
      case DEMANGLE_COMPONENT_FUNCTION_PARAM:
      case DEMANGLE_COMPONENT_SUB_STD:
      case DEMANGLE_COMPONENT_BUILTIN_TYPE:
      case DEMANGLE_COMPONENT_EXTENDED_BUILTIN_TYPE:
      case DEMANGLE_COMPONENT_OPERATOR:
      case DEMANGLE_COMPONENT_CHARACTER:
      case DEMANGLE_COMPONENT_NUMBER:
      case DEMANGLE_COMPONENT_UNNAMED_TYPE:
        return true;
      default:
        return false;
    }
  }
  static const demangle_component* left(const demangle_component& node) {
    switch (node.type) {
      case DEMANGLE_COMPONENT_CTOR:
        return node.u.s_ctor.name;
      case DEMANGLE_COMPONENT_DTOR:
        return node.u.s_dtor.name;
      case DEMANGLE_COMPONENT_EXTENDED_OPERATOR:
        return node.u.s_extended_operator.name;
      case DEMANGLE_COMPONENT_FIXED_TYPE:
        return node.u.s_fixed.length;
      case DEMANGLE_COMPONENT_DEFAULT_ARG:
      case DEMANGLE_COMPONENT_LAMBDA:
        return node.u.s_unary_num.sub;
      default:
        return is_leaf(node) ? nullptr : node.u.s_binary.left;
    }
  }
  static const demangle_component* right(const demangle_component& node) {
    switch (node.type) {
      case DEMANGLE_COMPONENT_CTOR:
      case DEMANGLE_COMPONENT_DTOR:
      case DEMANGLE_COMPONENT_EXTENDED_OPERATOR:
      case DEMANGLE_COMPONENT_FIXED_TYPE:
      case DEMANGLE_COMPONENT_DEFAULT_ARG:
      case DEMANGLE_COMPONENT_LAMBDA:
        return nullptr;
      default:
        return is_leaf(node) ? nullptr : node.u.s_binary.right;
    }
  }

  FlatMap<u64> sizes_;  // by address
};

struct Tree {
  demangle_component* root = nullptr;
  std::unique_ptr<void, void (*)(void*)> memory{nullptr, std::free};
};

constexpr int options = DMGL_PARAMS | DMGL_ANSI | DMGL_TYPES;

// "sr1A1x" of older compilers can be read in two ways, and libiberty's callback tries the newer one
// first. The function that gives the tree leaves it to a variable that it does not set: to what the
// stack has there.
enum class Reading : u8 { older = 0, newer = 1 };

[[gnu::noinline, gnu::no_sanitize_address]] void leave_on_stack(Reading reading) {
  Reading room[2048];
  std::memset(room, static_cast<int>(reading), sizeof room);
  __asm__ volatile("" : : "r"(room) : "memory");  // somebody reads it
}

// Between the two, so that what begins a frame, which leave_on_stack() cannot fill, is this one's.
[[gnu::noinline]] demangle_component* components_of(const char* name, void** memory) {
  auto* root = cplus_demangle_v3_components(name, options, memory);
  __asm__ volatile("" : "+r"(root));  // no tail call
  return root;
}

Tree parse(const std::string& name, Reading reading) {
  Tree tree;
  void* memory = nullptr;
  const char* text = name.c_str();
  leave_on_stack(reading);
  tree.root = components_of(text, &memory);
  tree.memory.reset(memory);
  return tree;
}

std::string demangle_cplusplus(const std::string& name, ReturnType how) {
  if (name.size() > longest_cplusplus) return "";
  auto tree = parse(name, Reading::newer);
  if (!tree.root) tree = parse(name, Reading::older);
  if (!tree.root || TreeSize().of(tree.root) > most_nodes) return "";
  int shown = how == ReturnType::shown ? options : options | DMGL_RET_DROP;
  return printed_by([&](Printed* printed) {
    return cplus_demangle_print_callback(shown, tree.root, take, printed);
  });
}

bool is_base_62(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// "for<'a, 'b>" is a number in the name, FG0_ or DG0_, and libiberty counts up to it even where it
// prints nothing. Real ones have one digit.
bool has_too_many_lifetimes(std::string_view name) {
  for (size_t at = name.find('G', 1); at != name.npos; at = name.find('G', at + 1)) {
    if (name[at - 1] != 'F' && name[at - 1] != 'D') continue;
    auto digits = name.substr(at + 1);
    auto end = std::ranges::find_if_not(digits, is_base_62);
    if (end - digits.begin() > 3) return true;
  }
  return false;
}

std::string utf_8(u32 c) {
  auto part = [&](unsigned shift, u32 mark) {
    return static_cast<char>(mark | (c >> shift & 0x3f));
  };
  if (c < 0x800) return {part(6, 0xc0), part(0, 0x80)};
  if (c < 0x10000) return {static_cast<char>(0xe0 | c >> 12), part(6, 0x80), part(0, 0x80)};
  return {static_cast<char>(0xf0 | c >> 18), part(12, 0x80), part(6, 0x80), part(0, 0x80)};
}

// "gr$uf6$$udf$e": in older names libiberty leaves letters beyond ASCII as they are.
std::string with_letters(std::string_view text) {
  constexpr u32 first = 0xa0, surrogates = 0xd800, after_surrogates = 0xe000, last = 0x10ffff;
  std::string out;
  while (!text.empty()) {
    auto at = std::min(text.find("$u"), text.size());
    out += text.substr(0, at);
    text.remove_prefix(at);
    auto digits = text.substr(std::min<size_t>(text.size(), 2));
    auto end = digits.find('$');
    u32 letter = 0;
    bool known = end <= 6 && parse_number(digits.substr(0, end), letter, 16) && letter >= first &&
                 letter <= last && (letter < surrogates || letter >= after_surrogates);
    size_t size = known ? end + 3 : std::min<size_t>(text.size(), 1);
    out += known ? utf_8(letter) : std::string(text.substr(0, size));
    text.remove_prefix(size);
  }
  return out;
}

std::string demangle_rust(const std::string& name) {
  if (name.size() > longest_rust || has_too_many_lifetimes(name)) return "";
  auto text = printed_by(
      [&](Printed* printed) { return rust_demangle_callback(name.c_str(), 0, take, printed); });
  return name.starts_with("_ZN") ? with_letters(text) : text;
}

// libiberty gives the whole text at once. Each back reference repeats what may hold others, so a few
// of them are as many as memory is certain to have room for.
std::string demangle_d(const std::string& name) {
  constexpr std::ptrdiff_t most_references = 24;
  if (name.size() > longest_cplusplus || std::ranges::count(name, 'Q') > most_references) return "";
  std::unique_ptr<char, void (*)(void*)> text(dlang_demangle(name.c_str(), options), std::free);
  if (!text || strnlen(text.get(), most_text) == most_text) return "";
  return text.get();
}

// Behind "17h" and 16 hexadecimal digits; npos in other names. These have dots of their own.
size_t end_of_old_rust(std::string_view name) {
  constexpr std::string_view mark = "17h";
  constexpr size_t digits = 16;
  for (size_t at = name.find(mark); at != name.npos; at = name.find(mark, at + 1)) {
    auto hash = name.substr(at + mark.size());
    if (hash.size() > digits && hash[digits] == 'E' &&
        hash.substr(0, digits).find_first_not_of("0123456789abcdef") == hash.npos)
      return at + mark.size() + digits + 1;
  }
  return name.npos;
}

// The length of ".__uniq.17" at the front of `suffixes`; else 0.
size_t dropped_size(std::string_view suffixes) {
  for (std::string_view mark : {".__uniq.", ".llvm."}) {
    if (!suffixes.starts_with(mark)) continue;
    auto end = std::min(suffixes.find_first_not_of("0123456789", mark.size()), suffixes.size());
    bool whole = end > mark.size() && (end == suffixes.size() || suffixes[end] == '.');
    return whole ? end : 0;
  }
  return 0;
}

struct Suffixes {
  std::string kept, dropped;
};

Suffixes suffixes_of(std::string_view name) {
  Suffixes result;
  for (auto rest = name.substr(core_size(name)); !rest.empty();) {
    size_t dropped = dropped_size(rest);
    size_t size = dropped ? dropped : std::min(rest.find('.', 1), rest.size());
    (dropped ? result.dropped : result.kept).append(rest.substr(0, size));
    rest.remove_prefix(size);
  }
  return result;
}

}  // namespace

size_t core_size(std::string_view name) {
  size_t rust = name.starts_with("_ZN") ? end_of_old_rust(name) : name.npos;
  return rust != name.npos ? rust : std::min(name.find('.', 1), name.size());
}

std::string demangle(std::string_view name, ReturnType how) {
  bool cplusplus = name.starts_with("_Z");
  bool d = name.starts_with("_D");
  if (!cplusplus && !d && !name.starts_with("_R")) return std::string(name);
  size_t end = core_size(name);
  std::string core(name.substr(0, end)), plain = d ? demangle_d(core) : demangle_rust(core);
  if (plain.empty() && cplusplus) plain = demangle_cplusplus(core, how);
  return plain.empty() ? std::string(name) : plain.append(name.substr(end));
}

std::string plain_name(std::string_view name, ReturnType how) {
  return demangle(name.substr(0, core_size(name)), how) + suffixes_of(name).kept;
}

std::string dropped_suffixes(std::string_view name) {
  size_t rust = name.starts_with("_ZN") ? end_of_old_rust(name) : name.npos;
  constexpr size_t hash = 17;  // with its h, in front of the E
  std::string text =
      rust == name.npos ? "" : fmt::format("::{}", name.substr(rust - hash - 1, hash));
  return text + suffixes_of(name).dropped;
}

}  // namespace pgokit
