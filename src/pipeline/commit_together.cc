#include "pipeline/commit_together.h"

#include <filesystem>

namespace pgokit::pipeline {

Status commit_together(std::span<const PendingOutput> outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    auto done = outputs[i].file->commit();
    if (done) continue;
    std::error_code ignored;
    for (const auto& before : outputs.first(i))
      if (std::filesystem::is_regular_file(before.path, ignored))
        std::filesystem::remove(before.path, ignored);
    return done;
  }
  return {};
}

}  // namespace pgokit::pipeline
