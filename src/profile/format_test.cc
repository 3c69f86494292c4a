#include "profile/format.h"

#include <gmock/gmock.h>

#include "base/cursor.h"
#include "base/file.h"
#include "base/function_name.h"
#include "profile/extbinary/binary_index.h"
#include "profile/extbinary/section_table.h"
#include "profile/extbinary_format.h"
#include "profile/model/byte_writer.h"
#include "test/support/profile_builder.h"

namespace pgokit::profile {
namespace {

using test::random_profile;
using test::RandomProfile;
using testing::HasSubstr;

std::string error_of(std::string_view bytes) {
  auto read = read_profile(as_bytes(bytes));
  return read ? "no error" : read.error().message;
}

Profile read_ok(std::string_view bytes) {
  auto read = read_profile(as_bytes(bytes));
  EXPECT_TRUE(read.has_value()) << read.error().message;
  return read ? std::move(read->profile) : Profile{};
}

std::string written(const Profile& profile, Format format, const WriteOptions& options = {}) {
  auto bytes = write_profile(profile, format, options);
  EXPECT_TRUE(bytes.has_value()) << bytes.error().message;
  return bytes.value_or("");
}

// Written, read and written again: the same bytes, and the same content as text.
void expect_round_trip(const Profile& profile, Format format, const WriteOptions& options = {}) {
  auto first = written(profile, format, options);
  EXPECT_EQ(sniff(as_bytes(first)), format);
  auto again = read_ok(first);
  EXPECT_EQ(again.flags, profile.flags);
  bool hashed = options.md5_names && !profile.names.is_guid(profile.functions()[0].samples.name);
  if (hashed) return expect_round_trip(again, format, options);  // hashes have another order
  EXPECT_TRUE(written(again, format, options) == first);
  EXPECT_TRUE(write_text(again) == write_text(profile));
}

// Functions are filled by several threads; those that are there already after all others.
TEST(Binary, SumsWhatStandsTwice) {
  auto profile = random_profile({.seed = 9, .functions = 400});
  auto file = written(profile, Format::binary);
  auto index = index_binary(as_bytes(file), {});
  ASSERT_TRUE(index.has_value());
  auto functions = static_cast<size_t>(index->functions.front().at - as_bytes(file).data());
  auto twice = read_ok(file + file.substr(functions));
  auto once = read_ok(file);
  Profile sum = read_ok(file);
  merge(sum, once);
  sum.sort();
  EXPECT_EQ(write_text(twice), write_text(sum));
}

TEST(RoundTrip, GivesTheSameBytes) {
  for (u32 seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    auto profile = random_profile({.seed = seed});
    expect_round_trip(profile, Format::text);
    expect_round_trip(profile, Format::binary);
    for (int bits = 0; bits < 8; ++bits)
      expect_round_trip(profile, Format::extbinary,
                        {.compress = (bits & 1) != 0,
                         .md5_names = (bits & 2) != 0,
                         .split_layout = (bits & 4) != 0});
  }
}

TEST(RoundTrip, OfProbesContextsVtablesAndIds) {
  for (u32 seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(seed);
    for (RandomProfile options :
         {RandomProfile{.probes = true}, RandomProfile{.contexts = true},
          RandomProfile{.probes = true, .contexts = true}, RandomProfile{.vtables = true}}) {
      options.seed = seed;
      auto profile = random_profile(options);
      expect_round_trip(profile, Format::text);
      expect_round_trip(profile, Format::extbinary, {.vtables = true});
      expect_round_trip(profile, Format::extbinary, {.md5_names = true, .vtables = true});
    }
    expect_round_trip(random_profile({.seed = seed, .guids = true}), Format::extbinary,
                      {.md5_names = true});
  }
}

TEST(RoundTrip, OfDeepNesting) {
  Profile profile;
  NameId name = profile.names.intern("f");
  FunctionSamples* at = &profile.function(name);
  for (u32 i = 1; i < max_inline_depth; ++i) at = &at->inlinee({i, 0}, name);
  at->add_body({1, 0}, ~u64{0});
  profile.sort();
  for (auto format : {Format::text, Format::binary, Format::extbinary})
    expect_round_trip(profile, format);
  at->inlinee({1, 0}, name).add_body({1, 0}, 1);
  profile.sort();
  for (auto format : {Format::text, Format::binary, Format::extbinary})
    EXPECT_THAT(error_of(written(profile, format)), HasSubstr("inlined more than 1000 levels"));
}

TEST(RoundTrip, OfTheEmptyProfile) {
  expect_round_trip(Profile{}, Format::binary);
  expect_round_trip(Profile{}, Format::extbinary, {.compress = true});
}

TEST(RoundTrip, KeepsTheSymbolList) {
  Profile profile = random_profile({});
  for (auto name : {"z", "a", "m", "a"}) profile.symbols.intern(name);
  expect_round_trip(profile, Format::extbinary);
  EXPECT_EQ(read_ok(written(profile, Format::extbinary)).symbols.size(), 3);
}

Profile noted_profile() {
  Profile profile = random_profile({});
  Note note;
  note.date = 1700000000;
  note.command = "./app\n\x1b[2J #";
  profile.notes.add(note);
  note.date = 1600000000;
  profile.notes.add(note);
  return profile;
}

TEST(Notes, AreWrittenIfAskedFor) {
  Profile profile = noted_profile(), plain = random_profile({});
  for (auto format : {Format::text, Format::extbinary})
    EXPECT_TRUE(written(profile, format) == written(plain, format));
  for (bool compress : {false, true})
    for (bool split : {false, true}) {
      WriteOptions options{.compress = compress, .split_layout = split, .notes = true};
      auto bytes = written(profile, Format::extbinary, options);
      auto read = read_profile(as_bytes(bytes));
      ASSERT_TRUE(read);
      EXPECT_EQ(read->profile.notes, profile.notes);
      EXPECT_TRUE(read->unknown_sections.empty());
      EXPECT_EQ(read_notes(as_bytes(bytes)), profile.notes);
      EXPECT_TRUE(written(read->profile, Format::extbinary, options) == bytes);
      options.notes = false;
      EXPECT_TRUE(written(read->profile, Format::extbinary, options) ==
                  written(plain, Format::extbinary, options));
    }
  auto text = written(profile, Format::text, {.notes = true});
  EXPECT_EQ(read_ok(text).notes, profile.notes);
  EXPECT_EQ(read_notes(as_bytes(text)), profile.notes);
  EXPECT_TRUE(text.ends_with(written(plain, Format::text)));
  EXPECT_EQ(sniff(as_bytes(text)), Format::text);
}

TEST(Notes, OfDamagedFilesAreNone) {
  auto bytes = written(noted_profile(), Format::extbinary, {.notes = true});
  for (size_t size = 0; size < bytes.size(); size += 7)
    (void)read_notes(as_bytes(std::string_view(bytes).substr(0, size)));
  for (size_t i = 0; i < 600; ++i) {
    auto damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0xff);
    (void)read_notes(as_bytes(damaged));
    auto read = read_profile(as_bytes(damaged));
    EXPECT_TRUE(read || !read.error().message.empty()) << i;
  }
  // A section of that type with something else in it is one that is not known.
  auto other = bytes;
  other.replace(other.find("pgokit notes 1"), 14, "pgokit notes 2");
  auto read = read_profile(as_bytes(other));
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->profile.notes.empty());
  EXPECT_EQ(read->unknown_sections, std::vector<u64>{notes_section});
  EXPECT_TRUE(read_notes(as_bytes("")).empty());
}

