#pragma once

// The options of compilers and linkers that profiles need, by job, in one place: what optimize and
// bisect build with, what `pgokit flags` prints, and what other commands recommend.
//
//   Flags flags = profiling_flags(compiler, {.probes = true}, "/src/app");   // to be recorded
//   flags.add(sample_profile_flags(compiler, {.probes = true}, "/tmp/app.prof"));
//   for (const auto& word : flags.compile) use(word);
//
// Each element is one word, not quoted for any shell. Files are named as they are given: a build
// compiles in other folders, and wants absolute paths.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compilers/compiler.h"
#include "order/order_file.h"

namespace pgokit::compilers {

struct Flags {
  std::vector<std::string> compile = {}, link = {};

  // Those of `more` that are not there yet, after the others.
  void add(const Flags& more);
};

// What a profile is attributed by.
struct ProfileKind {
  bool probes = false;
  bool unique_names = false;    // static functions have names with a hash of their file's path
  bool absolute_paths = false;  // ... which is an absolute one: mapped, they would have other names
  std::vector<std::string> taken_off = {};  // ... or what was taken off it: "/src/app/", "../"
  bool no_discriminators = false;           // blocks of a line are not told apart
  bool rust_v0 = false;                     // names of Rust begin with _R
};

// A recording then names the very build that it is of.
inline constexpr std::string_view build_id_option = "-Wl,--build-id";

// Of the program to be recorded, and of the build with its profile: "-g -fdebug-info-for-profiling".
// `root`: the folder of the sources, which names of static functions do not depend on; `ways`: how
// relative paths of sources may begin there, which end in a slash.
Flags profiling_flags(const Compiler& compiler, const ProfileKind& kind, std::string_view root,
                      std::span<const std::string> ways = {});

// What rustc calls the options of sample profiles, once they are stable and until then.
struct RustcNames {
  std::string_view sample_profile, discriminators;
};
inline constexpr RustcNames stable_rustc{"-Cprofile-sample-use=", "-Cdebuginfo-for-profiling"};
inline constexpr RustcNames unstable_rustc{"-Zprofile-sample-use=", "-Zdebug-info-for-profiling"};

// Of a program in Rust that is to be recorded.
std::vector<std::string> rust_profiling_words(std::string_view discriminators);

// LLVM's option to inline what is hot by what that saves beside what it costs, which it does by
// itself with profiles of its own instrumentation only.
inline constexpr std::string_view weighed_inlining = "-inline-enable-cost-benefit-analysis";

// Beside the profile, what rustc's LLVM does by itself with -Cprofile-use, or as clang's: flows of
// blocks are made to fit each other, counts take the place of weights that rustc has given to
// branches, and what is hot is inlined by what that is worth. From LLVM 14 on.
std::vector<std::string> rust_sample_words();

// The option that gives each block of a line its own discriminator; empty where there is none, or
// none is needed.
std::string_view discriminator_option(const Compiler& compiler);
// The option that puts probes into the program; empty where the compiler has none.
std::string_view probe_option(const Compiler& compiler);

// Of a build that uses a sample profile in the form that this compiler reads, beside those of
// profiling. With LTO, code is generated in the link, which wants them too.
Flags sample_profile_flags(const Compiler& compiler, const ProfileKind& kind,
                           const std::string& profile);

// clang's own instrumentation: of the build that counts, and of the one that uses the counts.
Flags counting_flags();
Flags counted_flags(const std::string& profile);

// Of a link with an order of functions.
Flags order_flags(order::OrderFormat format, const std::string& file, bool is_coff = false);

// Of a build that says what its compiler believed of each branch, in a section that is not loaded.
// clang 22 has them, 19 has not. `by_lld`: of the link too, where LTO generates code.
inline constexpr unsigned first_clang_with_beliefs = 22;
Flags belief_flags(bool by_lld);
// Of one that says what its optimizer did, in files beside its objects.
Flags remark_flags(bool by_lld);

// Of the build whose recordings say which blocks ran, and of the one with a layout of them.
Flags block_map_flags();
Flags layout_flags(const std::string& clusters, const std::string& symbol_order);

}  // namespace pgokit::compilers
