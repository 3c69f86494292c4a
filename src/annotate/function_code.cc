#include "annotate/function_code.h"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "base/saturated.h"
#include "generate/functions/hit_functions.h"

namespace pgokit::annotate {
namespace {

u32 file_number(std::vector<std::string>& files, std::string name) {
  auto found = std::ranges::find(files, name);
  if (found == files.end()) found = files.insert(found, std::move(name));
  return static_cast<u32>(found - files.begin());
}

std::optional<Branch::Kind> kind_of(isa::Flow flow) {
  if (isa::is_call(flow)) return Branch::Kind::call;
  if (flow == isa::Flow::conditional) return Branch::Kind::conditional;
  if (isa::is_branch(flow)) return Branch::Kind::jump;
  if (flow == isa::Flow::ret) return Branch::Kind::ret;
  return std::nullopt;
}

}  // namespace

std::optional<double> Branch::probability(u64 ran) const {
  u64 all = std::max(ran, taken);
  if (all == 0) return std::nullopt;
  return static_cast<double>(taken) / static_cast<double>(all);
}

Result<CodeReader> CodeReader::of(const program::Program& program, const CodeCounts& counts,
                                  isa::Syntax syntax) {
  // Instructions are those of CodeMap.
  auto formatter =
      TRY_IN(program.path(),
             isa::Formatter::for_machine({program.file().machine(), program.file().address_size()},
                                         syntax, isa::LockPrefix::with_instruction));
  CodeReader reader(program, counts, std::move(formatter));
  if (program.has_probes())
    reader.probes_ = std::make_unique<probe::Table>(TRY_IN(program.path(), program.probe_table()));
  return reader;
}

CodeReader::CodeReader(const program::Program& program, const CodeCounts& counts,
                       isa::Formatter formatter)
    : program_(&program), counts_(&counts), formatter_(std::move(formatter)) {
  if (program.debug()) frames_ = std::make_unique<dwarf::FrameCursor>(*program.debug());
}

FunctionCode CodeReader::read(u32 function, u64 most_bytes) {
  FunctionCode code;
  code.function = function;
  auto spanned = program_->functions().ranges_of(function);
  std::vector<program::FunctionRange> ranges(spanned.begin(), spanned.end());
  std::ranges::sort(ranges, {}, &program::FunctionRange::start);
  auto probes = probes_in(function);
  u64 end = 0;
  for (auto range : ranges) {
    range.start = std::max(range.start, end);
    range.end = std::max(range.start, range.end);
    end = range.end;
    u64 size = range.end - range.start, taken = std::min(size, most_bytes);
    most_bytes -= taken;
    code.left_out += size - taken;
    range.end = range.start + taken;
    read_range(range, probes, code);
  }
  add_callers(code);
  return code;
}

Bytes CodeReader::code_at(u64 begin, u64 end) const {
  for (const auto& section : program_->file().sections()) {
    if (!program::is_decoded(section) || begin < section.address) continue;
    u64 from = begin - section.address;
    if (from >= section.contents.size()) continue;
    return section.contents.subspan(from, std::min(end - begin, section.contents.size() - from));
  }
  return {};
}

probe::Decoded CodeReader::probes_in(u32 function) const {
  if (!probes_) return {};
  std::vector<bool> wanted(program_->functions().size());
  wanted[function] = true;
  return generate::decode_probes(*program_, *probes_, wanted);
}

void CodeReader::add_probes(const probe::Decoded& probes, u64 address, FunctionCode& code) const {
  for (const auto& probe : probes.at(address)) {
    CodeProbe one{
        static_cast<u32>(code.instructions.size() - 1), probe.discriminator, probe.type, {}};
    probes.append_context(probe, true, one.frames);
    code.probes.push_back(std::move(one));
  }
}

void CodeReader::read_range(const program::FunctionRange& range, const probe::Decoded& probes,
                            FunctionCode& code) {
  Bytes bytes = code_at(range.start, range.end);
  for (size_t at = 0; at < bytes.size();) {
    Instruction one;
    one.address = range.start + at;
    auto piece = program_->code().modes().at(one.address);
    auto printed = formatter_.append(piece.of(bytes.subspan(at), one.address), one.address,
                                     one.text, piece.mode);
    one.bytes = static_cast<u32>(std::min(printed.step(), bytes.size() - at));
    at += one.bytes;
    if (!printed.instruction.ok()) one.text = ".byte";
    one.count = printed.instruction.ok() ? counts_->at(one.address) : 0;
    auto kind = printed.instruction.ok() ? kind_of(printed.instruction.flow) : std::nullopt;
    one.leaves = kind && *kind != Branch::Kind::call;
    if (printed.instruction.has_target)
      name_target(printed.instruction.target, one.text);
    else if (printed.reference)
      name_target(*printed.reference, one.text);
    one.place = place_at(one.address, code);
    code.instructions.push_back(std::move(one));
    add_probes(probes, code.instructions.back().address, code);
    add_branch(code.instructions.back().address, printed.instruction, code);
  }
}

// Neighbours mostly come from the same place.
u32 CodeReader::place_at(u64 address, FunctionCode& code) {
  Place place;
  if (frames_) {
    const auto& part = frames_->at(address);
    for (const auto& frame : part.frames) {
      Place::Frame own{nowhere, frame.line, frame.function};
      if (frame.file != dwarf::Frame::no_file) {
        std::filesystem::path file = program_->debug()->file_name(part, frame);
        own.file = file_number(code.files, file.lexically_normal().string());
      }
      place.frames.push_back(own);
    }
  }
  if (code.places.empty() || code.places.back().frames != place.frames)
    code.places.push_back(std::move(place));
  return static_cast<u32>(code.places.size() - 1);
}

std::optional<u32> CodeReader::function_at(u64 address) const {
  const auto* range = program_->functions().find(address);
  return range ? std::optional(range->function) : std::nullopt;
}

void CodeReader::name_target(u64 address, std::string& text) const {
  const auto* range = program_->functions().find(address);
  if (!range) return;
  u64 offset = address - range->start;
  fmt::format_to(std::back_inserter(text), " <{}{}>", program_->functions().name(range->function),
                 offset ? fmt::format("+{:#x}", offset) : "");
}

void CodeReader::add_branch(u64 address, const isa::Instruction& decoded, FunctionCode& code) {
  auto kind = decoded.ok() ? kind_of(decoded.flow) : std::nullopt;
  if (!kind || *kind == Branch::Kind::ret) return;
  Branch branch;
  branch.instruction = static_cast<u32>(code.instructions.size() - 1);
  branch.kind = *kind;
  for (const auto& seen : counts_->from(address)) {
    branch.targets.push_back({seen.to.value, function_at(seen.to.value), seen.count});
    branch.taken = add_saturated(branch.taken, seen.count);
  }
  bool ran = code.instructions.back().count > 0;
  if (branch.targets.empty() && !(ran && branch.kind == Branch::Kind::conditional)) return;
  std::ranges::stable_sort(branch.targets, std::greater{}, &Branch::Target::count);
  code.branches.push_back(std::move(branch));
}

void CodeReader::add_callers(FunctionCode& code) const {
  for (const auto& range : program_->functions().ranges_of(code.function)) {
    if (!program_->functions().is_entry(range)) continue;
    for (const auto& seen : counts_->to(range.start))
      code.callers.push_back(
          {seen.from.value,
           seen.from == samples::external ? std::nullopt : function_at(seen.from.value),
           seen.count});
  }
  std::ranges::stable_sort(code.callers, std::greater{}, &Caller::count);
}

}  // namespace pgokit::annotate
