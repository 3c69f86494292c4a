#include <cstdlib>

#include "base/cursor.h"
#include "bolt/fdata.h"
#include "bolt/preaggregated.h"
#include "test/support/tiny_program.h"

using namespace pgokit;

namespace {

struct Tiny {
  std::string image = test::tiny_program().image();
  object::File file = *object::File::parse(as_bytes(image));
  bolt::Functions functions = bolt::Functions::of(file);
};

std::string written(const bolt::Preaggregated& read) {
  std::string text;
  auto take = [&](std::string_view part) { text += part; };
  bolt::write_preaggregated(read.traces, "", take);
  bolt::write_preaggregated(read.addresses, read.events, "", take);
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Tiny tiny;
  auto read = bolt::read_preaggregated(as_text({data, size}), "3f01");
  if (!read) return 0;
  // What was read is written and read again as the same.
  auto text = written(*read);
  auto again = bolt::read_preaggregated(text, "");
  if (!again || written(*again) != text) abort();
  size_t lines = 0;
  auto take = [&](std::string_view part) { lines += part.size(); };
  auto profile = bolt::branch_profile(tiny.file, tiny.functions, read->traces, 1);
  bolt::write_fdata(profile, tiny.functions, take);
  bolt::write_fdata(bolt::address_profile(tiny.functions, read->addresses), read->events,
                    tiny.functions, take);
  return 0;
}