TEST(Write, RefusesWhatAFormCannotHold) {
  EXPECT_FALSE(write_binary(random_profile({.probes = true})));
  EXPECT_FALSE(write_binary(random_profile({.contexts = true})));
  EXPECT_FALSE(write_extbinary(random_profile({.contexts = true}), {.split_layout = true}));
}

TEST(Text, ReadsNamesThatHoldColonsAndSpaces) {
  auto profile = read_ok(
      "# comment\n\n"
      "a b::c:10:2\n"
      " 1: 5 std::f(char *):3 x:4:5 y:6\n"
      " 2.7: g::h<a b>:3\n"
      "  1: 3\n");
  EXPECT_EQ(write_text(profile),
            "a b::c:10:2\n"
            " 1: 5 y:6 x:4:5 std::f(char *):3\n"  // "x:4" ends at no space
            " 2.7: g::h<a b>:3\n"
            "  1: 3\n");
}

TEST(Text, SumsWhatStandsTwice) {
  auto profile = read_ok(
      "f:10:1\n 1: 5 x:3\n 1: 6 x:5 x:6\n 2: g:1\n 2: g:2\nf:7:2\n"
      " 3: 18446744073709551615\n 3: 1\n");
  EXPECT_EQ(write_text(profile), "f:17:3\n 1: 11 x:9\n 3: 18446744073709551615\n 2: g:3\n");
}

