#include "generate/context/probes/probe_contexts.h"

#include <gtest/gtest.h>

#include "test/support/tail_call_test.h"

namespace pgokit::generate {
namespace {

using profile::ContextId;
using unwind::CallPath;

class ProbeContextsOf : public test::TailCallProbesTest {
 protected:
  ProbeContextsOf() {
    for (const auto& node : decoded_.nodes())
      names_.push_back(table_.intern(decoded_.name_of(node)));
  }

  CallPath path(std::initializer_list<u64> calls) {
    auto path = CallPath::empty;
    for (u64 call : calls) path = paths_.child(path, at(call));
    return path;
  }
  // Of a function's own code, or of that which is inlined somewhere.
  u32 node(std::string_view name) const {
    for (u32 i = 0; i < decoded_.nodes().size(); ++i)
      if (decoded_.name_of(decoded_.nodes()[i]) == name) return i;
    ADD_FAILURE() << "no node of " << name;
    return 0;
  }
  ProbeContexts finder(const MissingFrames* missing = nullptr) const {
    return {decoded_, code_, names_, paths_, missing, options_};
  }
  ContextId of(ProbeContexts& find, CallPath path, std::string_view name) {
    return find.of(path, functions_.at(at(b)), node(name));
  }
  std::string text(CallPath path, std::string_view name, const MissingFrames* missing = nullptr) {
    auto find = finder(missing);
    find.start(contexts_);
    return contexts_.text(of(find, path, name), table_);
  }

  static constexpr u64 call_a = 0x401000, call_any = 0x401005, no_probe = 0x401007;
  static constexpr u64 a = 0x401010, b = 0x401020;
  profile::NameTable table_;
  std::vector<NameId> names_;
  unwind::CallPaths paths_;
  profile::Contexts contexts_;
  ContextProfileOptions options_;
};

TEST_F(ProbeContextsOf, WithoutCallsAreTheLeafAlone) { EXPECT_EQ(text(CallPath::empty, "b"), "b"); }

TEST_F(ProbeContextsOf, ACallThatIsNotKnownIsTheLeafAlone) {
  auto unknown = paths_.child(CallPath::empty, program::no_code);
  EXPECT_EQ(text(unknown, "b"), "b");
  EXPECT_EQ(text(paths_.child(path({call_any}), at(no_probe)), "b"), "b") << "forgets its callers";
}

TEST_F(ProbeContextsOf, CallsNameTheirFunctionAndProbe) {
  EXPECT_EQ(text(path({call_any}), "b"), "main:3 @ b");
  EXPECT_EQ(text(path({call_any, call_a}), "b"), "main:3 @ main:2 @ b");
}

TEST_F(ProbeContextsOf, InlinedCodeHasTheFunctionsItIsInlinedInto) {
  EXPECT_EQ(text(path({call_any}), "leaf"), "main:3 @ b:2 @ leaf");
}

TEST_F(ProbeContextsOf, ALeafOfTwoCallersHasTwoContexts) {
  auto first = path({call_a}), second = path({call_any});
  auto find = finder();
  find.start(contexts_);
  auto from_first = of(find, first, "b"), from_second = of(find, second, "b");
  EXPECT_NE(from_first, from_second);
  EXPECT_EQ(of(find, first, "b"), from_first) << "of one caller it has one";
  EXPECT_EQ(contexts_.text(from_first, table_), "main:2 @ b");
  EXPECT_EQ(contexts_.text(from_second, table_), "main:3 @ b");
}

TEST_F(ProbeContextsOf, RecursionIsCompressedUpToTheLengthWanted) {
  auto twice = path({call_any, call_any, call_any});
  auto blocks = path({call_a, call_any, call_a, call_any});
  EXPECT_EQ(text(twice, "b"), "main:3 @ b");
  EXPECT_EQ(text(blocks, "b"), "main:2 @ main:3 @ b");
  options_.policy.longest_recursion = 1;
  EXPECT_EQ(text(blocks, "b"), "main:2 @ main:3 @ main:2 @ main:3 @ b");
}

TEST_F(ProbeContextsOf, LongChainsKeepTheInnermostFrames) {
  auto chain = path({call_a, call_any});
  options_.policy.max_depth = 1;
  EXPECT_EQ(text(chain, "b"), "main:3 @ b");
  options_.policy.max_depth = 0;
  EXPECT_EQ(text(chain, "b"), "b");
  EXPECT_EQ(text(chain, "leaf"), "leaf");
}

TEST_F(ProbeContextsOf, TailCallsThatSamplesTookComeInBetween) {
  unwind::ContextCounts counts(unwind::ContextCounts::Kind::probes);
  counts.begin(counts.paths.child(CallPath::empty, at(call_a)));
  counts.add_branch({at(call_a), at(a), 1});
  counts.add_branch({at(a), at(b), 1});
  counts.add_range({at(b), at(b), 1});
  counts.normalize();
  MissingFrames missing(program_, functions_, counts, 8);
  EXPECT_EQ(text(path({call_a}), "b", &missing), "main:2 @ a:2 @ b");
  EXPECT_EQ(text(path({call_a}), "b"), "main:2 @ b") << "unless they are not wanted";
}

// What is remembered of chains belongs to one table.
TEST_F(ProbeContextsOf, AnotherTableBeginsAnew) {
  auto chain = path({call_a, call_any});
  auto find = finder();
  find.start(contexts_);
  of(find, chain, "b");
  profile::Contexts fresh;
  find.start(fresh);
  EXPECT_EQ(fresh.text(of(find, chain, "b"), table_), "main:2 @ main:3 @ b");
  EXPECT_EQ(fresh.end(), 4u);
}

}  // namespace
}  // namespace pgokit::generate
