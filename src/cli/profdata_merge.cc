// llvm-profdata merge --sample: the same options, the same bytes.
#include "base/file.h"
#include "cli/llvm_options.h"
#include "cli/profdata.h"
#include "profile/format.h"

namespace pgokit::cli {
namespace {

struct Settings {
  std::vector<std::string> inputs, weighted_inputs;
  std::string output = "-";
  bool sample = false, instr = false;
  bool text = false, binary = false, extbinary = false;
  profile::WriteOptions writing;
};

Status merge_samples(Settings& s) {
  if (!s.sample) return fail("only sample profiles are merged here: give --sample");
  if (s.inputs.empty()) return fail("no input files specified. See llvm-profdata merge -help");
  profile::Profile sum;
  for (const auto& input : s.inputs) {
    auto file = TRY(MappedFile::open(input));
    auto read = TRY_IN(input, profile::read_profile(file.bytes()));
    profile::merge(sum, read.profile);
  }
  sum.sort();
  auto format = s.text     ? profile::Format::text
                : s.binary ? profile::Format::binary
                           : profile::Format::extbinary;
  auto bytes = TRY_IN(s.output, profile::write_profile(sum, format, s.writing));
  auto output = TRY(OutputFile::create(s.output));
  output.write(bytes);
  return output.commit();
}

int run(std::span<char* const> arguments) {
  Settings s;
  OptionTable table{"llvm-profdata merge",
                    "Merge sample profiles, with the options of llvm-profdata 22.",
                    {{"FILE", "", "the profiles", &s.inputs},
                     {"--output,-o", "FILE", "output file", &s.output},
                     {"--sample", "", "sample profiles", &s.sample},
                     {"--text", "", "text encoding", &s.text},
                     {"--binary", "", "binary encoding", &s.binary},
                     {"--extbinary", "", "extensible binary encoding (default)", &s.extbinary}},
                    ""};
  if (auto exit = parse_llvm_options(table, arguments)) return *exit;
  auto status = merge_samples(s);
  return status ? 0 : report_llvm_error(status.error());
}

}  // namespace

constexpr Command profdata_merge_command{"merge", "merge several profiles into one", run};

}  // namespace pgokit::cli