TEST(Text, MetadataSetsChecksumThenAttributes) {
  auto profile = read_ok("f:1:1\n 1: g:1\n  !Attributes: 2\n !CFGChecksum: 9\n !Attributes: 1\n");
  EXPECT_TRUE(profile.flags.probe_based);
  EXPECT_TRUE(profile.flags.pre_inlined);
  EXPECT_EQ(profile.functions()[0].samples.checksum, 9);
  EXPECT_EQ(profile.functions()[0].samples.attributes, 1);
}

TEST(Text, CallersWithoutALineCallFromLineZero) {
  auto profile = read_ok("[main:3.1 @ _Z5funcBi @ leaf]:5:1\n 1: 5\n");
  ASSERT_EQ(profile.functions().size(), 1u);
  EXPECT_EQ(profile.contexts.text(profile.functions()[0].context, profile.names),
            "main:3.1 @ _Z5funcBi:0 @ leaf");
  EXPECT_THAT(error_of("[main:3.1 @  @ leaf]:5:1\n"), HasSubstr("name:line @ name"));
}

TEST(Read, MasksFlowSensitiveDiscriminators) {
  std::string text =
      "main:9:1\n 1.3: 10\n 1.259: 20 foo:3\n 3.1: foo:5\n  1.513: 5\n 3.257: foo:6\n  1.1: 6\n";
  std::string masked = "main:9:1\n 1.3: 30 foo:3\n 3.1: foo:11\n  1.1: 11\n";
  ReadOptions base{.flow_sensitive = true, .discriminator_mask = 0xff};
  auto as_read = [](std::string_view bytes, const ReadOptions& options) {
    auto read = read_profile(as_bytes(bytes), options);
    return read ? write_text(read->profile) : read.error().message;
  };
  EXPECT_EQ(as_read(text, base), masked);
  EXPECT_EQ(as_read(text, {.flow_sensitive = true}), text);
  EXPECT_EQ(as_read(text, {.discriminator_mask = 0xff}), text) << "not flow-sensitive";
  auto profile = read_ok(text);
  auto plain = written(profile, Format::binary), unmarked = written(profile, Format::extbinary);
  profile.flags.fs_discriminators = true;
  auto marked = written(profile, Format::extbinary);
  EXPECT_EQ(as_read(plain, base), masked);
  EXPECT_EQ(as_read(marked, {.discriminator_mask = 0xff}), masked);
  EXPECT_EQ(as_read(unmarked, base), text) << "an extensible binary file tells of itself";
}

