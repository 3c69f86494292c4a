// Damaged files of every form: never a crash (the sanitizers watch), never much memory, and always
// the section and the offset in the message.
#include <gmock/gmock.h>

#include "base/cursor.h"
#include "profile/format.h"
#include "test/support/memory_watch.h"

namespace pgokit::profile {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

struct Form {
  const char* name;
  Format format;
  WriteOptions options;
  bool contexts = false, probes = false, vtables = false;
};

const Form forms[] = {
    {"text", Format::text, {}},
    {"text with contexts", Format::text, {}, true, true},
    {"binary", Format::binary, {}},
    {"extbinary", Format::extbinary, {.vtables = true}, false, false, true},
    {"extbinary, probes", Format::extbinary, {}, false, true},
    {"extbinary, contexts", Format::extbinary, {}, true, true},
    {"extbinary, hashes", Format::extbinary, {.md5_names = true}},
    {"extbinary, compressed", Format::extbinary, {.compress = true}, false, true},
    {"extbinary, split", Format::extbinary, {.split_layout = true}},
    {"gcov", Format::gcov, {.gcov_version = 2}},
    {"gcov 1", Format::gcov, {.gcov_version = 1}},
    {"gcov 3", Format::gcov, {.gcov_version = 3}},
    {"gcov 4.7", Format::gcov, {.gcov_version = 0x3430372a}},
};

// Everything that a form can hold, and little of it: each byte is damaged.
std::string file_of(const Form& form) {
  Profile profile;
  profile.flags.probe_based = form.probes;
  profile.flags.context_sensitive = form.contexts;
  NameId main = profile.names.intern("main"), f = profile.names.intern("f.__uniq.1");
  auto& samples = profile.function(main);
  samples.total = 1 << 20, samples.head = 3;
  samples.add_body({1, 0}, 200);
  samples.add_target({1, 0}, f, 100);
  samples.add_target({1, 0}, main, 1);
  samples.add_body({2, 77}, 1 << 20);
  samples.checksum = form.probes ? 0x123456789 : 0;
  auto context = form.contexts ? profile.contexts.child(profile.contexts.top(main), {1, 2}, f)
                               : profile.contexts.top(f);
  auto& other = profile.function(context);
  other.add_body({4, 0}, 5);
  other.attributes = form.contexts ? 2 : 0;
  if (form.vtables) other.add_vtable({4, 0}, main, 9);
  if (!form.contexts) samples.inlinee({3, 1}, f).inlinee({2, 0}, main).add_body({300, 0}, 7);
  for (auto symbol : {"one", "two"}) profile.symbols.intern(symbol);
  profile.sort();
  return write_profile(profile, form.format, form.options).value();
}

// Most of what has been in use since the watch began.
void expect_memory(size_t before, size_t file) {
  EXPECT_LE(memory_watch::most() - before, 4 * file + (1 << 20));
}

// What is written can be read, line by line and by compilers.
void expect_loads(const Profile& profile) {
  auto bytes = write_extbinary(profile, {.vtables = true});
  ASSERT_TRUE(bytes);
  auto read = read_profile(as_bytes(*bytes));
  EXPECT_TRUE(read) << read.error().message;
}

void expect_place(const Error& error) {
  EXPECT_THAT(error.message,
              AnyOf(HasSubstr("offset 0x"), HasSubstr("line "), HasSubstr("is no sample profile")));
}

class BadInput : public testing::TestWithParam<Form> {
 protected:
  // What is read in spite of damage can be written, of which one in some is enough: to write takes
  // much longer than to read.
  bool try_to_read(std::string_view bytes) {
    auto read = read_profile(as_bytes(bytes));
    if (!read) expect_place(read.error());
    if (read) (void)write_text(read->profile);
    if (auto again = read_profile_to_write(as_bytes(bytes)); again && read_++ % 7 == 0)
      expect_loads(again->profile);
    return read.has_value();
  }

 private:
  size_t read_ = 0;
};

TEST_P(BadInput, CutAtEveryOffset) {
  auto bytes = file_of(GetParam());
  ASSERT_TRUE(try_to_read(bytes));
  size_t before = memory_watch::start();
  size_t whole = 0;
  for (size_t size = 0; size < bytes.size(); ++size)
    whole += try_to_read(std::string_view(bytes).substr(0, size));
  // texts may end behind any line, plain binary files behind any function
  if (GetParam().format == Format::extbinary) {
    EXPECT_EQ(whole, 0);
  }
  expect_memory(before, bytes.size());
}

TEST_P(BadInput, OneBitFlippedAtEveryOffset) {
  auto bytes = file_of(GetParam());
  size_t before = memory_watch::start();
  for (size_t at = 0; at < bytes.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
      try_to_read(bytes);
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
    }
  expect_memory(before, bytes.size());
}

TEST_P(BadInput, LargeNumbersAtEveryOffset) {
  auto bytes = file_of(GetParam());
  size_t before = memory_watch::start();
  for (size_t at = 0; at + 8 < bytes.size(); at += 3)
    for (auto number : {std::string_view("\xff\xff\xff\xff\xff\xff\xff\xff"),
                        std::string_view("\xff\xff\xff\xff\x0f\0\0\0", 8),
                        std::string_view("\x80\x80\x80\x80\x80\x80\x80\x80")}) {
      auto damaged = bytes;
      damaged.replace(at, 8, number);
      try_to_read(damaged);
    }
  expect_memory(before, bytes.size());
}

INSTANTIATE_TEST_SUITE_P(OfEveryForm, BadInput, testing::ValuesIn(forms), [](const auto& form) {
  std::string name = form.param.name;
  std::erase_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); });
  return name;
});

}  // namespace
}  // namespace pgokit::profile
