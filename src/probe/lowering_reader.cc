#include "probe/lowering_reader.h"

#include <algorithm>
#include <cstring>

#include "base/function_name.h"
#include "probe/assembly_sink.h"

namespace pgokit::probe {

using assembly::is_directive;
using assembly::without_quotes;

namespace {

// Hints for lld and clang's own assembler, which GNU as refuses.
bool is_for_clang_only(std::string_view name) {
  return is_directive(name, ".addrsig") || is_directive(name, ".addrsig_sym") ||
         is_directive(name, ".cg_profile");
}

}  // namespace

LoweringReader::LoweringReader(std::string_view text, std::string_view name,
                               const LoweringOptions& options)
    : text_(text),
      name_(name),
      options_(options),
      reader_(text, options.dialect ? *options.dialect : assembly::guess_dialect(text)) {}

Result<Lowering> LoweringReader::read() {
  out_.text_ = text_;
  out_.data_at_ = text_.size();
  assembly::Statement statement;
  while (reader_.next(statement)) {
    if (is_directive(statement.name, ".end") && blocks_.empty()) {
      out_.data_at_ = static_cast<size_t>(statement.name.data() - text_.data());
      break;
    }
    TRY(take(statement));
  }
  TRY(finish());
  return std::move(out_);
}

Status LoweringReader::take(const assembly::Statement& statement) {
  bool is_probe = is_directive(statement.name, ".pseudoprobe");
  if (is_probe && !blocks_.empty())
    return fail_at(statement.line,
                   ".pseudoprobe: it is inside of {} (line {}), where its place is not known",
                   blocks_.back().what, blocks_.back().line);
  if (is_probe) return take_probe(statement);
  if (take_block(statement)) return {};
  if (!blocks_.empty() && bodies_ > 0) return {};
  if (statement.is_label()) return take_label(statement), Status{};
  if (sections_.apply(statement)) {
    last_label_ = none;
    return {};
  }
  if (is_for_clang_only(statement.name)) return replace(statement, none), Status{};
  // These make no code.
  if (!statement.name.starts_with(".loc") && !statement.name.starts_with(".cfi_"))
    last_label_ = none;
  if (sections_.list()[sections_.current()].name == ".pseudo_probe_desc" &&
      (is_directive(statement.name, ".quad") || is_directive(statement.name, ".8byte") ||
       is_directive(statement.name, ".xword")))
    take_descriptor(statement.operands);
  return {};
}

// A label that the compiler made for itself. clang begins those of i386 COFF with L alone.
bool LoweringReader::is_local(std::string_view label) const {
  char first = label.empty() ? '0' : label.front();
  if (label.starts_with(".L") || (first >= '0' && first <= '9')) return true;
  if (sections_.format() != assembly::ObjectFormat::coff) return false;
  return label.starts_with("LBB") || label.starts_with("Ltmp") || label.starts_with("Lfunc_");
}

void LoweringReader::take_label(const assembly::Statement& statement) {
  labels_.push_back({without_quotes(statement.label), sections_.current()});
  if (is_local(labels_.back().name)) {
    plain_locals_ |= labels_.back().name.starts_with('L');
    return;
  }
  if (last_symbol_.size() <= sections_.current()) last_symbol_.resize(sections_.current() + 1);
  last_symbol_[sections_.current()] = statement.label;
}

// True: the statement opens or closes a block.
bool LoweringReader::take_block(const assembly::Statement& statement) {
  std::string_view name = statement.name;
  if (name.size() < 3 || !std::string_view("mMrRiIeE").contains(name[1])) return false;
  auto is_one_of = [&](auto... names) { return (is_directive(name, names) || ...); };
  if (is_one_of(".macro", ".rept", ".rep", ".irp", ".irpc")) {
    blocks_.push_back({name, statement.line, true});
    ++bodies_;
  } else if (name[1] == 'i' && name[2] == 'f') {
    blocks_.push_back({name, statement.line, false});
  } else if (!is_one_of(".endm", ".endmacro", ".endr", ".endif")) {
    return false;
  } else if (!blocks_.empty()) {
    bodies_ -= blocks_.back().is_body;
    blocks_.pop_back();
  }
  return true;
}

// Every number: which are GUIDs and which hashes does not matter.
void LoweringReader::take_descriptor(std::string_view operands) {
  while (!operands.empty()) {
    size_t comma = std::min(operands.find(','), operands.size());
    u64 value = 0;
    if (parse_integer(operands.substr(0, comma), value)) described_.push_back(value);
    operands.remove_prefix(std::min(comma + 1, operands.size()));
    operands.remove_prefix(std::min(operands.find_first_not_of(" \t"), operands.size()));
  }
}

Status LoweringReader::check_place() const {
  if (sections_.format() == assembly::ObjectFormat::mach_o)
    return fail("this is assembly for Mach-O; probe sections are written for ELF and COFF");
  const auto& section = sections_.list()[sections_.current()];
  if (section.content == assembly::Content::other)
    return fail("it is in section {}, which holds no code", section.name);
  return {};
}

// What stands for the statement from now on: a label, or nothing.
void LoweringReader::replace(const assembly::Statement& statement, u32 label) {
  auto begin = static_cast<u64>(statement.name.data() - text_.data());
  auto end = static_cast<u64>(statement.operands.data() - text_.data()) + statement.operands.size();
  out_.replacements_.push_back({begin, static_cast<u32>(end - begin), label});
}

// Where nothing was assembled since the last directive its label serves again.
u32 LoweringReader::label_here(const assembly::Statement& statement) {
  bool is_new = last_label_ == none || code_before_ != reader_.instructions();
  if (is_new) {
    last_label_ = labels_set_++;
    code_before_ = reader_.instructions();
  }
  replace(statement, is_new ? last_label_ : none);
  return last_label_;
}

// The last labels are asked first: the symbol is mostly the one of the function that goes on here.
const LoweringReader::Label* LoweringReader::find_label(std::string_view name) {
  constexpr size_t near = 32;
  for (size_t i = labels_.size(), stop = i - std::min(i, near); i > stop; --i)
    if (labels_[i - 1].name == name) return &labels_[i - 1];
  for (; indexed_ < labels_.size(); ++indexed_)
    label_index_.try_emplace(labels_[indexed_].name, static_cast<u32>(indexed_));
  auto found = label_index_.find(name);
  return found == label_index_.end() ? nullptr : &labels_[found->second];
}

// The function that a directive without a symbol stands in.
Result<std::string_view> LoweringReader::function_here() const {
  u32 here = sections_.current();
  if (here < last_symbol_.size() && !last_symbol_[here].empty()) return last_symbol_[here];
  return fail("it names no function, and no label of one is before it");
}

// The symbol that the places of this section's probes are counted from.
Result<std::string_view> LoweringReader::base_symbol() {
  std::string_view symbol = directive_.symbol;
  const Label* label = find_label(without_quotes(symbol));
  if (!label) return fail("there is no label {} before it", symbol);
  u32 here = sections_.current();
  if (label->section == here) return symbol;
  if (auto last = function_here()) return last;
  return fail(
      "it is in section {}, its function {} in {}, and no symbol before it says from where to "
      "count",
      sections_.list()[here].name, symbol, sections_.list()[label->section].name);
}

Result<u32> LoweringReader::part_here() {
  u32 here = sections_.current();
  if (part_ != none && out_.parts_[part_].section == here && part_function_ == directive_.symbol)
    return part_;
  auto [found, is_new] =
      part_of_.try_emplace({directive_.symbol, here}, static_cast<u32>(out_.parts_.size()));
  if (is_new) {
    std::string_view symbol = TRY(base_symbol());
    out_.parts_.push_back(
        {symbol, here, none, none,
         FunctionProbes(without_quotes(symbol), start_of_part(out_.parts_.size()))});
  }
  part_function_ = directive_.symbol;
  return part_ = found->second;
}

Status LoweringReader::add_probe(const assembly::Statement& statement) {
  TRY(parse_directive(statement.operands, directive_));
  TRY(check_place());
  if (directive_.symbol.empty()) directive_.symbol = TRY(function_here());
  Lowering::Part& part = out_.parts_[TRY(part_here())];
  directive_.probe.place = label_here(statement);
  if (part.first_label == none) part.first_label = static_cast<u32>(directive_.probe.place);
  part.probes.add(directive_.function, directive_.inlined_by, directive_.probe);
  used_.try_emplace(directive_.function, statement.line);
  for (const CallSite& call : directive_.inlined_by)
    used_.try_emplace(call.function, statement.line);
  return {};
}

Status LoweringReader::take_probe(const assembly::Statement& statement) {
  auto status = add_probe(statement);
  if (status) return {};
  return fail_at(statement.line, ".pseudoprobe: {}", status.error().message);
}

Status LoweringReader::describe_functions() {
  auto known = described_;
  std::ranges::sort(known);
  u64 first = ~u64{0}, function = 0;
  for (const auto& [guid, line] : used_) {
    if (std::ranges::binary_search(known, guid)) continue;
    auto found = std::ranges::lower_bound(options_.descriptors, guid, {}, &Descriptor::guid);
    if (found != options_.descriptors.end() && found->guid == guid)
      out_.descriptors_.push_back(*found);
    else if (line < first)
      first = line, function = guid;
  }
  std::ranges::sort(out_.descriptors_, {}, &Descriptor::guid);
  if (first == ~u64{0} || options_.unknown_functions) return {};
  return fail_at(first,
                 ".pseudoprobe: function {} has no descriptor (.pseudo_probe_desc) in this "
                 "file; is it cut off? --descriptors tells it, --allow-unknown does without",
                 function);
}

// Labels that the text does not use.
Status LoweringReader::choose_prefix() {
  std::string_view local = plain_locals_ ? "L" : ".L";
  out_.prefix_ = fmt::format("{}probe", local);
  auto is_free = [&] {  // glibc's search is the quick one
    return !memmem(text_.data(), text_.size(), out_.prefix_.data(), out_.prefix_.size());
  };
  if (is_free()) return {};
  out_.prefix_ = fmt::format("{}probe_{:016x}_", local, function_guid(text_));
  if (is_free()) return {};
  return fail("{}: it has labels that begin with {}", name_, out_.prefix_);
}

// clang takes a distance from a symbol of COFF for one that only the linker knows.
void LoweringReader::label_starts() {
  for (auto& part : out_.parts_) {
    const Label* label = find_label(without_quotes(part.symbol));
    auto after = static_cast<size_t>(label->name.data() + label->name.size() - text_.data());
    size_t colon = text_.find(':', after);
    colon += text_.substr(colon).starts_with("::");
    part.start_label = labels_set_++;
    out_.replacements_.push_back({colon + 1, 0, part.start_label});
  }
  std::ranges::stable_sort(out_.replacements_, {}, &Lowering::Replacement::begin);
}

Status LoweringReader::finish() {
  if (out_.parts_.empty()) return {};
  if (reader_.in_comment())
    return fail_at(reader_.line(), "it ends inside of a comment; is it cut off?");
  if (!blocks_.empty())
    return fail_at(blocks_.front().line, "{} is not closed; is the file cut off?",
                   blocks_.front().what);
  TRY(describe_functions());
  out_.sections_ = sections_.list();
  out_.format_ = sections_.format();
  if (out_.format_ == assembly::ObjectFormat::coff) label_starts();
  return choose_prefix();
}

}  // namespace pgokit::probe
