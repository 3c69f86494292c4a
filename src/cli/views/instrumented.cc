#include "cli/views/instrumented.h"

#include <algorithm>

#include "base/cursor.h"
#include "base/named_function.h"
#include "cli/views/instrumented_json.h"
#include "cli/views/instrumented_program.h"
#include "cli/views/targets.h"
#include "instrument/blocks.h"
#include "instrument/dump.h"
#include "instrument/facts.h"
#include "instrument/map.h"
#include "instrument/profile_file.h"
#include "pipeline/library_names.h"
#include "report/function_names.h"
#include "report/json.h"
#include "report/numbers.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

using report::counted;
using report::grouped;
using report::percent;

class ModuleText {
 public:
  ModuleText(const instrument::Module& module, const ShowInstrumented& options, MipProgram* program)
      : module_(module), options_(options), program_(program), names_(options.mangled) {}

  std::string overview() {
    auto facts = instrument::facts_of(module_);
    print("program    {}{}\n", instrument::display_name(module_),
          module_.build_id.empty() ? ", build id not known"
                                   : ", build id " + object::hex(as_bytes(module_.build_id)));
    print("collected  {}\n", instrument::kind_names(module_.all_kinds()));
    print("dumps      {}\n", grouped(module_.data.dumps));
    if (module_.data.dumps == 0) {
      print("functions  {}; a map, no dump has been merged into it\n",
            grouped(module_.functions.size()));
    } else if (!(module_.all_kinds() & module_.kinds_of_runs())) {
      print("functions  {}\n", grouped(module_.functions.size()));
    } else {
      print("functions  {}, {} of them ran ({})\n", grouped(module_.functions.size()),
            grouped(facts.ran), percent(facts.ran, module_.functions.size()));
      if (facts.code)
        print("code       {}, {} in functions that ran ({})\n", report::file_size(facts.code),
              report::file_size(facts.code_ran), percent(facts.code_ran, facts.code));
    }
    if (facts.blocks && module_.data.dumps)
      print("blocks     {}, {} of them ran ({})\n", grouped(facts.blocks),
            grouped(facts.blocks_ran), percent(facts.blocks_ran, facts.blocks));
    if (facts.calls) print("calls      {}\n", grouped(facts.calls));
    if (facts.work && facts.blocks)
      print("share      of {}\n", module_.all_kinds() & MIP_BLOCKS64
                                      ? "the blocks that were executed, " + grouped(facts.work)
                                      : "the calls");
    print_dropped();
    if (module_.data.dumps && facts.ran) print_functions(facts, instrument::by_work(facts), true);
    return std::move(text_);
  }

  std::string all() {
    auto facts = instrument::facts_of(module_);
    std::vector<u32> order;
    for (const auto& f : facts.functions) order.push_back(f.function);
    print_functions(facts, order, false);
    return std::move(text_);
  }

  std::string never() {
    auto list = instrument::never_ran(module_);
    print("{:>10}  {}\n", "bytes", "never ran");
    know(first_of(list));
    for (u32 i : first_of(list))
      print("{:>10}  {}{}\n", grouped(module_.functions[i].size), name(i), place(i));
    print_left_out(list.size());
    return std::move(text_);
  }

  std::string order() {
    auto list = instrument::by_first_run(module_);
    if (list.empty()) return "no first run was recorded\n";  // of one of several programs
    print("{:>10} {:>12} {:>8}  function\n", "rank", "seconds", "dumps");
    know(first_of(list));
    for (u32 i : first_of(list)) {
      const auto& first = module_.data.first[i];
      print("{:>10} {:>12.6f} {:>8}  {}{}\n", report::fixed(*instrument::mean_rank(first)),
            static_cast<double>(first.microseconds) / static_cast<double>(first.dumps) / 1e6,
            grouped(first.dumps), name(i), place(i));
    }
    print_left_out(list.size());
    return std::move(text_);
  }

  std::string function(u32 i) {
    const auto& function = module_.functions[i];
    auto counts = instrument::block_counts(module_, function);
    print("function   {}{}\n", name(i), place(i));
    print("address    {:#x}, {}, {}, signature {:08x}\n", function.address,
          counted(function.size, "byte"), counted(function.block_count, "block"),
          function.signature);
    print("ran        in {} of {}", grouped(module_.data.ran[i]),
          counted(module_.data.dumps, "dump"));
    if (module_.data.calls[i]) print("; called {}", counted(module_.data.calls[i], "time"));
    print("\n");
    if (auto rank = instrument::mean_rank(module_.data.first[i]))
      print("first run  at rank {}\n", report::fixed(*rank));
    if (!counts.known()) return std::move(text_);
    print("\n{:>6} {:>10} {:>15}  {:<24} successors\n", "block", "offset",
          counts.executions.empty() ? "dumps" : "executions", "place");
    auto blocks = module_.blocks_of(function);
    for (u32 b = 0; b < blocks.size(); ++b) print_block(function, counts, b);
    return std::move(text_);
  }

