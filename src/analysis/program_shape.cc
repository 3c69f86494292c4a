#include "analysis/program_shape.h"

#include <algorithm>

#include "base/function_name.h"
#include "base/parallel.h"
#include "dwarf/discriminator.h"
#include "dwarf/line_offset.h"
#include "program/entered.h"

namespace pgokit::analysis {
namespace {

using profile::LineLocation;

constexpr NameId no_name{~u32{0}};

// Sites and places as they are come upon; sorted and made unique at the end.
struct Site {
  NameId function{};
  LineLocation at;
  NameId callee{};
  bool indirect = false, jump = false;  // then there is no callee
  NameId tail_caller = no_name;         // of a jump: the function whose code it is in
  auto operator<=>(const Site&) const = default;
};
struct Seen {
  NameId function{};
  LineLocation at;
  auto operator<=>(const Seen&) const = default;
};

struct Collected {
  Names names;
  std::vector<Site> sites;
  std::vector<Seen> places;
  std::vector<u32> line_zero;  // by NameId

  void make_unique() {
    auto tidy = [](auto& list) {
      std::ranges::sort(list);
      auto rest = std::ranges::unique(list);
      list.erase(rest.begin(), rest.end());
    };
    tidy(sites);
    tidy(places);
  }
};

// Who is called by the transfer of control at an address; empty: nobody, or a jump inside.
struct Callee {
  std::string_view name;
  bool indirect = false, jump = false;
  bool tail = false;  // by a jump
};

class Callees {
 public:
  explicit Callees(const program::Program& program) : program_(program) {}

  std::optional<Callee> at(u64 address) const {
    const auto& code = program_.code();
    auto index = code.index_of({address});
    if (index == program::no_code || !code.is_instruction(index)) return std::nullopt;
    if (!code.is_transfer(index) || code.is_return(index)) return std::nullopt;
    u64 target = code.direct_target(index).value;
    bool tail = !code.is_call(index);
    if (target == 0) return Callee{{}, !tail, tail, tail};
    const auto& functions = program_.functions();
    auto function = program::entered_function(functions, target);
    if (!function) return std::nullopt;
    return Callee{canonical_function_name(functions.name(*function)), false, false, tail};
  }

 private:
  const program::Program& program_;
};

class LineCollector {
 public:
  LineCollector(const program::Program& program, Collected& out)
      : program_(program),
        callees_(program),
        discriminators_(program.discriminators()),
        cursor_(*program.debug()),
        out_(out) {}

  void take(const program::FunctionRange& range) {
    for (u64 at = range.start; at < range.end;) {
      const auto& part = cursor_.at(at);
      u64 end = std::min(part.end, range.end);
      if (end <= at) break;
      if (!part.frames.empty()) {
        take_frames(part.frames);
        take_calls(part.frames, at, end);
      }
      at = end;
    }
  }

 private:
  LineLocation location_of(const dwarf::Frame& frame) const {
    return {dwarf::line_offset(frame),
            dwarf::base_discriminator(frame.discriminator, discriminators_)};
  }
  NameId name(std::string_view text) { return out_.names.intern(canonical_function_name(text)); }
  NameId name_of(const dwarf::Frame& frame) {
    NameId id = name(frame.function);
    auto at = static_cast<size_t>(id);
    if (at >= out_.line_zero.size()) out_.line_zero.resize(at + 1);
    dwarf::Frame no_line = frame;
    no_line.line = 0;
    out_.line_zero[at] = dwarf::line_offset(no_line);
    return id;
  }

  void take_frames(std::span<const dwarf::Frame> frames) {
    for (size_t i = 0; i + 1 < frames.size(); ++i)
      out_.sites.push_back(
          {name_of(frames[i]), location_of(frames[i]), name(frames[i + 1].function)});
    out_.places.push_back({name_of(frames.back()), location_of(frames.back())});
  }

  void take_calls(std::span<const dwarf::Frame> frames, u64 begin, u64 end) {
    const auto& code = program_.code();
    auto index = code.index_of({begin});
    if (index == program::no_code) return;
    for (index = code.at_or_after(index); index != program::no_code;) {
      u64 address = code.address_of(index).value;
      if (address >= end) return;
      if (auto callee = callees_.at(address)) add_call(frames, *callee);
      u64 next = address + code.length(index);
      index = code.index_of({next});
      if (index != program::no_code) index = code.at_or_after(index);
    }
  }

