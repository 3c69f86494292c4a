#include "base/utc_date.h"

#include <gmock/gmock.h>

namespace pgokit {
namespace {

using testing::Optional;

TEST(UtcDate, ReadsWhatItWrites) {
  for (u64 seconds : {u64{0}, u64{951782399}, u64{951782400}, u64{1700000000}, latest_date})
    EXPECT_THAT(parse_utc(utc_text(seconds)), Optional(seconds)) << seconds;
  EXPECT_EQ(utc_text(951782400), "2000-02-29T00:00:00Z");
  EXPECT_EQ(utc_text(~u64{0}), "9999-12-31T23:59:59Z");
}

TEST(UtcDate, ReadsDaysAndSeconds) {
  EXPECT_THAT(parse_utc("2023-11-14"), Optional(u64{1699920000}));
  EXPECT_THAT(parse_utc("1700000000"), Optional(u64{1700000000}));
}

TEST(UtcDate, RefusesWhatIsNoDate) {
  for (const char* text :
       {"", "yesterday", "2023-02-29T", "2023-02-29", "2023-13-01", "2023-1-01", "1969-12-31",
        "2023-11-14T22:13:20", "2023-11-14T24:00:00Z", "2023-11-14T22:60:00Z",
        "2023-11-14 22:13:20Z", "2023-11-14T22:13:20Zx", "-5", "253402300800", "2023-11-1a"})
    EXPECT_EQ(parse_utc(text), std::nullopt) << text;
}

}  // namespace
}  // namespace pgokit
