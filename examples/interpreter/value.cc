#include "value.h"

#include <cstdio>

namespace sprig {
namespace {

std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15u;
  return x ^ (x >> 29);
}

std::uint64_t hash_of(const Value& key) {
  switch (key.kind()) {
    case Kind::text:
      return key.as<Text>().hash();
    case Kind::integer:
    case Kind::boolean:
      return mix(static_cast<std::uint64_t>(key.integer()));
    default:
      return 0;
  }
}

std::string list_text(const List& list) {
  std::string out = "[";
  for (const auto& item : list.items) {
    if (out.size() > 1) out += ", ";
    out += to_text(item);
  }
  return out + "]";
}

std::string map_text(const Map& map) {
  std::string out = "{";
  for (const auto& entry : map.entries) {
    if (out.size() > 1) out += ", ";
    out += to_text(entry.key) + ": " + to_text(entry.value);
  }
  return out + "}";
}

}  // namespace

std::string_view kind_name(Kind kind) {
  static constexpr std::string_view names[] = {"nil",  "truth", "integer", "real",
                                               "text", "list",  "map",     "function"};
  return names[static_cast<std::size_t>(kind)];
}

void fail(int line, const std::string& message) { throw ScriptError(line, message); }

bool Value::truthy() const {
  switch (kind_) {
    case Kind::nil:
      return false;
    case Kind::boolean:
    case Kind::integer:
      return as_.integer != 0;
    case Kind::real:
      return as_.real != 0;
    default:
      return true;
  }
}

bool equal(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) {
    if (a.is(Kind::integer) && b.is(Kind::integer)) return a.integer() == b.integer();
    return a.real() == b.real();
  }
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case Kind::nil:
      return true;
    case Kind::boolean:
      return a.integer() == b.integer();
    case Kind::text:
      return a.object() == b.object() || a.as<Text>().text == b.as<Text>().text;
    default:
      return a.object() == b.object();
  }
}

std::string to_text(const Value& value) {
  char buffer[32];
  switch (value.kind()) {
    case Kind::nil:
      return "nil";
    case Kind::boolean:
      return value.integer() ? "true" : "false";
    case Kind::integer:
      return std::to_string(value.integer());
    case Kind::real:
      std::snprintf(buffer, sizeof buffer, "%.6g", value.real());
      return buffer;
    case Kind::text:
      return value.as<Text>().text;
    case Kind::list:
      return list_text(value.as<List>());
    case Kind::map:
      return map_text(value.as<Map>());
    case Kind::function:
      return "function";
  }
  return "";
}

Value make_text(std::string content) { return {Kind::text, new Text(std::move(content))}; }

std::uint64_t Text::hash() {
  if (hash_) return hash_;
  std::uint64_t h = 0xcbf29ce484222325u;
  for (unsigned char c : text) h = (h ^ c) * 0x100000001b3u;
  return hash_ = mix(h) | 1;
}

// The slot that holds the key, or the free one where it belongs.
std::size_t Map::slot_of(const Value& key, std::uint64_t hash) const {
  std::size_t mask = slots_.size() - 1, slot = hash & mask;
  while (slots_[slot] && !equal(entries[slots_[slot] - 1].key, key)) slot = (slot + 1) & mask;
  return slot;
}

void Map::grow() {
  slots_.assign(slots_.empty() ? 8 : slots_.size() * 2, 0);
  for (std::uint32_t i = 0; i < entries.size(); ++i)
    slots_[slot_of(entries[i].key, hash_of(entries[i].key))] = i + 1;
}

Value* Map::find(const Value& key) {
  if (entries.empty()) return nullptr;
  auto index = slots_[slot_of(key, hash_of(key))];
  return index ? &entries[index - 1].value : nullptr;
}

Value& Map::at_or_insert(const Value& key, int line) {
  if (!key.is(Kind::text) && !key.is(Kind::integer) && !key.is(Kind::boolean))
    fail(line, "a " + std::string(kind_name(key.kind())) + " cannot be a key");
  if ((entries.size() + 1) * 2 > slots_.size()) grow();
  auto slot = slot_of(key, hash_of(key));
  if (!slots_[slot]) {
    entries.push_back({key, Value()});
    slots_[slot] = static_cast<std::uint32_t>(entries.size());
  }
  return entries[slots_[slot] - 1].value;
}

}  // namespace sprig