 private:
  template <class... A>
  void print(fmt::format_string<A...> text, A&&... values) {
    text_ += report::format(text, std::forward<A>(values)...);
  }

  std::span<const u32> first_of(const std::vector<u32>& list) const {
    u64 most = options_.most_listed();
    return std::span(list).first(most ? std::min<size_t>(most, list.size()) : list.size());
  }
  void print_left_out(size_t listed) {
    u64 most = options_.most_listed();
    if (most && most < listed)
      print("... and {} more (--top 0 shows all)\n", grouped(listed - most));
  }

  void know(std::span<const u32> functions) {
    for (u32 i : functions)
      names_.add(module_.name(module_.functions[i]), source_file(module_, module_.functions[i]));
  }
  std::string name(u32 i) const {
    return names_.of(module_.name(module_.functions[i]),
                     source_file(module_, module_.functions[i]));
  }

  // "  at app.c:3"
  std::string place(u32 i) {
    auto* places = program_ ? program_->places() : nullptr;
    auto text = places ? places->of_function(module_.functions[i]).text() : "";
    return text.empty() ? "" : "  at " + text;
  }

  void print_dropped() {
    const std::pair<const char*, const char*> kinds[] = {
        {"sampled calls", ": pgokit flags --buffer N"},
        {"indirect call targets", ": pgokit flags --per-site N, --target-buffer N"},
        {"first runs", ": pgokit flags --buffer N"},
        {"other events", ""}};
    for (size_t i = 0; i < MIP_DROPPED_COUNT; ++i)
      if (module_.data.dropped[i])
        print("lost       {} {}, for which there was no room{}\n", grouped(module_.data.dropped[i]),
              kinds[i].first, kinds[i].second);
  }

  void print_functions(const instrument::ModuleFacts& facts, const std::vector<u32>& order,
                       bool hottest) {
    bool blocks = facts.blocks > 0;
    bool calls = module_.all_kinds() & (MIP_CALLS32 | MIP_CALLS64 | MIP_BLOCKS64);
    if (hottest) print("\n");
    print("{:>10}", "dumps");
    if (calls) print(" {:>15}", "calls");
    bool share = blocks && facts.work;
    if (share) print(" {:>8}", "share");
    if (blocks) print(" {:>12}", "blocks ran");
    print("  function\n");
    u64 most = hottest ? options_.most_hot() : options_.most_listed();
    auto ran = [&](u32 i) { return facts.functions[i].ran != 0; };
    auto end = hottest ? std::ranges::find_if_not(order, ran) : order.end();
    auto shown = static_cast<size_t>(end - order.begin());
    if (most) shown = std::min<size_t>(shown, most);
    auto list = std::span(order).first(shown);
    know(list);
    for (u32 i : list) {
      const auto& f = facts.functions[i];
      print("{:>10}", grouped(f.ran_dumps));
      if (calls) print(" {:>15}", grouped(f.calls));
      if (share) print(" {:>8}", percent(f.work, facts.work, 2));
      if (blocks)
        print(" {:>12}",
              f.blocks ? report::format("{}/{}", grouped(f.blocks_ran), grouped(f.blocks)) : "-");
      print("  {}{}\n", name(i), place(i));
    }
    if (hottest && shown < facts.ran)
      print("... and {} more that ran (--top 0 shows all)\n", grouped(facts.ran - shown));
    if (!hottest) print_left_out(order.size());
  }

  void print_block(const instrument::Function& function, const instrument::BlockCounts& counts,
                   u32 b) {
    const auto& block = module_.blocks_of(function)[b];
    std::string successors;
    for (u32 successor : module_.successors_of(block))
      successors += report::format(" {}", successor);
    auto* places = program_ ? program_->places() : nullptr;
    print("{:>6} {:>#10x} {:>15}  {:<24}{}\n", b, block.address - function.address,
          grouped(counts.executions.empty() ? counts.ran[b] : counts.executions[b]),
          places ? places->of(block.address, module_.block_end(function, b)).text() : "",
          successors);
  }

  const instrument::Module& module_;
  const ShowInstrumented& options_;
  MipProgram* program_;
  report::FunctionNames names_;
  std::string text_;
};

void know_end(const instrument::Profile& profile, u32 module, u64 address,
              report::FunctionNames& names) {
  const auto& m = profile.modules[module];
  if (const auto* function = m.find(address))
    names.add(m.name(*function), source_file(m, *function));
}

