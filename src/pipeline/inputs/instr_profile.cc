#include "instr_profile/format.h"
#include "pipeline/inputs.h"

namespace pgokit::pipeline {

const Input inputs::instr_profile{
    .name = "an instrumentation profile of clang (-fprofile-generate)",
    .sniff =
        [](Bytes bytes) {
          auto form = instr_profile::form_of(bytes);
          return form &&
                 (form != instr_profile::Form::text || instr_profile::looks_like_instr_text(bytes));
        },
    .refusal =
        "an instrumentation profile of clang, not a recording: 'pgokit merge' makes of it "
        "what -fprofile-use reads",
};

}  // namespace pgokit::pipeline
