#include "generate/contexts.h"

#include "generate/context_lines.h"
#include "generate/context_probes.h"
#include "generate/hit_functions.h"

namespace pgokit::generate {

Result<ContextResult> generate_contexts(const binary::Program& program,
                                        unwind::ContextCounts counts,
                                        const ContextProfileOptions& options) {
  ContextResult result;
  auto& profile = result.profile;
  profile.flags.context_sensitive = true;
  profile.flags.fs_discriminators = program.has_fs_discriminators();
  if (counts.kind() == unwind::ContextCounts::Kind::probes) {
    profile.flags.probe_based = true;
    TRY(add_context_probes(program, counts, options, result));
  } else {
    result.functions_hit = functions_hit(program.functions(), CodeFunctions(program), counts);
    profile.names = std::move(counts.names);
    profile.contexts = std::move(counts.contexts);
    add_context_lines(program, counts, options, profile);
  }
  profile.sort();
  return result;
}

}  // namespace pgokit::generate
