// pgokit-walk: makes recordings of a program without running it, for tests and benchmarks.

#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>

#include "walk/output.h"

namespace {

using namespace pgokit;
using namespace pgokit::walk;

constexpr const char* usage = R"(usage: pgokit-walk BINARY -o OUT [options]
  --samples N          how many (1000)
  --depth N            branches per sample (32)
  --frames N           addresses per call chain (40)
  --period N           mean branches between samples (64)
  --hot N              lean towards a few functions, per cent; 0: none (100)
  --seed N             another walk (1)
  --kind KIND          lbr, hybrid or mixed (lbr)
  --format FORMAT      script or perfdata (script)
  --pid N              (4711)
  --processes N        that take turns, from --pid on (1); perfdata has each one's own addresses,
                       script has them all as if where the first one is
  --base ADDRESS       where a position-independent program is loaded (0x555555554000)
  --name PATH          the program's path in the mapping records (its own)
  --repeat N           per cent of the samples that are an earlier one again (0)
  --aggregate          put repeat counts before the samples (script only)
  --damage KIND[=N]    break N per mille of the samples (20); may be repeated. KIND is warning, cut,
                       external, zero, garbage, off-by-one, shuffle, short or all
)";

struct Options {
  std::string binary, out, name;
  u64 samples = 1000, base = 0x555555554000;
  u32 pid = 4711, processes = 1, repeat = 0;
  Kind kind = Kind::lbr;
  bool perfdata = false, aggregate = false;
  WalkOptions walk;
  Damage damage;
};

Result<u64> number(std::string_view text) {
  int base = text.starts_with("0x") ? 16 : 10;
  if (base == 16) text.remove_prefix(2);
  u64 value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size())
    return usage_error("not a number: {}", text);
  return value;
}

Status add_damage(Damage& damage, std::string_view text) {
  size_t equals = text.find('=');
  u32 share = 20;
  if (equals != std::string_view::npos)
    share = static_cast<u32>(TRY(number(text.substr(equals + 1))));
  std::string_view kind = text.substr(0, equals);
  const std::map<std::string_view, u32*> kinds = {
      {"warning", &damage.warning},   {"cut", &damage.cut},
      {"external", &damage.external}, {"zero", &damage.zero},
      {"garbage", &damage.garbage},   {"off-by-one", &damage.off_by_one},
      {"shuffle", &damage.shuffle},   {"short", &damage.short_stack},
  };
  if (kind == "all") {
    for (auto& [name, field] : kinds) *field = share;
    return {};
  }
  auto found = kinds.find(kind);
  if (found == kinds.end()) return usage_error("no such damage: {}", kind);
  *found->second = share;
  return {};
}

Status set_option(Options& out, std::string_view name, std::string_view value) {
  const std::map<std::string_view, u32*> numbers = {{"--depth", &out.walk.depth},
                                                    {"--frames", &out.walk.frames},
                                                    {"--period", &out.walk.period},
                                                    {"--hot", &out.walk.hot},
                                                    {"--pid", &out.pid},
                                                    {"--repeat", &out.repeat},
                                                    {"--processes", &out.processes}};
  if (auto found = numbers.find(name); found != numbers.end()) {
    *found->second = static_cast<u32>(TRY(number(value)));
  } else if (name == "--samples") {
    out.samples = TRY(number(value));
  } else if (name == "--seed") {
    out.walk.seed = TRY(number(value));
  } else if (name == "--base") {
    out.base = TRY(number(value));
  } else if (name == "--name") {
    out.name = value;
  } else if (name == "-o") {
    out.out = value;
  } else if (name == "--damage") {
    return add_damage(out.damage, value);
  } else if (name == "--kind" && (value == "lbr" || value == "hybrid" || value == "mixed")) {
    out.kind = value == "lbr" ? Kind::lbr : value == "hybrid" ? Kind::hybrid : Kind::mixed;
  } else if (name == "--format" && (value == "script" || value == "perfdata")) {
    out.perfdata = value == "perfdata";
  } else {
    return usage_error("{} {} is not understood\n{}", name, value, usage);
  }
  return {};
}

Result<Options> parse(int argc, char** argv) {
  Options out;
  for (int i = 1; i < argc; ++i) {
    std::string_view word = argv[i];
    if (word == "--aggregate") {
      out.aggregate = true;
    } else if (!word.starts_with('-')) {
      out.binary = word;
    } else if (i + 1 < argc) {
      if (Status set = set_option(out, word, argv[++i]); !set)
        return std::unexpected(std::move(set).error());
    } else {
      return usage_error("{}", usage);
    }
  }
  if (out.binary.empty() || out.out.empty() || out.walk.depth == 0 || out.processes == 0 ||
      out.walk.period < 2)
    return usage_error("{}", usage);
  return out;
}

// Some of the last samples, the older ones the more often.
class Earlier {
 public:
  bool empty() const { return kept_.empty(); }
  void keep(const WalkSample& sample) {
    if (kept_.size() < 4096) return kept_.push_back(sample);
    kept_[next_++ % kept_.size()] = sample;
  }
  const WalkSample& pick(Random& random) const {
    return kept_[random.below(random.below(static_cast<u32>(kept_.size())) + 1)];
  }

 private:
  std::vector<WalkSample> kept_;
  size_t next_ = 0;
};

template <class Output>
Status write(const Options& options, const Program& program, Output output) {
  Walker walker(program, options.walk);
  Random random(options.walk.seed + 1);
  Random choice(options.walk.seed + 3);
  Earlier earlier;
  for (u64 i = 0; i < options.samples; ++i) {
    bool again = !earlier.empty() && choice.below(100) < options.repeat;
    WalkSample sample = again ? earlier.pick(choice) : walker.next();
    if (!again && options.repeat) earlier.keep(sample);
    damage_addresses(options.damage, program.external, random, sample);
    output.sample(sample);
  }
  return output.commit();
}

Status run(int argc, char** argv) {
  Options options = TRY(parse(argc, argv));
  auto file = TRY(MappedFile::open(options.binary));
  auto elf = TRY_IN(options.binary, object::File::parse(file.bytes()));
  Program program = TRY_IN(options.binary, Program::read(elf));
  std::string path =
      options.name.empty() ? std::filesystem::absolute(options.binary).string() : options.name;
  Layout layout = lay_out(elf, path, options.pid, options.base);
  if (options.perfdata)
    return write(options, program,
                 TRY(PerfOutput::create(
                     options.out, lay_out_processes(elf, layout, options.base, options.processes),
                     options.kind)));
  return write(options, program,
               TRY(ScriptOutput::create(options.out, layout, options.kind, options.damage,
                                        options.aggregate, options.walk.seed + 2)));
}

}  // namespace

int main(int argc, char** argv) {
  Status done = run(argc, argv);
  if (done) return 0;
  std::fprintf(stderr, "pgokit-walk: %s\n", done.error().message.c_str());
  return done.error().exit_code;
}
