// Makes the profiles that machines of a fleet would send, for benchmarks and tests: of one made-up
// program, each with the functions that machine happened to run, hot ones in all of them.
//
//   pgokit-make-profiles FOLDER COUNT BYTES FORMAT [SEED]
//
// Writes FOLDER/0000.prof and so on, each of about BYTES bytes; FORMAT is text, binary or
// extbinary, or probes: an extbinary with checksums. The same arguments give the same bytes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>

#include "base/file.h"
#include "profile/format.h"

using namespace pgokit;
using namespace pgokit::profile;

namespace {

u64 mixed(u64 a, u64 b) { return mix_bits(mix_bits(a) ^ b); }

// What a function looks like is determined by its number.
class Fleet {
 public:
  Fleet(u64 functions, bool probes) : functions_(functions), probes_(probes) {}

  Profile machine(u64 seed) const {
    std::mt19937_64 random(seed);
    Profile profile;
    profile.flags.probe_based = probes_;
    for (u64 f = 0; f < functions_; ++f) {
      // the first functions run everywhere, the last ones on one machine out of ten
      double share = 1.0 - 0.9 * static_cast<double>(f) / static_cast<double>(functions_);
      if (std::uniform_real_distribution(0.0, 1.0)(random) > share) continue;
      auto heat = static_cast<u64>(2e6 / std::pow(1.0 + static_cast<double>(f), 0.8)) + 3;
      auto& samples = profile.function(name(f, profile.names));
      samples.head = random() % heat;
      fill(samples, f, heat, 0, random, profile.names);
    }
    profile.sort();
    return profile;
  }

 private:
  NameId name(u64 function, NameTable& names) const {
    return names.intern(fmt::format("_ZN7company7product{}module{}E{}function{}Ev", function % 97,
                                    function % 13, std::string(mixed(function, 5) % 30, 'x'),
                                    function));
  }

  void fill(FunctionSamples& samples, u64 f, u64 heat, unsigned depth, std::mt19937_64& random,
            NameTable& names) const {
    if (probes_) samples.checksum = mixed(f, 77) >> 16;
    u64 places = 4 + mixed(f, 1) % (depth ? 12 : 60);
    for (u64 i = 0; i < places; ++i) {
      if (random() % 8 == 0) continue;  // never sampled on this machine
      LineLocation at{static_cast<u32>(i + mixed(f, i) % 2), 0};
      if (!probes_ && mixed(i, f) % 3 == 0) at.discriminator = static_cast<u32>(mixed(i, f) % 64);
      u64 count = random() % (heat >> mixed(f, i * 3) % 6 | 1);
      samples.add_body(at, count);
      samples.add_total(count);
      for (u64 calls = mixed(f, i * 7) % 8; calls > 5; --calls)
        samples.add_target(at, name(mixed(f, i + calls) % functions_, names), count / 2 + 1);
    }
    for (u64 i = depth < 4 ? mixed(f, 2) % (depth ? 2 : 5) : 0; i > 0; --i) {
      u64 callee = mixed(f, 100 + i) % functions_;
      auto& inlinee = samples.inlinee({static_cast<u32>(2 * i), 0}, name(callee, names));
      fill(inlinee, callee, heat / 2 + 1, depth + 1, random, names);
      samples.add_total(inlinee.total);
    }
  }

  u64 functions_;
  bool probes_;
};

Status make(std::span<char* const> words) {
  std::string folder = words[0], form = words[3];
  u64 count = std::strtoull(words[1], nullptr, 10), bytes = std::strtoull(words[2], nullptr, 10);
  u64 seed = words.size() > 4 ? std::strtoull(words[4], nullptr, 10) : 1;
  auto format = form == "text"     ? Format::text
                : form == "binary" ? Format::binary
                                   : Format::extbinary;
  u64 functions = std::max<u64>(bytes / 260, 10);
  Fleet fleet(functions, form == "probes");
  for (u64 i = 0; i < count; ++i) {
    auto text = TRY(write_profile(fleet.machine(seed * 1000003 + i), format));
    auto out = TRY(OutputFile::create(fmt::format("{}/{:04}.prof", folder, i)));
    out.write(text);
    TRY(out.commit());
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5 || argc > 6) {
    fmt::print(stderr, "usage: pgokit-make-profiles FOLDER COUNT BYTES FORMAT [SEED]\n");
    return 2;
  }
  auto status = make({argv + 1, static_cast<size_t>(argc - 1)});
  if (status) return 0;
  fmt::print(stderr, "pgokit-make-profiles: {}\n", status.error().message);
  return 1;
}
