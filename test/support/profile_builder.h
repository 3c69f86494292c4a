#pragma once

// Random profiles that any file form can hold, the same for the same seed.
//
//   Profile profile = test::random_profile({.seed = 7, .probes = true});

#include <fmt/format.h>

#include <random>

#include "profile/model/profile.h"

namespace pgokit::test {

struct RandomProfile {
  u32 seed = 1;
  u32 functions = 12;
  bool probes = false;
  bool contexts = false;
  bool vtables = false;
  bool guids = false;  // in place of names
};

class ProfileBuilder {
 public:
  explicit ProfileBuilder(const RandomProfile& options)
      : options_(options), random_(options.seed) {}

  profile::Profile build() {
    using namespace profile;
    Profile profile;
    profile.flags.probe_based = options_.probes;
    profile.flags.context_sensitive = options_.contexts;
    profile.flags.pre_inlined = options_.contexts;
    make_names(profile.names);
    for (u32 i = 0; i < options_.functions; ++i) {
      auto context = profile.contexts.top(any_name());
      for (u32 depth = below(4); options_.contexts && depth > 0; --depth)
        context = profile.contexts.child(context, any_location(), any_name());
      auto& samples = profile.function(context);
      samples.total = any_count(), samples.head = any_count();
      fill(samples, 0);
    }
    profile.sort();
    return profile;
  }

 private:
  u32 below(u32 n) { return std::uniform_int_distribution<u32>(0, n - 1)(random_); }
  NameId any_name() { return names_[below(static_cast<u32>(names_.size()))]; }
  profile::LineLocation any_location() {
    u32 line = below(8) ? below(100) : below(0x10000);
    return {line, below(2) ? 0 : below(1 << below(31))};
  }
  // Zeros and the largest value are frequent.
  u64 any_count() {
    switch (below(8)) {
      case 0:
        return 0;
      case 1:
        return u64{random_()} << below(20);
      case 2:
        return 1;
      default:
        return below(1000);
    }
  }

  void make_names(profile::NameTable& names) {
    constexpr const char* odd[] = {"std::vector<int, a b>::f(char *)",
                                   "x:y z",
                                   "größe",
                                   "f.llvm.7",
                                   "g.__uniq.123.part.0",
                                   "operator \"\" _km",
                                   "n::m(1)",
                                   "a"};
    for (u32 i = 0; i < options_.functions; ++i)
      names_.push_back(options_.guids ? names.intern_guid(u64{random_()} << 32 | random_())
                                      : names.intern(fmt::format("_Z{}f{}v", below(90), i)));
    if (options_.guids || options_.contexts) return;  // a context's text splits at its signs
    for (const char* name : odd) names_.push_back(names.intern(name));
  }

  void fill(profile::FunctionSamples& samples, u32 depth) {
    for (u32 n = below(below(20) ? 10 : 200); n > 0; --n) {
      auto at = any_location();
      samples.add_body(at, any_count());
      for (u32 targets = below(5) ? 0 : below(6); targets > 0; --targets)
        samples.add_target(at, any_name(), any_count());
      // the text form doubles what stands at a place with inlinees too, and loses what stands alone
      if (options_.vtables && at.line_offset < 100 && !below(4))
        samples.add_vtable(at, names_[below(options_.functions)], any_count());
    }
    for (u32 n = depth < 4 && !options_.contexts ? below(4) : 0; n > 0; --n) {
      auto at = options_.vtables ? profile::LineLocation{0x8000 + below(50), 0} : any_location();
      auto& inlinee = samples.inlinee(at, any_name());
      inlinee.add_total(any_count());
      fill(inlinee, depth + 1);
    }
    if (options_.probes) samples.checksum = 0x123456789 * (1 + static_cast<u64>(samples.name));
    if (options_.contexts && below(3)) samples.attributes = profile::should_be_inlined;
  }

  RandomProfile options_;
  std::mt19937 random_;
  std::vector<NameId> names_;
};

inline profile::Profile random_profile(const RandomProfile& options) {
  return ProfileBuilder(options).build();
}

}  // namespace pgokit::test