std::string end_of_edge(const instrument::Profile& profile, u32 module, u64 address,
                        const report::FunctionNames& names, bool same_module) {
  const auto& m = profile.modules[module];
  const auto* function = m.find(address);
  std::string text = function ? names.of(m.name(*function), source_file(m, *function))
                              : report::format("{:#x}", address);
  if (function && address != function->address)
    text += report::format("+{:#x}", address - function->address);
  return same_module ? text : text + " in " + instrument::display_name(m);
}

std::string edges_text(const instrument::Profile& profile, const ShowInstrumented& options) {
  auto edges = profile.edges;
  std::ranges::stable_sort(edges, std::greater{}, &instrument::Edge::calls);
  std::string text = report::format("{:>15} {:>10}  call\n", "calls", "samples");
  size_t left_out = 0;
  if (u64 most = options.most_listed(); most && most < edges.size()) {
    left_out = edges.size() - most;
    edges.resize(most);
  }
  report::FunctionNames names(options.mangled);
  for (const auto& e : edges) {
    know_end(profile, e.from_module, e.from, names);
    know_end(profile, e.to_module, e.to, names);
  }
  for (const auto& e : edges)
    text += report::format(
        "{:>15} {:>10}  {} -> {}\n", grouped(e.calls), grouped(e.samples),
        end_of_edge(profile, e.from_module, e.from, names, true),
        end_of_edge(profile, e.to_module, e.to, names, e.from_module == e.to_module));
  if (left_out) text += report::format("... and {} more (--top 0 shows all)\n", grouped(left_out));
  return text;
}

std::string functions_named(const instrument::Profile& profile, const ShowInstrumented& options,
                            MipPrograms& programs) {
  std::string text;
  for (const auto& module : profile.modules)
    for (u32 i = 0; i < module.functions.size(); ++i) {
      if (!options.meant.contains(module.name(module.functions[i]))) continue;
      text +=
          (text.empty() ? "" : "\n") + ModuleText(module, options, programs.of(module)).function(i);
    }
  return text;
}

Result<std::string> profile_text(const instrument::Profile& profile,
                                 const ShowInstrumented& options, MipPrograms& programs) {
  if (!options.source.empty()) return annotated_sources(profile, programs, options.source);
  if (!options.function.empty()) return functions_named(profile, options, programs);
  if (options.edges) return edges_text(profile, options);
  std::string text;
  for (const auto& module : profile.modules) {
    if (!module.has_map()) continue;
    ModuleText one(module, options, programs.of(module));
    if (!text.empty()) text += "\n";
    text += options.never   ? one.never()
            : options.order ? one.order()
            : options.all   ? one.all()
                            : one.overview();
  }
  if (!profile.values.empty() && !options.never && !options.order && !options.all)
    text += "\nvalues of calls were recorded (--targets lists them)\n";
  if (!profile.edges.empty() && !options.never && !options.order && !options.all)
    text +=
        report::format("\n{} sampled (--edges lists them)\n",
                       counted(profile.edges.size(), "distinct call was", "distinct calls were"));
  return text;
}

std::string when(u64 nanoseconds) {
  time_t seconds = static_cast<time_t>(nanoseconds / 1000000000);
  tm parts{};
  if (!gmtime_r(&seconds, &parts)) return "?";
  char text[32];
  return {text, strftime(text, sizeof text, "%F %T", &parts)};
}

Status show_dumps(const MappedFile& file, bool json) {
  instrument::DumpReader reader(file.bytes());
  report::Json list = report::Json::array();
  if (!json)
    report::print("{:>8} {:>4} {:>20} {:>10} {:>8} {:>8}  {:<12} program\n", "pid", "no.",
                  "started (UTC)", "seconds", "counters", "calls", "build id");
  while (auto dump = reader.next()) {
    if (json) {
      list.push(dump_json(*dump));
      continue;
    }
    const auto& h = dump->header;
    report::print(
        "{:>8} {:>4} {:>20} {:>10.3f} {:>8} {:>8}  {:<12} {}\n", h.pid, h.sequence,
        when(h.start_time),
        h.dump_time > h.start_time ? static_cast<double>(h.dump_time - h.start_time) / 1e9 : 0,
        grouped(dump->raw.size()), grouped(dump->edges.size()),
        object::hex(as_bytes(dump->build_id)).substr(0, 12), dump->path);
  }
  if (json) report::print("{}\n", report::lines(list.text()));
  const auto& facts = reader.facts();
  if (facts.damaged)
    report::print(stderr, "warning   {}: {}; the first at {}\n", file.path(),
                  counted(facts.damaged, "damaged record"), facts.first_damage);
  if (facts.records == 0) return fail("{}: no record of it can be read", file.path());
  return {};
}