TEST(Text, SaysWhereItIsWrong) {
  EXPECT_THAT(error_of("f:1:1\n 1 5\n"),
              HasSubstr("line 2 (offset 0x6): expected 'NUM[.NUM]: NUM"));
  EXPECT_THAT(error_of("f:1:1\n\n 65536: 1\n"), HasSubstr("line 3 (offset 0x7): "));
  EXPECT_THAT(error_of("f:1:1\n 1: 5 g\n"), HasSubstr("line 2 (offset 0x6): "));
  EXPECT_THAT(error_of("f:1:1\n 1: 5x\n"), HasSubstr("line 2 (offset 0x6): "));
  EXPECT_THAT(error_of("f:1:1\n 1: g\n"), HasSubstr("line 2 (offset 0x6): "));
  EXPECT_THAT(error_of("f:1:1\ng:1\n"),
              HasSubstr("line 2 (offset 0x6): expected 'name:total:head'"));
  EXPECT_THAT(error_of("f:1:1\n !CFGChecksum: x\n"), HasSubstr("cannot read metadata"));
  EXPECT_THAT(error_of("f:1:1\n !Attributes: 1\n 1: 5\n"), HasSubstr("samples after metadata"));
  EXPECT_THAT(error_of("[f:1 @ :2 @ g]:1:1\n"), HasSubstr("expected '[name:line @ name]'"));
  EXPECT_THAT(error_of(std::string_view("f:1:1\ng\0:1:1\n", 13)), HasSubstr("byte of zero"));
  EXPECT_THAT(error_of("f:1:1\n" + std::string(500, 'x')), HasSubstr("xxx...'"));
  EXPECT_THAT(error_of(" 1: 5\n"), HasSubstr("is no sample profile"));
  EXPECT_THAT(error_of(""), HasSubstr("is no sample profile"));
}

TEST(Text, LinesThatOnlyTextCanHoldAreNotWrittenAgain) {
  for (std::string_view text :
       {"f:1:1\n 70000.1: 5\n", "f:1:1\n 70000.1: vtables v:5\n", "[f:70000 @ g]:1:1\n 1: 1\n"}) {
    auto read = read_profile(as_bytes(text));
    ASSERT_TRUE(read) << text;
    EXPECT_THAT(read_profile_to_write(as_bytes(text)).error().message,
                HasSubstr("a line of more than 16 bits"));
    auto written = write_extbinary(read->profile, {.vtables = true});
    EXPECT_THAT(error_of(*written), HasSubstr("a line of more than 16 bits")) << text;
  }
  std::string_view inlinee = "f:1:1\n 70000.1: g:5\n  1: 5\n";
  auto read = read_profile_to_write(as_bytes(inlinee));
  ASSERT_TRUE(read) << "as compilers take it";
  EXPECT_TRUE(read_profile(as_bytes(*write_extbinary(read->profile))));
}

TEST(Text, TakesLinearTimeForManyColons) {
  EXPECT_THAT(error_of("f:1:1\n 1: 5 " + std::string(4 << 20, ':')), HasSubstr("line 2"));
}

std::string section_table(std::initializer_list<std::array<u64, 4>> rows) {
  std::string bytes = written(Profile{}, Format::extbinary).substr(0, 10);
  auto put = [&](u64 value) {
    Le<u64> little(value);
    bytes.append(reinterpret_cast<const char*>(&little), sizeof little);
  };
  put(rows.size());
  for (const auto& row : rows)
    for (u64 value : row) put(value);
  return bytes;
}

// What clang 14 to 16 call a compact binary profile: hashes, then where the table of functions is.
std::string compact_profile(i64 table_moved = 0) {
  ByteWriter out;
  out.uleb128(magic_of_compact);
  out.uleb128(format_version);
  for (int i = 0; i < 6; ++i) out.uleb128(0);  // summary
  out.uleb128(2);
  out.uleb128(function_guid("main"));
  out.uleb128(7);
  ByteWriter functions;
  for (u64 number : {1, 0, 100, 1, 3, 2, 10, 1, 1, 5, 0}) functions.uleb128(number);
  auto bytes = std::move(functions).take();
  auto before = std::move(out).take();
  ByteWriter rest;
  rest.u64le(before.size() + 8 + bytes.size() + static_cast<u64>(table_moved));
  rest.text(bytes);
  for (u64 number : {1, 0, 0}) rest.uleb128(number);
  return before + std::move(rest).take();
}