  void add_call(std::span<const dwarf::Frame> frames, const Callee& callee) {
    const auto& leaf = frames.back();
    NameId function = name(leaf.function);
    NameId target = callee.name.empty() ? NameId{} : name(callee.name);
    NameId tail_caller = callee.tail ? name(frames.front().function) : no_name;
    out_.sites.push_back(
        {function, location_of(leaf), target, callee.indirect, callee.jump, tail_caller});
  }

  const program::Program& program_;
  Callees callees_;
  dwarf::Discriminators discriminators_;
  dwarf::FrameCursor cursor_;
  Collected& out_;
};

probe::Damage collect_probes(const program::Program& program, const probe::Table& table,
                             Collected& out) {
  tsl::robin_map<u64, u64> entry_of;
  for (const auto& symbol : program.symbols().all())
    entry_of.emplace(function_guid(symbol.name), symbol.address);
  auto address_of = [&](u64 guid) -> std::optional<u64> {
    auto found = entry_of.find(guid);
    if (found == entry_of.end()) return std::nullopt;
    return found->second;
  };
  auto decoded = table.decode([](u64) { return true; }, address_of);
  Callees callees(program);
  auto name = [&](std::string_view text) {
    return out.names.intern(canonical_function_name(text));
  };
  for (const auto& node : decoded.nodes()) {
    auto own = decoded.name_of(node);
    if (own.empty()) continue;
    NameId function = name(own);
    if (node.is_inlined() && node.call_site) {
      auto caller = decoded.name_of(decoded.nodes()[node.parent]);
      if (!caller.empty()) out.sites.push_back({name(caller), {node.call_site, 0}, function});
    }
    for (u32 position : decoded.probes_of(node)) {
      const auto& probe = decoded.probes()[position];
      out.places.push_back({function, {probe.index, 0}});
      if (!probe.is_call()) continue;
      auto callee = callees.at(probe.address);
      bool indirect = probe.type == probe::Type::indirect_call;
      if (!indirect && (!callee || callee->name.empty())) continue;
      out.sites.push_back(
          {function, {probe.index, 0}, indirect ? NameId{} : name(callee->name), indirect});
    }
  }
  return decoded.damage();
}

void add(ProgramShape& shape, const Collected& part) {
  auto renamed = [&](NameId id) { return shape.names.intern(part.names.text(id)); };
  for (const auto& seen : part.places)
    shape.function(renamed(seen.function)).places.push_back(seen.at);
  for (const auto& site : part.sites) {
    bool known = !site.indirect && !site.jump;
    NameId callee = known ? renamed(site.callee) : NameId{};
    if (known) shape.function(callee);
    auto& function = shape.function(renamed(site.function));
    function.places.push_back(site.at);
    auto& anchor = function.anchors.emplace_back();
    anchor.at = site.at;
    anchor.indirect = site.indirect;
    anchor.jump = site.jump;
    if (known) anchor.callees.push_back(callee);
    if (site.tail_caller == no_name) continue;
    auto& caller = shape.function(renamed(site.tail_caller));
    if (known) caller.tail_callees.push_back(callee);
    caller.jumps |= site.jump;
  }
  for (u32 i = 0; i < part.line_zero.size(); ++i)
    if (part.line_zero[i] != 0) shape.function(renamed(NameId{i})).line_zero = part.line_zero[i];
}

// One anchor per place.
void tidy(FunctionShape& function) {
  std::ranges::sort(function.places);
  auto rest = std::ranges::unique(function.places);
  function.places.erase(rest.begin(), rest.end());
  std::ranges::stable_sort(function.anchors, {}, &Anchor::at);
  std::vector<Anchor> merged;
  for (auto& anchor : function.anchors) {
    if (merged.empty() || merged.back().at != anchor.at) {
      merged.push_back(std::move(anchor));
      continue;
    }
    merged.back().indirect |= anchor.indirect;
    merged.back().jump |= anchor.jump;
    for (NameId callee : anchor.callees) merged.back().callees.push_back(callee);
  }
  for (auto& anchor : merged) {
    std::ranges::sort(anchor.callees);
    auto same = std::ranges::unique(anchor.callees);
    anchor.callees.erase(same.begin(), same.end());
  }
  function.anchors = std::move(merged);
  std::ranges::sort(function.tail_callees);
  auto repeated = std::ranges::unique(function.tail_callees);
  function.tail_callees.erase(repeated.begin(), repeated.end());
}

void collect_lines(const program::Program& program, unsigned threads, ProgramShape& shape) {
  auto ranges = program.functions().ranges();
  Chunks chunks{ranges.size(), 256};
  std::vector<Collected> parts(chunks.count());
  parallel_for(chunks.count(), threads, [&](size_t piece, unsigned) {
    LineCollector collector(program, parts[piece]);
    for (const auto& range : chunks.of(ranges, piece)) collector.take(range);
    parts[piece].make_unique();
  });
  for (const auto& part : parts) add(shape, part);
}

// Names without code of their own, at the start of another function's.
void find_folded(const program::Program& program, ProgramShape& shape) {
  const auto& functions = program.functions();
  for (const auto& symbol : program.symbols().all()) {
    const auto* range = functions.starting_at(symbol.address);
    if (!range) continue;
    auto owner = shape.names.intern(canonical_function_name(functions.name(range->function)));
    auto name = shape.names.intern(canonical_function_name(symbol.name));
    if (name == owner) continue;
    auto& function = shape.function(name);
    if (function.code_bytes == 0) function.folded_into = owner;
  }
}

}  // namespace

FunctionShape& ProgramShape::function(NameId name) {
  auto at = static_cast<size_t>(name);
  if (at >= functions.size()) functions.resize(names.size());
  functions[at].known = true;
  return functions[at];
}

void ProgramShape::index_guids() {
  for (u32 i = 0; i < names.size(); ++i) by_guid_.emplace(function_guid(names.text(NameId{i})), i);
}

const FunctionShape* ProgramShape::find_guid(u64 guid) const {
  auto found = by_guid_.find(guid);
  if (found == by_guid_.end() || !functions[found->second].known) return nullptr;
  return &functions[found->second];
}

const FunctionShape* ProgramShape::find(std::string_view name) const {
  return find_guid(function_guid(canonical_function_name(name)));
}

std::string_view ProgramShape::name_of_guid(u64 guid) const {
  auto found = by_guid_.find(guid);
  return found == by_guid_.end() ? std::string_view{} : names.text(NameId{found->second});
}

ShapeReader::ShapeReader(bool probes, unsigned threads) : threads_(threads) {
  shape_.has_probes = probes;
  shape_.names.intern("");
  shape_.functions.resize(1);
}

Status ShapeReader::add(const program::Program& program) {
  if (shape_.has_probes) {
    if (!program.has_probes())
      return fail(
          "it has no pseudo probes: it is stripped, or compiled without "
          "-fpseudo-probe-for-profiling");
    auto table = TRY(program.probe_table());
    Collected collected;
    shape_.probe_damage += collect_probes(program, table, collected);
    collected.make_unique();
    analysis::add(shape_, collected);
    for (const auto& descriptor : table.descriptors().list())
      shape_.function(shape_.names.intern(canonical_function_name(descriptor.name))).checksum =
          descriptor.hash;
  } else {
    if (!program.debug()) return fail("it has no debug information: compile with -g");
    collect_lines(program, threads_, shape_);
  }
  for (const auto& range : program.functions().ranges()) {
    auto name = canonical_function_name(program.functions().name(range.function));
    shape_.function(shape_.names.intern(name)).code_bytes += range.end - range.start;
    shape_.code_bytes += range.end - range.start;
  }
  if (!shape_.has_probes) find_folded(program, shape_);  // with probes each has a descriptor
  return {};
}

ProgramShape ShapeReader::shape() && {
  shape_.functions.resize(shape_.names.size());
  for (auto& function : shape_.functions) tidy(function);
  shape_.index_guids();
  return std::move(shape_);
}

Result<ProgramShape> read_shape(const program::Program& program, bool probes, unsigned threads) {
  ShapeReader reader(probes, threads);
  TRY(reader.add(program));
  return std::move(reader).shape();
}

}  // namespace pgokit::analysis
