#pragma once

// Tests on the program of tail_call_program.h.
//
//   class MissingFramesTest : public test::TailCallTest { ... };    // opened
//   class ProbeContextsOf : public test::TailCallProbesTest { ... };  // and its probes decoded

#include <gtest/gtest.h>

#include "generate/context/probes/probe_code.h"
#include "generate/functions/hit_functions.h"
#include "test/support/shell.h"
#include "test/support/tail_call_program.h"

namespace pgokit::test {

class TailCallTest : public testing::Test {
 protected:
  program::Program open() {
    dir_.write("tail", tail_call_program().image());
    auto program = *program::Program::open(dir_.file("tail"), {});
    EXPECT_TRUE(program.load_functions(1));
    return program;
  }
  program::CodeIndex at(u64 address) const { return program_.code().index_of({address}); }

  ScratchDir dir_;
  program::Program program_ = open();
  generate::CodeFunctions functions_{program_};
};

class TailCallProbesTest : public TailCallTest {
 protected:
  probe::Table probes_ = *program_.probe_table();
  probe::Decoded decoded_ = generate::decode_probes(
      program_, probes_, std::vector<bool>(program_.functions().size(), true));
  generate::ProbeCode code_{program_, functions_, decoded_};
};

}  // namespace pgokit::test
