#include "profile/extbinary/function_walk.h"

#include <gmock/gmock.h>

#include "base/cursor.h"
#include "base/result.h"
#include "profile/model/byte_writer.h"

namespace pgokit::profile {
namespace {

using Numbers = std::vector<u64>;

std::string bytes_of(const Numbers& numbers) {
  ByteWriter out;
  for (u64 number : numbers) out.uleb128(number);
  return std::move(out).take();
}

// Writes down what it is shown; leaves out inlinees of the name `skipped`, ends at `refused`.
struct Listing {
  struct Options {
    u64 skipped = ~u64{0}, refused = ~u64{0};
  };
  Listing(std::string& out, Options wanted) : text(out), options(wanted) {}

  bool begin(u64 total, u64 places) {
    text += fmt::format("{{{}/{}", total, places);
    return true;
  }
  bool end() { return text += '}', true; }
  bool place(RawLocation at) {
    text += fmt::format(" v{}.{}", at.line, at.discriminator);
    return true;
  }
  bool place(RawLocation at, u64 samples) {
    text += fmt::format(" {}.{}={}", at.line, at.discriminator, samples);
    return true;
  }
  void begin_counts() { text += '('; }
  bool count(u64 name, u64 count) {
    text += fmt::format("#{}:{}", name, count);
    return name != options.refused;
  }
  bool end_counts() { return text += ')', true; }
  WalkEnd inlinee(RawLocation at, u64 name, auto enter) {
    if (name == options.refused) return WalkEnd::refused;
    text += fmt::format(" @{}.{} #{}", at.line, at.discriminator, name);
    return name == options.skipped ? enter(SkipFunction()) : enter(Listing(text, options));
  }

  std::string& text;
  Options options;
};

struct MetadataListing {
  std::string& text;