TEST(Compact, IsReadAsHashedNames) {
  auto bytes = compact_profile();
  auto read = read_profile(as_bytes(bytes));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->format, Format::compact);
  EXPECT_TRUE(read->md5_names);
  EXPECT_EQ(write_text(read->profile),
            fmt::format("{}:100:1\n 3.2: 10 7:5\n", function_guid("main")));
  EXPECT_THAT(error_of(compact_profile(4)),
              HasSubstr("the table of functions is said to be at 0x33"));
  EXPECT_THAT(error_of(compact_profile(-20)), HasSubstr("outside of the file"));
  EXPECT_THAT(error_of(compact_profile(1)), HasSubstr("section 'functions' (offset 0x"));
  for (size_t size = 1; size < bytes.size(); ++size) (void)error_of(bytes.substr(0, size));
  EXPECT_THAT(write_profile(read->profile, Format::compact).error().message,
              HasSubstr("not written"));
}

TEST(Extbinary, PassesOverUnknownSections) {
  auto bytes = section_table({{77, 0, 50, 3}}) + "abc";
  auto read = read_profile(as_bytes(bytes));
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_THAT(read->unknown_sections, testing::ElementsAre(77));
}

// Without what is asked for apart only the number differs.
TEST(Extbinary, OfVersion104IsReadAsThatBefore) {
  for (const auto& options : {WriteOptions{}, WriteOptions{.compress = true}}) {
    auto profile = random_profile({.seed = 7, .functions = 9, .probes = true});
    auto bytes = written(profile, Format::extbinary, options);
    auto before = read_profile(as_bytes(bytes));
    ASSERT_EQ(static_cast<u8>(bytes[9]), format_version);
    bytes[9] = newest_extbinary_version;
    auto after = read_profile(as_bytes(bytes));
    ASSERT_TRUE(before && after) << after.error().message;
    EXPECT_EQ(write_text(before->profile), write_text(after->profile));
  }
}

// Hashes of functions with inlined ones, without, and of those that are only inlined, each in the
// order of a binary search; where functions are is told in an array beside them.
std::string profile_in_spans(bool packed_sizes, u64 only_inlined = 1) {
  ByteWriter names, functions, offsets;
  for (u64 size : {u64{3}, u64{1}, only_inlined})
    packed_sizes ? names.uleb128(size) : names.u64le(size);
  for (u64 guid : {20, 10, 30, 7, 40}) names.u64le(guid);
  for (u64 number : {1, 0, 100, 1, 3, 2, 10, 1, 3, 5, 1, 4, 0, 4, 6, 1, 1, 0, 6, 0, 0})
    functions.uleb128(number);
  for (u64 number : {2, 3, 50, 1, 1, 0, 50, 0, 0}) functions.uleb128(number);
  for (u64 offset : {0, 0, 0, 0}) offsets.u64le(offset);
  std::string parts[] = {std::move(names).take(), std::move(offsets).take(),
                         std::move(functions).take()};
  constexpr u64 start = 10 + 8 + 3 * 32;
  u64 second = start + parts[0].size(), third = second + parts[1].size();
  auto bytes =
      section_table({{name_table_section, names_md5 | names_eytzinger, start, parts[0].size()},
                     {function_offset_section, offsets_eytzinger, second, parts[1].size()},
                     {functions_section, 0, third, parts[2].size()}});
  bytes[9] = newest_extbinary_version;
  return bytes + parts[0] + parts[1] + parts[2];
}

TEST(Extbinary, HashesInTheOrderOfABinarySearchAreRead) {
  for (bool packed_sizes : {true, false}) {
    auto bytes = profile_in_spans(packed_sizes);
    auto read = read_profile(as_bytes(bytes));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_TRUE(read->md5_names);
    EXPECT_EQ(write_text(read->profile),
              "20:100:1\n 3.2: 10 7:5\n 4: 40:6\n  1: 6\n7:50:2\n 1: 50\n");
    for (size_t size = 1; size < bytes.size(); ++size) (void)error_of(bytes.substr(0, size));
    EXPECT_THAT(error_of(profile_in_spans(packed_sizes, 2)), HasSubstr("do not fit"));
    EXPECT_THAT(error_of(profile_in_spans(packed_sizes, ~u64{0})), HasSubstr("do not fit"));
  }
}

