// Where a process's restartable sequences are, as its data describe them.
#include <fmt/format.h>

#include <algorithm>

#include "record/software/address_space.h"

namespace pgokit::record {
namespace {

constexpr u64 page_size = 4096;

std::string key_of(const Mapping& mapping) {
  return fmt::format("{:x}:{}:{:x}:{:x}:{}", mapping.device, mapping.inode, mapping.offset,
                     mapping.size(), mapping.path);
}

// All of it is searched once for each file.
bool has_sequences(pid_t tid, const Mapping& mapping) {
  static tsl::robin_map<std::string, bool> known;
  auto key = key_of(mapping);
  if (auto it = known.find(key); it != known.end()) return it->second;
  auto file = open_mapped(tid, mapping);
  bool has = file && mapping.offset < file->bytes().size() &&
             has_abort_handlers(
                 file->bytes()
                     .subspan(mapping.offset)
                     .first(std::min<u64>(mapping.size(), file->bytes().size() - mapping.offset)));
  known[key] = has;
  return has;
}

}  // namespace

// Late, when the loader has relocated the descriptions.
void AddressSpace::find_restartable() {
  restartable_known_ = true;
  for (const auto& code : map_.list()) {
    if (!code.is_fixed_code() || code.inode == 0 || !has_sequences(tid_, code)) continue;
    for (const auto& data : map_.list()) {
      if (data.executable || !data.readable || data.inode != code.inode ||
          data.device != code.device)
        continue;
      for (const auto& range : sequences_in(data, code))
        if (std::ranges::find(restartable_, range) == restartable_.end()) {
          restartable_.push_back(range);
          stale_ |= cache_.blocks() > 0;
        }
    }
  }
}

// What nobody has written to is the same in each process.
std::vector<CodeRange> AddressSpace::sequences_in(const Mapping& data, const Mapping& code) {
  static tsl::robin_map<std::string, std::pair<FileVersion, std::vector<CodeRange>>> known;
  std::vector<u64> pages;
  for (u64 at = data.start; at < data.end; at += page_size) pages.push_back(at);
  bool is_of_file = !data.writable && !data.shared && !patched_.any_patched(pages);
  auto version = is_of_file ? FileVersion::of(tid_, data) : std::nullopt;
  if (!version) return read_sequences(data, code);
  auto key = fmt::format("{:x}:{:x}:{}", code.start, code.size(), key_of(data));
  auto it = known.find(key);
  if (it == known.end() || it->second.first != *version)
    it = known.insert_or_assign(key, std::pair(*version, read_sequences(data, code))).first;
  return it->second.second;
}

std::vector<CodeRange> AddressSpace::read_sequences(const Mapping& data, const Mapping& code) {
  constexpr u64 most_data = 64 << 20;
  if (data.size() > most_data) return {};
  std::vector<u8> bytes(data.size());
  if (!memory_.read_data(data.start, bytes.data(), bytes.size()))
    bytes.resize(memory_.read_some(data.start, bytes.data(), bytes.size()));
  return find_sequences(bytes, code);
}

}  // namespace pgokit::record
