#include "profile/extbinary/function_adder.h"
#include "profile/readers.h"

namespace pgokit::profile {
namespace {

ReadProfile decoded(BinaryIndex index) {
  ReadProfile result{{}, index.format, index.md5_names, index.sections, index.unknown_sections, {}};
  Profile& profile = result.profile;
  profile.flags = index.flags;
  auto tables = FileTables::take(index, profile);
  FunctionAdder adder(index, tables, {});
  for (const auto& entry : index.functions) {
    auto context = tables.context(entry, profile);
    bool fresh = !profile.find(context);
    adder.add(entry, profile.function(context), fresh);
  }
  take_symbols(index, profile.symbols);
  profile.sort();
  return result;
}

}  // namespace

Result<ReadProfile> read_binary(Bytes bytes, const ReadOptions& options) {
  return decoded(TRY(index_binary(bytes, options)));
}

Result<ReadProfile> read_extbinary(Bytes bytes, const ReadOptions& options) {
  return decoded(TRY(index_extbinary(bytes, options)));
}

}  // namespace pgokit::profile
