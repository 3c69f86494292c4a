// `pgokit probes dump`: the probe sections as they stand in the file. Written while they are read,
// so that memory does not grow with them.
#include <iterator>

#include "base/printable.h"
#include "cli/commands/probes_commands.h"
#include "cli/commands/probes_directives.h"
#include "cli/function_filter.h"
#include "cli/options.h"
#include "cli/views/list_output.h"
#include "cli/views/probe_names.h"
#include "probe/walk.h"
#include "report/append.h"
#include "report/json.h"

namespace pgokit::cli {
namespace {

struct Settings {
  std::string file, function;
  program::ProbeFileOptions options;
  bool json = false, mangled = false, directives = false;
};

// What both forms for people and programs have in common: which records are shown, and where their probes are.
struct Place {
  std::string section;  // of objects: the code section that offsets count in
  u64 origin = 0;       // to be taken from addresses
};

Place place_of(const program::ProbeFile& file, const probe::RecordHead& head) {
  if (!head.located) return {"", head.base};
  if (!file.layout().is_relocatable()) return {};
  auto place = file.layout().place_of(head.base);
  if (!place) return {};
  return {std::string(place->section->name), file.layout().address_of(*place->section)};
}

class TextDump {
 public:
  TextDump(const program::ProbeFile& file, const FunctionFilter& filter, ListOutput& out,
           bool mangled)
      : file_(file), filter_(filter), out_(out), mangled_(mangled) {}

  void descriptors() {
    out_.put("descriptors\n  {:>20}  {:>18}  name\n", "GUID", "hash");
    auto line = [&](const probe::Descriptor& one, std::string_view remark) {
      if (!filter_.matches(one.name)) return;
      any_ = true;
      out_.put("  {:>20}  {:>18}  {}{}\n", one.guid, one.hash,
               printable_line(listed_name(one.name, mangled_)), remark);
      out_.flush(1 << 16);
    };
    for (const auto& one : file_.descriptors().list()) line(one, "");
    for (const auto& one : file_.descriptors().duplicates()) {
      bool same = file_.descriptors().find(one.guid)->hash == one.hash;
      line(one, same ? "  (again)" : "  (again, with another hash: does not count)");
    }
  }

  void begin(const probe::RecordHead& head) {
    out_.flush(1 << 16);
    shown_ = filter_.matches(probe_function_name(file_, head.guid));
    if (!shown_) return;
    any_ = true;
    place_ = place_of(file_, head);
    located_ = head.located;
    out_.put("\n{}", name(head.guid));
    if (head.is_part()) {
      std::string_view symbol = file_.symbol_name(head.symbol);
      symbol.empty()
          ? out_.put(", in the code of GUID {}", head.symbol)
          : out_.put(", in the code of {}", printable_line(listed_name(symbol, mangled_)));
    }
    if (head.absolute)
      out_.put(": absolute addresses");
    else if (!located_)
      out_.put(": no symbol tells where; offsets are relative to its start");
    else if (place_.section.empty())
      out_.put(": {:#x}", head.base);
    else
      out_.put(": {}+{:#x}", printable_line(place_.section), head.base - place_.origin);
    out_.put("\n");
  }

  void enter(const probe::RawNode& node) {
    ++depth_;
    if (!shown_ || depth_ == 1) return;
    std::string& text = out_.text();
    text.append(indent() - 2, ' ') += '@';
    report::append_decimal(text, node.call_site);
    text.append(" ").append(name(node.guid)) += '\n';
  }

  void probe(const probe::RawProbe& raw, u64 address) {
    if (!shown_ || raw.is_sentinel()) return;
    std::string& text = out_.text();
    text.append(indent(), ' ');
    size_t start = text.size();
    if (!located_) text += '+';
    report::append_hex(text, address - place_.origin, located_ ? 8 : 0);
    if (size_t size = text.size() - start; size < 8) text.insert(start, 8 - size, ' ');
    report::append_decimal(text, raw.index, 6);
    text.append("  ").append(probe_type_name(raw.type));
    if (raw.discriminator) out_.put(", discriminator {}", raw.discriminator);
    if (raw.attributes & probe::reserved_attribute) text += ", attribute 1";
    text += '\n';
  }

