#include "cli/compilers.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace pgokit::cli {
namespace {

constexpr const char* gcc_producer =
    "GNU C++17 12.2.0 -mtune=generic -march=x86-64 -g -O2 -fasynchronous-unwind-tables";

TEST(Compilers, AreToldByTheirProducer) {
  struct Case {
    const char* producer;
    CompilerFamily family;
    unsigned version;
  };
  for (const auto& [producer, family, version] :
       {Case{"Debian clang version 22.1.8 (1~deb12u1)", CompilerFamily::clang, 22},
        Case{"Android (8490178) clang version 14.0.6 (https://x)", CompilerFamily::clang, 14},
        Case{gcc_producer, CompilerFamily::gcc, 12},
        Case{"GNU C11 9.4.0 -O2", CompilerFamily::gcc, 9},
        Case{"GNU GIMPLE 13.1.0 -O2", CompilerFamily::gcc, 13},
        Case{"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0", CompilerFamily::gcc, 12},
        Case{"clang LLVM (rustc version 1.95.0 (59807616e 2026-04-14))", CompilerFamily::rustc, 0},
        Case{"rustc version 1.95.0 (59807616e 2026-04-14)", CompilerFamily::rustc, 0},
        Case{"Go cmd/compile go1.21.0; regabi", CompilerFamily::other, 0},
        Case{"clang", CompilerFamily::clang, 0}, Case{"GNU C", CompilerFamily::gcc, 0},
        Case{"", CompilerFamily::unknown, 0}}) {
    auto compiler = compiler_of(producer);
    EXPECT_EQ(compiler.family, family) << producer;
    EXPECT_EQ(compiler.version, version) << producer;
  }
}

TEST(Compilers, ProducersAreShownWithoutOptions) {
  EXPECT_EQ(short_producer(gcc_producer), "GNU C++17 12.2.0");
  EXPECT_EQ(short_producer("clang version 22.1.8 /usr/bin/clang -O2 -g"), "clang version 22.1.8");
  EXPECT_EQ(short_producer("Debian clang version 22.1.8 (1~deb12u1)"),
            "Debian clang version 22.1.8 (1~deb12u1)");
  EXPECT_EQ(short_producer(std::string(1300, 'x')), std::string(100, 'x') + "...");
  EXPECT_EQ(short_producer(""), "");
}

TEST(Compilers, ProbesWantDiscriminatorsToo) {
  EXPECT_EQ(profiling_options(compiler_of("clang version 22.1.8"), {.probes = true}),
            "-g -fdebug-info-for-profiling -fpseudo-probe-for-profiling");
  EXPECT_EQ(profiling_options(compiler_of(gcc_producer), {.probes = true, .unique_names = true}),
            "-g");
  EXPECT_EQ(profiling_options({}), "-g -fdebug-info-for-profiling");
  EXPECT_EQ(profiling_options({}, {.unique_names = true, .absolute_paths = true}),
            "-g -fdebug-info-for-profiling -funique-internal-linkage-names");
}

TEST(Compilers, TakeOffWhatWasTakenOff) {
  auto options = [](std::vector<std::string> taken_off) {
    return profiling_options({}, {.unique_names = true, .taken_off = std::move(taken_off)});
  };
  std::string before = "-g -fdebug-info-for-profiling -funique-internal-linkage-names ";
  auto here = std::filesystem::current_path().string() + "/";
  EXPECT_EQ(options({}), before + "-fmacro-prefix-map=\"$PWD\"/=");
  EXPECT_EQ(options({here, "../"}),
            before + "-fmacro-prefix-map=\"$PWD\"/= -fmacro-prefix-map=../=");
  EXPECT_EQ(
      options({"/of app/", "/lib/", "../"}),
      before + "-fmacro-prefix-map='/of app'/= -fmacro-prefix-map=/lib/= -fmacro-prefix-map=../=");
}

TEST(Compilers, MapTheFolderOfSources) {
  auto here = std::filesystem::current_path().string();
  EXPECT_EQ(option_to_map(here + "/src/a.cc"), "-fmacro-prefix-map=$PWD/=");
  EXPECT_EQ(option_to_map(here + "2/src/a.cc"), "-fmacro-prefix-map=" + here + "2/src/=");
  EXPECT_EQ(option_to_map("/of others/a.cc"), "'-fmacro-prefix-map=/of others/='");
}

TEST(Compilers, AreNamedByTheLanguageToo) {
  setenv("PATH", "", 1);
  auto compiler = compiler_of("clang version 14.0.6");
  compiler.cplusplus = true;
  EXPECT_TRUE(use_commands(compiler, "a.prof", {}).front().starts_with("clang++ -O2 -g "));
}

TEST(Compilers, UseProfilesEachInItsWay) {
  setenv("PATH", "", 1);
  EXPECT_EQ(use_commands(compiler_of("clang version 14.0.6"), "a.prof", {.unique_names = true}),
            (std::vector<std::string>{"clang -O2 -g -fdebug-info-for-profiling "
                                      "-funique-internal-linkage-names "
                                      "-fmacro-prefix-map=\"$PWD\"/= "
                                      "-fprofile-sample-use=\"$PWD\"/a.prof ...",
                                      "in a build system: pgokit flags use=a.prof --style cmake   "
                                      "# or autotools, meson, make"}));
  EXPECT_EQ(
      use_commands(compiler_of("clang version 14.0.6"), "a.prof", {.no_discriminators = true}),
      std::vector<std::string>{"clang -O2 -g -fprofile-sample-use=\"$PWD\"/a.prof ..."});
  EXPECT_EQ(use_commands(compiler_of(gcc_producer), "a b.prof", {}),
            (std::vector<std::string>{"pgokit merge 'a b.prof' --for gcc-12 -o 'a b.prof.afdo'",
                                      "g++ -O2 -g -fauto-profile=\"$PWD\"/'a b.prof.afdo' ..."}));
  EXPECT_EQ(use_commands(compiler_of("GNU C11 9.4.0"), "a", {})[0],
            "pgokit merge a --for gcc-9 -o a.afdo");
  EXPECT_EQ(use_commands(compiler_of("GNU C17 4.8.1"), "a", {})[0],
            "pgokit merge a --for gcc-5 -o a.afdo");
  EXPECT_EQ(use_commands(compiler_of("GNU C"), "a", {})[0], "pgokit merge a --for gcc -o a.afdo");
  EXPECT_EQ(use_commands(compiler_of("rustc version 1.95.0"), "/tmp/a.prof", {})[0],
            "RUSTC_BOOTSTRAP=1 RUSTFLAGS='-g -Cstrip=none -Zdebug-info-for-profiling "
            "-Zunstable-options -Csymbol-mangling-version=legacy "
            "-Cllvm-args=-sample-profile-use-profi -Cllvm-args=-overwrite-existing-weights "
            "-Cllvm-args=-inline-enable-cost-benefit-analysis "
            "-Zprofile-sample-use=/tmp/a.prof' cargo build --release");
  EXPECT_EQ(use_commands(compiler_of("rustc version 1.97.0-nightly"), "/a", {.rust_v0 = true})[0],
            "RUSTFLAGS='-g -Cstrip=none -Zdebug-info-for-profiling -Zunstable-options "
            "-Csymbol-mangling-version=v0 "
            "-Cllvm-args=-sample-profile-use-profi -Cllvm-args=-overwrite-existing-weights "
            "-Cllvm-args=-inline-enable-cost-benefit-analysis "
            "-Zprofile-sample-use=/a' cargo +nightly build --release");
  EXPECT_EQ(use_commands({}, "/x/it's", {})[0],
            "clang -O2 -g -fdebug-info-for-profiling '-fprofile-sample-use=/x/it'\\''s' ...");
  EXPECT_EQ(use_commands({}, "a", {})[0],
            "clang -O2 -g -fdebug-info-for-profiling -fprofile-sample-use=\"$PWD\"/a ...");
}

TEST(Compilers, AreThoseThatAProfileIsFor) {
  using namespace pipeline;
  auto clang = compiler_of("clang version 14.0.6"), gcc = compiler_of(gcc_producer);
  EXPECT_EQ(compiler_for({&consumers::clang}, clang).version, 14);
  EXPECT_EQ(compiler_for({&consumers::clang, 16}, clang).version, 16);
  EXPECT_EQ(compiler_for({&consumers::gcc}, gcc).version, 12);
  auto other = compiler_for({&consumers::gcc}, clang);
  EXPECT_EQ(other.family, CompilerFamily::gcc);
  EXPECT_EQ(other.version, 0);
  // The text says what built it, not what reads it.
  EXPECT_EQ(compiler_for({&consumers::clang}, gcc).family, CompilerFamily::gcc);
  EXPECT_EQ(compiler_for({&consumers::clang, 15}, gcc).family, CompilerFamily::clang);
}

TEST(Compilers, TakeALayoutInTwoFiles) {
  setenv("PATH", "", 1);
  auto commands = layout_commands(compiler_of("clang version 22.1.8"), "/tmp/a.clusters", "a b");
  ASSERT_EQ(commands.size(), 2u);
  EXPECT_EQ(commands[0],
            "clang ... -ffunction-sections -fbasic-block-sections=list=/tmp/a.clusters -c ...");
  EXPECT_EQ(commands[1],
            "clang ... -fuse-ld=lld -Wl,--symbol-ordering-file=\"$PWD\"/'a b' "
            "-Wl,--no-warn-symbol-ordering");
}

TEST(Compilers, ProfilesForGccAreUsedByGccWhateverBuiltTheProgram) {
  setenv("PATH", "", 1);
  auto compiler = compiler_of("clang version 14.0.6");
  EXPECT_EQ(use_command_of_gcc(compiler, "a.gcov"),
            "gcc -O2 -g -fauto-profile=\"$PWD\"/a.gcov ...");
  compiler.cplusplus = true;
  EXPECT_EQ(use_command_of_gcc(compiler, "a b"), "g++ -O2 -g -fauto-profile=\"$PWD\"/'a b' ...");
}

}  // namespace
}  // namespace pgokit::cli
