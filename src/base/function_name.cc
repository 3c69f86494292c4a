#include "base/function_name.h"

#include <md5.h>

#include <cstring>

namespace pgokit {

u64 function_guid(std::string_view name) {
  MD5_CTX state;
  u8 digest[MD5_DIGEST_LENGTH];
  MD5Init(&state);
  MD5Update(&state, reinterpret_cast<const u8*>(name.data()), name.size());
  MD5Final(digest, &state);
  u64 guid;
  std::memcpy(&guid, digest, sizeof guid);
  return guid;
}

std::string_view strip_suffixes(std::string_view name, std::span<const std::string_view> suffixes) {
  if (!name.contains('.')) return name;
  for (std::string_view suffix : suffixes) {
    size_t at = name.rfind(suffix);
    if (at == name.npos) continue;
    size_t last_dot = name.rfind('.');
    if (last_dot == at || last_dot == at + suffix.size() - 1) name = name.substr(0, at);
  }
  return name;
}

std::string_view canonical_function_name(std::string_view name) {
  static constexpr std::string_view suffixes[] = {".llvm.", ".part."};
  return strip_suffixes(name, suffixes);
}

}  // namespace pgokit
