#include "cli/commands/probes_directives.h"

#include <algorithm>

#include "base/printable.h"
#include "cli/views/probe_names.h"
#include "probe/assembly_sink.h"
#include "report/numbers.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

// Only damaged files have what ends a line or a quoted symbol, or what a terminal obeys.
bool is_symbol(std::string_view name) {
  return name.find_first_of("\"\\") == std::string_view::npos && printable_line(name) == name;
}

}  // namespace

DirectiveDump::DirectiveDump(const program::ProbeFile& file, const FunctionFilter& filter,
                             ListOutput& out, bool)
    : file_(file), filter_(filter), out_(out) {}

void DirectiveDump::descriptors() {
  for (const auto& one : file_.descriptors().list()) {
    if (!filter_.matches(one.name)) continue;
    any_ = true;
    if (!is_symbol(one.name)) {
      ++unnamed_;
      continue;
    }
    probe::print_descriptor(one, assembly::ObjectFormat::elf, out_.text());
    out_.flush(1 << 16);
  }
}

void DirectiveDump::begin(const probe::RecordHead& head) {
  if (head.symbol != head_.symbol || !shown_) write_function(), head_ = head;
  shown_ = filter_.matches(probe_function_name(file_, head.guid));
  any_ |= shown_;
}

void DirectiveDump::enter(const probe::RawNode& node) {
  path_.push_back({node.guid, node.call_site});
}

void DirectiveDump::probe(const probe::RawProbe& raw, u64 address) {
  if (!shown_ || raw.is_sentinel()) return;
  auto first = static_cast<u32>(calls_.size());
  for (size_t n = 1; n < path_.size(); ++n)
    calls_.push_back({path_[n - 1].function, path_[n].call_site});
  placed_.push_back({.address = address,
                     .calls = first,
                     .call_count = static_cast<u32>(path_.size() - 1),
                     .function = path_.back().function,
                     .probe = {.index = raw.index,
                               .type = static_cast<probe::Type>(raw.type),
                               .attributes = raw.attributes,
                               .discriminator = raw.discriminator}});
}

std::string DirectiveDump::symbol_of(u64 guid) const {
  std::string_view name = file_.symbol_name(guid);
  if (name.empty()) name = probe_function_name(file_, guid);
  if (name.empty() || !is_symbol(name)) return fmt::format("function_{}", guid);
  return probe::assembly_symbol(name);
}

void DirectiveDump::write_function() {
  if (placed_.empty()) return;
  if (!written_.insert(head_.symbol).second) {
    again_ += placed_.size();
  } else {
    std::ranges::stable_sort(placed_, {}, &Placed::address);
    std::string symbol = symbol_of(head_.symbol);
    out_.put("\t.text\n{}:\n", symbol);
    u64 at = head_.base;
    probe::Directive one;
    one.symbol = symbol;
    for (const auto& placed : placed_) {
      if (placed.address < at) {
        ++before_;
        continue;
      }
      if (placed.address > at) out_.put("\t.skip\t{}\n", placed.address - at);
      at = placed.address;
      one.function = placed.function, one.probe = placed.probe;
      auto calls = calls_.begin() + placed.calls;
      one.inlined_by.assign(calls, calls + placed.call_count);
      probe::print_directive(one, out_.text());
      out_.text() += '\n';
      out_.flush(1 << 16);
    }
  }
  placed_.clear(), calls_.clear();
}

void DirectiveDump::finish() {
  write_function();
  if (unnamed_)
    report::print(stderr, "pgokit probes dump: {} whose name assembly cannot hold, left out\n",
                  report::counted(unnamed_, "descriptor"));
  if (before_)
    report::print(stderr, "pgokit probes dump: {} before the start of the function, left out\n",
                  report::counted(before_, "probe is", "probes are"));
  if (again_)
    report::print(stderr,
                  "pgokit probes dump: {} of functions whose symbol has come before, left out\n",
                  report::counted(again_, "probe is", "probes are"));
}

}  // namespace pgokit::cli
