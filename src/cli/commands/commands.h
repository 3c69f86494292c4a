#pragma once

#include "cli/command.h"

namespace pgokit::cli {

extern const Command optimize_command;
extern const Command doctor_command;
extern const Command record_command;
extern const Command generate_command;
extern const Command flags_command;
extern const Command map_command;
extern const Command merge_command;
extern const Command show_command;
extern const Command report_command;
extern const Command export_command;
extern const Command compare_command;
extern const Command check_command;
extern const Command explain_command;
extern const Command match_command;
extern const Command order_command;
extern const Command measure_command;
extern const Command bisect_command;
extern const Command probes_command;
extern const Command llvm_profgen_command;
extern const Command llvm_profdata_command;
extern const Command perf2bolt_command;
extern const Command create_llvm_prof_command;
extern const Command generate_propeller_profiles_command;
extern const Command create_gcov_command;
extern const Command profile_merger_command;
extern const Command help_command;
extern const Command completion_command;
extern const Command cargo_pgokit_command;

inline constexpr const Command* commands[] = {&optimize_command,
                                              &doctor_command,
                                              &record_command,
                                              &generate_command,
                                              &flags_command,
                                              &map_command,
                                              &merge_command,
                                              &show_command,
                                              &report_command,
                                              &export_command,
                                              &compare_command,
                                              &check_command,
                                              &explain_command,
                                              &match_command,
                                              &order_command,
                                              &measure_command,
                                              &bisect_command,
                                              &probes_command,
                                              &llvm_profgen_command,
                                              &llvm_profdata_command,
                                              &perf2bolt_command,
                                              &create_llvm_prof_command,
                                              &generate_propeller_profiles_command,
                                              &create_gcov_command,
                                              &profile_merger_command,
                                              &help_command,
                                              &completion_command,
                                              &cargo_pgokit_command};

}  // namespace pgokit::cli