  bool values(u64 checksum, u64 attributes) const {
    text += fmt::format("<{:x} {}>", checksum, attributes);
    return true;
  }
  WalkEnd inlinee(RawLocation at, u64 name, auto enter) const {
    text += fmt::format(" @{}.{} #{}", at.line, at.discriminator, name);
    return enter(*this);
  }
  bool end() const { return text += '}', true; }
};

// A function with a place that calls, one that does not, two inlinees, and virtual tables.
const Numbers record = {1000, 2, 1, 0,  300, 2, 7, 40, 8, 2, 5, 70000, 6, 0,  // total, two places
                        2,                                                    // inlinees
                        3,    1, 9, 50, 1,   1, 0, 50, 0, 0, 0,     // #9: a place, nothing in it
                        4,    0, 8, 60, 0,   0, 1, 2,  0, 1, 5, 6,  // #8: a virtual table
                        1,    6, 0, 1,  4,   2};                    // of the function: one
const std::string_view listing =
    "{1000/2 1.0=300(#7:40#8:2) 5.70000=6 @3.1 #9{50/1 1.0=50} @4.0 #8{60/0 v2.0(#5:6)} "
    "v6.0(#4:2)}";

struct Walked {
  WalkEnd end;
  std::string text;
  size_t left = 0;
};

Walked walk(std::string_view bytes, bool vtables = true, Listing::Options options = {}) {
  Walked walked{};
  Cursor in(as_bytes(bytes));
  walked.end = walk_function(in, Listing(walked.text, options), {.vtables = vtables});
  walked.left = in.left();
  return walked;
}

TEST(WalkFunction, ShowsEverythingInItsOrder) {
  auto walked = walk(bytes_of(record));
  EXPECT_EQ(walked.end, WalkEnd::whole);
  EXPECT_EQ(walked.text, listing);
  EXPECT_EQ(walked.left, 0);
}

TEST(WalkFunction, IsTheSameOfNumbersThatAreKnownToBeThere) {
  auto bytes = bytes_of(record);
  std::string text;
  KnownNumbers in(as_bytes(bytes).data());
  EXPECT_EQ(walk_function(in, Listing(text, {}), {.vtables = true}), WalkEnd::whole);
  EXPECT_EQ(text, listing);
}

TEST(WalkFunction, EndsWithTheInlineesWhereVtablesAreNotFlagged) {
  auto walked = walk(bytes_of({10, 0, 1, 4, 0, 8, 60, 0, 0, 99}), false);
  EXPECT_EQ(walked.text, "{10/0 @4.0 #8{60/0}}");
  EXPECT_EQ(walked.left, 1);
}

TEST(WalkFunction, ReadsOverWhatIsNotAskedFor) {
  auto walked = walk(bytes_of(record), true, {.skipped = 8});
  EXPECT_EQ(walked.text,
            "{1000/2 1.0=300(#7:40#8:2) 5.70000=6 @3.1 #9{50/1 1.0=50} @4.0 #8 v6.0(#4:2)}");
  EXPECT_EQ(walked.left, 0);
  auto bytes = bytes_of(record);
  Cursor in(as_bytes(bytes));
  EXPECT_EQ(walk_function(in, SkipFunction(), {.vtables = true}), WalkEnd::whole);
  EXPECT_TRUE(in.at_end());
}

TEST(WalkFunction, EndsWhereTheVisitorRefuses) {
  auto at_inlinee = walk(bytes_of(record), true, {.refused = 9});
  EXPECT_EQ(at_inlinee.end, WalkEnd::refused);
  EXPECT_EQ(at_inlinee.text, "{1000/2 1.0=300(#7:40#8:2) 5.70000=6");
  auto at_target = walk(bytes_of(record), true, {.refused = 7});
  EXPECT_EQ(at_target.end, WalkEnd::refused);
  EXPECT_EQ(at_target.text, "{1000/2 1.0=300(#7:40");
  EXPECT_EQ(walk(bytes_of(record), true, {.refused = 5}).end, WalkEnd::refused);  // an inner one
}

TEST(WalkFunction, IsCutOffAtEveryByteButTheLast) {
  auto bytes = bytes_of(record);
  for (size_t size = 0; size < bytes.size(); ++size) {
    auto walked = walk(std::string_view(bytes).substr(0, size));
    EXPECT_EQ(walked.end, WalkEnd::cut_off) << size;
    EXPECT_FALSE(walked.text.ends_with("(#4:2)}")) << size;
  }
}

TEST(WalkFunction, EndsEarlyWhereThereAreMorePlacesThanBytes) {
  for (const Numbers& numbers :
       {Numbers{1, ~u64{0}, 1, 0, 1, 0}, Numbers{1, 0, ~u64{0}, 1, 0, 3},
        Numbers{1, 1, 1, 0, 1, ~u64{0}, 3, 4}, Numbers{1, 0, 0, ~u64{0}, 1, 0}})
    EXPECT_EQ(walk(bytes_of(numbers)).end, WalkEnd::cut_off);
}

TEST(WalkFunction, GoesNoDeeperThanReadersMay) {
  auto nested = [](unsigned depth) {
    Numbers numbers;
    for (unsigned i = 1; i < depth; ++i) numbers.insert(numbers.end(), {1, 0, 1, 2, 0, 3});
    numbers.insert(numbers.end(), {1, 0, 0});
    return bytes_of(numbers);
  };
  EXPECT_EQ(walk(nested(max_inline_depth), false).end, WalkEnd::whole);
  EXPECT_EQ(walk(nested(max_inline_depth + 1), false).end, WalkEnd::too_deep);
}

TEST(WalkMetadata, ReadsThePartsThatItsSectionHas) {
  struct Case {
    MetadataParts parts;
    Numbers numbers;
    std::string_view text;
  };
  for (const auto& [parts, numbers, expected] :
       {Case{{true, true, true}, {0xab, 2, 1, 3, 0, 7, 0xcd, 0, 0}, "<ab 2> @3.0 #7<cd 0>}}"},
        Case{{true, false, true}, {0xab, 1, 3, 0, 7, 0xcd, 0}, "<ab 0> @3.0 #7<cd 0>}}"},
        Case{{false, true, false}, {2}, "<0 2>}"}, Case{{}, {}, "<0 0>}"}}) {
    auto bytes = bytes_of(numbers);
    for (size_t size = 0; size <= bytes.size(); ++size) {
      std::string text;
      Cursor in(as_bytes(std::string_view(bytes).substr(0, size)));
      auto end = walk_metadata(in, MetadataListing{text}, parts);
      EXPECT_EQ(end, size == bytes.size() ? WalkEnd::whole : WalkEnd::cut_off) << size;
      if (end == WalkEnd::whole) {
        EXPECT_EQ(text, expected);
      }
    }
  }
}

struct FrameListing {
  std::string& text;
  u64 refused = ~u64{0};

  bool frame(u64 name, RawLocation at) const {
    text += fmt::format(" #{}:{}.{}", name, at.line, at.discriminator);
    return name != refused;
  }
  bool end() const { return text += '.', true; }
};

TEST(WalkContext, ShowsFramesInTheirOrder) {
  std::string text, bytes = bytes_of({2, 7, 300, 1, 8, 0, 0, 99});
  Cursor in(as_bytes(bytes));
  EXPECT_EQ(walk_context(in, FrameListing{text}), WalkEnd::whole);
  EXPECT_EQ(text, " #7:300.1 #8:0.0.");
  EXPECT_EQ(in.left(), 1);
}

TEST(WalkContext, EndsWhereTheVisitorRefusesOrTheBytesEnd) {
  std::string text, bytes = bytes_of({2, 7, 300, 1, 8, 0, 0});
  Cursor in(as_bytes(bytes));
  EXPECT_EQ(walk_context(in, FrameListing{text, 7}), WalkEnd::refused);
  EXPECT_EQ(text, " #7:300.1");
  for (size_t size = 0; size < bytes.size(); ++size) {
    Cursor cut(as_bytes(std::string_view(bytes).substr(0, size)));
    EXPECT_EQ(walk_context(cut, FrameListing{text}), WalkEnd::cut_off) << size;
  }
}

}  // namespace
}  // namespace pgokit::profile