struct Block {
  u64 kind = 0, size = 0;
  std::string bytes;
};

// Of version 105: one function with these blocks, then one of its own.
std::string composite_profile(const std::vector<Block>& blocks) {
  ByteWriter names, functions;
  names.uleb128(2);
  names.cstring("main");
  names.cstring("work");
  functions.uleb128(0);
  functions.uleb128(blocks.size());
  for (const auto& block : blocks) {
    functions.uleb128(block.kind);
    functions.uleb128(block.size);
    functions.text(block.bytes);
  }
  for (u64 number : {1, 1, 0, 4, 7, 9, 0, 0}) functions.uleb128(number);
  functions.uleb128(0);  // one without any
  functions.uleb128(0);
  auto table = std::move(names).take(), bytes = std::move(functions).take();
  constexpr u64 start = 10 + 8 + 2 * 32;
  auto file = section_table({{name_table_section, 0, start, table.size()},
                             {composite_section, 0, start + table.size(), bytes.size()}});
  file[9] = newest_extbinary_version;
  return file + table + bytes;
}

TEST(Extbinary, CompositeSectionsAreRead) {
  const std::string counts("\2\144\1\3\2\12\0\0", 8);  // head 2, total 100, a place, no inlinee
  const std::string expected = "main:100:2\n 3.2: 10\nwork:9:7\n";
  auto bytes = composite_profile({{composite_counts, 8, counts}});
  auto read = read_profile(as_bytes(bytes));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(write_text(read->profile), expected);
  for (size_t size = 1; size < bytes.size(); ++size) (void)error_of(bytes.substr(0, size));

  bytes = composite_profile({{127, 3, "abc"}, {composite_counts, 8, counts}, {127, 1, "x"}});
  read = read_profile(as_bytes(bytes));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(write_text(read->profile), expected);
  EXPECT_THAT(read->unknown_sections, testing::ElementsAre(127));
}

TEST(Extbinary, BlocksOfCompositeSectionsHaveTheSizeOfWhatIsInThem) {
  const std::string counts("\2\144\1\3\2\12\0\0", 8);
  EXPECT_THAT(error_of(composite_profile({{composite_counts, 8, counts}, {0, 8, counts}})),
              HasSubstr("two blocks of counts of one function"));
  EXPECT_THAT(error_of(composite_profile({{composite_counts, 9, counts + "x"}})),
              HasSubstr("not of the size of their block"));
  EXPECT_THAT(error_of(composite_profile({{composite_counts, 7, counts.substr(0, 7)}})),
              HasSubstr("section 'functions'"));
  EXPECT_THAT(error_of(composite_profile({{127, ~u64{0}, counts}})), HasSubstr("ends early"));
  EXPECT_THAT(error_of(composite_profile({{composite_counts, 0, ""}})),
              HasSubstr("section 'functions'"));
}

TEST(Extbinary, ListsOfHashedFunctionsAreRefused) {
  auto bytes = section_table({{symbol_list_section, symbols_md5, 50, 3}}) + "abc";
  EXPECT_THAT(error_of(bytes), HasSubstr("hashes in place of names, which are not read"));
}

SectionInfo section_of(std::string_view file, u64 type) {
  auto sections = read_section_table(as_bytes(file));
  for (const auto& section : sections.value())
    if (section.type == type) return section;
  return {};
}

