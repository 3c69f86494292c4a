#include "base/guid.h"

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

}  // namespace pgokit
