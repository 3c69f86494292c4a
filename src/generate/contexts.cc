#include "generate/contexts.h"

#include "generate/context/lines/context_lines.h"
#include "generate/context/probes/context_probes.h"
#include "generate/functions/hit_functions.h"

namespace pgokit::generate {

Result<ContextResult> generate_contexts(const program::Program& program,
                                        unwind::ContextCounts counts,
                                        const ContextProfileOptions& options) {
  ContextResult result;
  if (counts.kind() == unwind::ContextCounts::Kind::probes) {
    TRY(add_context_probes(program, std::move(counts), options, result));
    result.samples.flags.probe_based = true;
  } else {
    result.functions_hit = functions_hit(program.functions(), CodeFunctions(program), counts);
    result.samples = context_lines(program, std::move(counts), options);
  }
  result.samples.flags.context_sensitive = true;
  result.samples.flags.fs_discriminators = program.has_fs_discriminators();
  return result;
}

}  // namespace pgokit::generate