Result<std::set<std::string_view>> names_meant(const instrument::Profile& profile,
                                               std::string_view wanted) {
  std::vector<FunctionNamed> names;
  for (const auto& module : profile.modules)
    for (const auto& function : module.functions) names.push_back({module.name(function)});
  std::set<std::string_view> meant;
  for (size_t i : TRY(functions_meant(wanted, names))) meant.insert(names[i].name);
  return meant;
}

// Some site was reached.
bool any_value(const instrument::Profile& profile) {
  if (!profile.values.empty()) return true;
  return std::ranges::any_of(profile.modules, [](const instrument::Module& module) {
    return std::ranges::any_of(module.data.values_dropped, [](u64 count) { return count > 0; });
  });
}

// A list that would be empty is an error, with its cause.
Status check_collected(const instrument::Profile& profile, const ShowInstrumented& options) {
  constexpr u32 orders = MIP_ORDER | MIP_ORDER_LOG | MIP_ORDER_CALLS;
  u32 kinds = 0;
  u64 dumps = 0;
  bool any_order = false;
  for (const auto& module : profile.modules) {
    kinds |= module.all_kinds();
    dumps += module.data.dumps;
    any_order |= std::ranges::any_of(
        module.data.first, [](const instrument::FirstRuns& first) { return first.dumps > 0; });
  }
  if (options.order && !(kinds & orders))
    return usage_error(
        "--order: first runs were not collected; 'pgokit flags order' tells how to collect them");
  if (options.edges && !(kinds & MIP_EDGES) && profile.edges.empty())
    return usage_error(
        "--edges: calls were not sampled; 'pgokit flags edges' tells how to sample them");
  if (options.targets && !(kinds & MIP_VALUES))
    return usage_error(
        "--targets: they were not collected; 'pgokit flags targets' tells how to collect them");
  constexpr const char* no_dump =
      "no dump is in it: run the program, then 'pgokit merge' adds what it has written";
  if (options.order && !any_order)
    return fail("--order: {}", dumps ? "no function has run for the first time in its dumps: logs "
                                       "of a process that was reset, or cut off, begin too late"
                                     : no_dump);
  if (options.edges && profile.edges.empty())
    return fail(
        "--edges: {}",
        dumps ? "no call was sampled: run for longer, or with a smaller 'pgokit flags edges --rate'"
              : no_dump);
  if (options.targets && !any_value(profile))
    return fail("--targets: {}",
                dumps ? "none of the program's indirect calls was reached, or it has none: run it "
                        "with other input"
                      : no_dump);
  return {};
}

void print_targets(const instrument::Profile& profile, const ShowInstrumented& options,
                   MipPrograms& programs, bool json) {
  report::print("{}", report::lines(json ? targets_json(profile, programs).text() + "\n"
                                         : targets_text(profile, options, programs)));
}

}  // namespace

Result<instrument::Profile> profile_or_map(Bytes bytes) {
  if (instrument::is_profile(bytes)) return instrument::read_profile(bytes);
  auto map = TRY(instrument::read_map("", bytes));
  instrument::Profile profile;
  profile.modules.push_back(std::move(map.module));
  return profile;
}

Status show_recorded_targets(const std::string& path, const ShowInstrumented& options, bool json) {
  auto profile = TRY(recorded_targets(path, options.program()));
  auto programs = TRY(MipPrograms::open(options.programs));
  print_targets(profile, options, programs, json);
  return {};
}

Status show_instrumented(const MappedFile& file, const ShowInstrumented& asked, bool json) {
  if (instrument::DumpReader::recognizes(file.bytes())) return show_dumps(file, json);
  auto profile = TRY_IN(file.path(), profile_or_map(file.bytes()));
  auto options = asked;
  TRY_IN(file.path(), check_collected(profile, options));
  if (!options.function.empty())
    options.meant = TRY_IN(file.path(), names_meant(profile, options.function));
  auto programs = TRY(MipPrograms::open(options.programs));
  TRY(programs.check(profile, file.path()));
  if (!options.source.empty() && programs.empty())
    return usage_error("--source wants the program with its debug information: -b PROGRAM");
  if (options.targets) {
    pipeline::name_libraries(profile, options.programs, file.path());
    print_targets(profile, options, programs, json);
    return {};
  }
  report::print(
      "{}", report::lines(json ? profile_json(profile, options, programs)
                               : TRY_IN(file.path(), profile_text(profile, options, programs))));
  return {};
}

}  // namespace pgokit::cli