  void leave() { --depth_; }
  void finish() {}
  bool any() const { return any_; }  // function was shown

 private:
  // Deeper ones are not moved further right: a damaged file may nest them by the ten thousands.
  size_t indent() const { return 2 * std::min<size_t>(depth_, 40); }
  const std::string& name(u64 guid) {
    auto [at, added] = names_.try_emplace(guid);
    if (!added) return at->second;
    std::string_view name = probe_function_name(file_, guid);
    at.value() =
        printable_line(name.empty() ? shown_function(file_, guid) : listed_name(name, mangled_));
    return at->second;
  }

  const program::ProbeFile& file_;
  const FunctionFilter& filter_;
  ListOutput& out_;
  bool mangled_;
  Place place_;
  bool any_ = false, shown_ = true, located_ = true;
  size_t depth_ = 0;
  tsl::robin_map<u64, std::string, IntHash> names_;
};

// One line per function with code. Inlined functions stand in a flat list and name their parent's
// position in it, because nested lists as deep as hostile files have them break JSON readers.
class JsonDump {
 public:
  JsonDump(const program::ProbeFile& file, const FunctionFilter& filter, ListOutput& out, bool)
      : file_(file), filter_(filter), out_(out) {}

  void descriptors() {
    out_.put("{{\n\"file\": {},\n\"relocatable\": {},\n\"descriptors\": [",
             report::json_quoted(file_.path()), file_.layout().is_relocatable());
    const char* separator = "\n";
    auto line = [&](const probe::Descriptor& one, bool counts) {
      if (!filter_.matches(one.name)) return;
      any_ = true;
      out_.put(R"({}{{"guid": "{}", "hash": "{}", "name": {}{}}})", std::exchange(separator, ",\n"),
               one.guid, one.hash, report::json_quoted(one.name),
               counts ? "" : R"(, "duplicate": true)");
      out_.flush(1 << 16);
    };
    for (const auto& one : file_.descriptors().list()) line(one, true);
    for (const auto& one : file_.descriptors().duplicates()) line(one, false);
    out_.put("],\n\"functions\": [");
  }

  void begin(const probe::RecordHead& head) {
    out_.flush(1 << 16);
    close_record();
    shown_ = filter_.matches(probe_function_name(file_, head.guid));
    if (!shown_) return;
    any_ = true;
    Place place = place_of(file_, head);
    origin_ = place.origin;
    std::string_view symbol = file_.symbol_name(head.symbol);
    out_.put(
        R"({}{{"function": {}, "guid": "{}", "symbol": {}, "offset": {}, "section": {}, "start": {}, "nodes": [)",
        std::exchange(record_separator_, ",\n"), name(head.guid), head.guid,
        symbol.empty() ? "null" : report::json_quoted(symbol), head.offset,
        place.section.empty() ? "null" : report::json_quoted(place.section),
        head.located ? fmt::format("{}", head.base - origin_) : "null");
    open_ = true;
    nodes_ = 0;
    parents_.clear();
  }

  void enter(const probe::RawNode& node) {
    if (!shown_) return;
    close_node();
    std::string parent = parents_.empty() ? "null" : fmt::format("{}", parents_.back());
    out_.put(R"({}{{"function": {}, "guid": "{}", "parent": {}, "call_site": {}, "probes": [)",
             nodes_ ? ", " : "", name(node.guid), node.guid, parent, node.call_site);
    parents_.push_back(nodes_++);
    node_open_ = true;
    probe_separator_ = "";
  }