// Many functions are looked through in parts that begin where a table says that functions do.
TEST(Extbinary, OffsetsOfFunctionsThatAreWrongChangeNothing) {
  auto profile = random_profile({.seed = 11, .functions = 3000});
  auto bytes = written(profile, Format::extbinary);
  auto table = section_of(bytes, function_offset_section);
  auto functions = section_of(bytes, functions_section);
  ASSERT_GT(functions.size, 1u << 20) << "several parts";
  EXPECT_TRUE(write_text(read_ok(bytes)) == write_text(profile));
  for (size_t step : {1, 7, 5000}) {
    auto damaged = bytes;
    for (size_t at = table.offset + 3; at < table.offset + table.size; at += step) damaged[at] ^= 5;
    EXPECT_TRUE(write_text(read_ok(damaged)) == write_text(profile)) << step;
  }
  size_t last = functions.offset + functions.size - 1;
  EXPECT_THAT(error_of(bytes.replace(last, 1, "\x80")),
              HasSubstr(fmt::format("section 'functions' (offset {:#x}): function at offset ",
                                    functions.offset)));
}

TEST(Extbinary, SaysWhereItIsWrong) {
  EXPECT_THAT(error_of(section_table({{1, 0, 1000, 1}})), HasSubstr("ends past the file"));
  EXPECT_THAT(error_of(section_table({{1, 0, ~u64{0}, 2}})), HasSubstr("ends past the file"));
  EXPECT_THAT(error_of(section_table({{2, 0, 50, 2}}) + "\x7f" + "a"),
              HasSubstr("section 'names' (offset 0x32): 127 names do not fit"));
  EXPECT_THAT(error_of(section_table({{2, 0, 50, 4}}) + std::string("\1a\0b", 4)),
              HasSubstr("1 bytes are left over"));
  EXPECT_THAT(error_of(section_table({{32, 0, 50, 3}}) + "\1\7\1"),
              HasSubstr("name index 7 is past the table of 0 names"));
  EXPECT_THAT(error_of(section_table({{2, 1, 50, 3}}) + "\1\1x"),
              HasSubstr("its zlib data is cut short"));
  EXPECT_THAT(error_of(section_table({{2, 1, 50, 6}}) + "\xff\xff\xff\x7f\1x"),
              HasSubstr("cannot hold"));
  auto bytes = section_table({});
  bytes[9] = 106;
  EXPECT_THAT(error_of(bytes), HasSubstr("version 106; 103 to 105 are known: write it anew"));
  bytes[9] = 102;
  EXPECT_THAT(error_of(bytes), HasSubstr("version 102; 103 to 105 are known"));
  bytes = written(random_profile({}), Format::binary);
  bytes[9] = 7;
  EXPECT_THAT(error_of(bytes), HasSubstr("version 7"));
}

TEST(Binary, TruncationIsAnErrorOrAProfile) {
  auto profile = random_profile({.seed = 3, .functions = 4, .probes = true});
  for (const auto& options : {WriteOptions{}, WriteOptions{.compress = true}}) {
    auto bytes = written(profile, Format::extbinary, options);
    for (size_t size = 0; size < bytes.size(); size += 1 + size / 40)
      EXPECT_FALSE(read_profile(as_bytes(bytes).first(size))) << size;
  }
  auto bytes = written(random_profile({.seed = 3, .functions = 4}), Format::binary);
  for (size_t size = 0; size < bytes.size(); size += 1 + size / 40) {
    auto read = read_profile(as_bytes(bytes).first(size));
    EXPECT_TRUE(!read || read->profile.functions().size() < 5);
  }
}

TEST(Corpus, ProfilesOfOtherToolsAreRead) {
  const std::string folder = PGOKIT_SOURCE_DIR "/../shared/corpus/google-autofdo/profiles/";
  auto binary = MappedFile::open(folder + "llvm_autoprof.golden.binprof");
  if (!binary) GTEST_SKIP() << "no corpus beside the project";
  auto text = MappedFile::open(folder + "llvm_autoprof.golden.textprof");
  ASSERT_TRUE(text.has_value());
  auto read = read_profile(binary->bytes());
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(write_text(read->profile), as_text(text->bytes()));
  auto odd = MappedFile::open(folder + "symbols_with_fun_characters.txt");
  ASSERT_TRUE(odd.has_value());
  EXPECT_THAT(write_text(read_ok(as_text(odd->bytes()))), HasSubstr("foo.llvm.1234:100"));
}

}  // namespace
}  // namespace pgokit::profile
