// Sample profiles of any form, to be processed again. Several are added up as by llvm-profdata.

#include "base/file.h"
#include "pipeline/read_input.h"
#include "profile/format.h"
#include "profile/merge/merge_files.h"

namespace pgokit::pipeline {
namespace {

Status finish(const program::Program&, const ReadOptions& options, ReadInput& input) {
  const auto& paths = input.profile_files;
  if (paths.size() == 1) {
    auto file = TRY(MappedFile::open(paths[0]));
    input.profile =
        std::move(TRY_IN(file.path(), profile::read_profile_to_write(file.bytes())).profile);
    return {};
  }
  std::vector<profile::MergeInput> files;
  for (const auto& path : paths) files.push_back({path});
  auto merged = TRY(profile::merge_files(files, {.rule = profile::ChecksumRule::first,
                                                 .llvm_order = true,
                                                 .llvm_order_of_plain = false,
                                                 .strict = true,
                                                 .distinct = false,
                                                 .rename = {},
                                                 .threads = options.threads}));
  input.notes = std::move(merged.mismatches);
  input.profile = std::move(merged.profile);
  return {};
}

}  // namespace

const Input inputs::sample_profile{
    .name = "a sample profile",
    .sniff = [](Bytes bytes) { return profile::sniff(bytes).has_value(); },
    .read = [](const Source& source, ReadInput& into) -> Status {
      into.profile_files.push_back(source.path);
      return {};
    },
    .finish = finish,
    .refusal = "a sample profile, not a recording ('pgokit show' tells what is in it)",
};

}  // namespace pgokit::pipeline