  void probe(const probe::RawProbe& raw, u64 address) {
    if (!shown_ || raw.is_sentinel()) return;
    std::string& text = out_.text();
    text.append(std::exchange(probe_separator_, ", ")).append(R"({"index": )");
    report::append_decimal(text, raw.index);
    text.append(R"(, "type": ")").append(probe_type_name(raw.type)).append(R"(", "attributes": )");
    report::append_decimal(text, raw.attributes);
    text += R"(, "at": )";
    report::append_decimal(text, address - origin_);
    if (raw.discriminator) out_.put(R"(, "discriminator": {})", raw.discriminator);
    text += '}';
  }

  void leave() {
    if (shown_) parents_.pop_back();
  }
  void finish() {
    close_record();
    out_.put("]\n}}\n");
  }
  bool any() const { return any_; }  // function was shown

 private:
  const std::string& name(u64 guid) {
    auto [at, added] = names_.try_emplace(guid);
    if (!added) return at->second;
    std::string_view name = probe_function_name(file_, guid);
    at.value() = name.empty() ? "null" : report::json_quoted(name);
    return at->second;
  }
  void close_node() {
    if (std::exchange(node_open_, false)) out_.put("]}}");
  }
  void close_record() {
    close_node();
    if (std::exchange(open_, false)) out_.put("]}}");
  }

  const program::ProbeFile& file_;
  const FunctionFilter& filter_;
  ListOutput& out_;
  u64 origin_ = 0;
  bool any_ = false, shown_ = true, open_ = false, node_open_ = false;
  const char *record_separator_ = "\n", *probe_separator_ = "";
  std::vector<u32> parents_;
  u32 nodes_ = 0;
  tsl::robin_map<u64, std::string, IntHash> names_;
};

template <class Dump>
Status write(const program::ProbeFile& file, Dump& dump) {
  dump.descriptors();
  std::string broken;
  for (const auto& section : file.sections())
    if (auto at = probe::walk_section(section.bytes, file.address_of(section), dump))
      if (broken.empty()) broken = broken_record(section, *at);
  dump.finish();
  return all_read(file, broken);
}

template <class Dump>
Status dump_as(const Settings& settings, const program::ProbeFile& file,
               const FunctionFilter& filter, OutputFile& output) {
  ListOutput out(output);
  Dump dump(file, filter, out, settings.mangled);
  Status status = write(file, dump);
  if (status && filter.is_set() && !dump.any()) {
    std::vector<FunctionNamed> names;
    for (const auto& one : file.descriptors().list()) names.push_back({one.name});
    return nothing_matches(file.path(), settings.function, names);
  }
  out.flush();
  return status;
}

Status dump(const Settings& settings) {
  if (settings.json && settings.directives)
    return usage_error("--json and --directives: one of them");
  auto filter = TRY(FunctionFilter::compile(settings.function));
  auto file = TRY(program::ProbeFile::open(settings.file, settings.options));
  auto output = TRY(OutputFile::create("-"));
  if (!settings.json && !settings.directives) output.escape();
  Status status = settings.json         ? dump_as<JsonDump>(settings, file, filter, output)
                  : settings.directives ? dump_as<DirectiveDump>(settings, file, filter, output)
                                        : dump_as<TextDump>(settings, file, filter, output);
  TRY(output.commit());
  return status;
}

int run(std::span<char* const> arguments) {
  Settings settings;
  OptionTable table{
      "pgokit probes dump",
      "List the pseudo probes of a program, shared object or object file.",
      {{"FILE", "", "the file", &settings.file, true},
       {"--function", "RE", "functions whose names match this regular expression",
        &settings.function},
       {"--debug-file", "FILE", "where its symbols or probes are, if not in FILE",
        &settings.options.debug_path},
       mangled_option(settings.mangled),
       {"--directives", "", "print assembly that makes the same sections", &settings.directives},
       {"--json", "", "print JSON", &settings.json}},
      ""};
  if (auto exit = parse_options(table, arguments)) return *exit;
  auto status = dump(settings);
  return status ? 0 : report_failure("probes dump", status.error());
}

}  // namespace

constexpr Command probes_dump_command{"dump", "list descriptors and probes, function by function",
                                      run};

}  // namespace pgokit::cli
