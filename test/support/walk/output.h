#pragma once

// Samples of a walk as files: perf script text, or perf.data.
//
//   auto out = TRY(ScriptOutput::create(path, layout, format));
//   out.sample(walk_sample);
//   TRY(out.commit());
//
// The text is what `perf script --show-mmap-events -F ip,brstack` prints of the perf.data, but for
// one thing: perf 6.1 prints the frames of call chains as offsets in their file, of which
// llvm-profgen knows nothing. Here they are run-time addresses, as older ones printed them.

#include <string>
#include <vector>

#include "base/file.h"
#include "object/file.h"
#include "perf/writer.h"
#include "walk/walker.h"

namespace pgokit::walk {

enum class Kind { lbr, hybrid, mixed };

// Where the program is in memory.
struct Layout {
  u32 pid = 4711;
  std::string path;
  u64 bias = 0;  // run-time address minus link-time address
  struct Mapping {
    u64 start, size, file_offset;
  };
  std::vector<Mapping> mappings;
};

// As the loader would map the executable segments; `base` is the address of the first page.
Layout lay_out(const object::File& file, const std::string& path, u32 pid, u64 base);
// The same for each of several processes, with the next pids.
std::vector<Layout> lay_out_processes(const object::File& file, const Layout& first, u64 base,
                                      u32 processes);

// Ways in which recordings are broken, in per mille of the samples each.
struct Damage {
  u32 warning = 0;      // perf's warnings between or within lines
  u32 cut = 0;          // a branch record that ends in the middle
  u32 external = 0;     // addresses outside on either side
  u32 zero = 0;         // branches from or to address zero
  u32 garbage = 0;      // lines that are nothing
  u32 off_by_one = 0;   // frames and sources one byte beside an instruction
  u32 shuffle = 0;      // branches that do not follow from each other
  u32 short_stack = 0;  // few branches, or a call chain of the leaf alone
};

// Changes what survives in perf.data too; the rest is for text.
void damage_addresses(const Damage& damage, u64 external, Random& random, WalkSample& sample);

class ScriptOutput {
 public:
  static Result<ScriptOutput> create(const std::string& path, const Layout& layout, Kind kind,
                                     const Damage& damage, bool aggregate, u64 seed);
  void sample(const WalkSample& sample);
  Status commit();

 private:
  ScriptOutput(OutputFile out, const Layout& layout, Kind kind, const Damage& damage,
               bool aggregate, u64 seed)
      : out_(std::move(out)),
        bias_(layout.bias),
        kind_(kind),
        damage_(damage),
        aggregate_(aggregate),
        random_(seed) {}

  void hex(u64 value, unsigned width = 0);
  void flush_if_full();

  OutputFile out_;
  std::string text_;
  u64 bias_;
  Kind kind_;
  Damage damage_;
  bool aggregate_;
  Random random_;
};

// Several processes take turns with the samples. The first starts the program; the second is a fork
// of it and runs on where it was loaded; the third is a fork that starts the program anew, at
// another address, and so on by turns. Before each start something else was mapped where the
// program comes to lie, and beside it.
class PerfOutput {
 public:
  static Result<PerfOutput> create(const std::string& path, std::vector<Layout> processes,
                                   Kind kind);
  void sample(const WalkSample& sample);
  Status commit() { return writer_.commit(); }

 private:
  PerfOutput(perf::Writer writer, std::vector<Layout> processes)
      : writer_(std::move(writer)), processes_(std::move(processes)) {}

  void start(const Layout& process);
  void map(const Layout& process, const Layout::Mapping& mapping, const std::string& path);

  perf::Writer writer_;
  std::vector<Layout> processes_;
  size_t next_ = 0;
  perf::RecordId at_;
  WalkSample moved_;
};

}  // namespace pgokit::walk
