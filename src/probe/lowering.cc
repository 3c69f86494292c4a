#include "probe/lowering.h"

#include <algorithm>
#include <map>

#include "probe/lowering_reader.h"

namespace pgokit::probe {
namespace {

// A place is the number of a label, or of a part, which begins at its symbol.
constexpr Place symbol_bit = Place{1} << 63;

class AssemblySink final : public Sink {
 public:
  AssemblySink(std::string& out, std::string_view prefix,
               std::function<std::string_view(u64)> symbol_of)
      : out_(out), prefix_(prefix), symbol_of_(std::move(symbol_of)) {}
  ~AssemblySink() override { end_line(); }
  AssemblySink(const AssemblySink&) = delete;
  AssemblySink& operator=(const AssemblySink&) = delete;

  void byte(u8 value) override {
    out_ += in_bytes_ ? "," : "\t.byte\t";
    in_bytes_ = true;
    number(value);
  }
  void u64le(u64 value) override {
    end_line();
    out_ += "\t.quad\t";
    number(value);
    out_ += '\n';
  }
  void distance(Place from, Place to) override {
    if (from == to) return byte(0);
    end_line();
    // The earlier minus the later, negated where needed. Of the positive difference of two labels
    // in different blocks of its buffer, of 4 kB each, GNU as 2.40 writes a number of over 64 bits.
    bool is_forward = (from & symbol_bit) || (from < to && !(to & symbol_bit));
    out_ += is_forward ? "\t.sleb128\t-(" : "\t.sleb128\t";
    place(is_forward ? from : to);
    out_ += '-';
    place(is_forward ? to : from);
    out_ += is_forward ? ")\n" : "\n";
  }

 private:
  void number(u64 value) {
    fmt::format_int digits(value);
    out_.append(digits.data(), digits.size());
  }
  void place(Place place) {
    if (place & symbol_bit) {
      out_ += symbol_of_(place & ~symbol_bit);
      return;
    }
    out_ += prefix_;
    number(place);
  }
  void end_line() {
    if (in_bytes_) out_ += '\n';
    in_bytes_ = false;
  }

  std::string& out_;
  std::string_view prefix_;
  std::function<std::string_view(u64)> symbol_of_;
  bool in_bytes_ = false;
};

}  // namespace

Place start_of_part(size_t part) { return symbol_bit | part; }

Result<Lowering> Lowering::read(std::string_view text, std::string_view name,
                                const LoweringOptions& options) {
  return LoweringReader(text, name, options).read();
}

std::string Lowering::section_text(u32 section, std::span<const u32> parts) const {
  std::string out =
      fmt::format("\t{}\n\t.section\t.pseudo_probe,\"o?\",@progbits,{}{}\n",
                  sections_[section].directive, prefix_, parts_[parts.front()].first_label);
  AssemblySink sink(out, prefix_, [&](u64 part) { return parts_[part].symbol; });
  for (u32 part : parts) parts_[part].probes.encode(sink);
  return out;
}

void Lowering::write(const std::function<void(std::string_view)>& write) const {
  std::string piece;
  size_t at = 0;
  for (const Replacement& one : replacements_) {
    piece += text_.substr(at, one.begin - at);
    if (one.label != none) piece.append(prefix_).append(fmt::format_int(one.label).c_str()) += ':';
    std::string_view gone = text_.substr(one.begin, one.size);
    piece.append(static_cast<size_t>(std::ranges::count(gone, '\n')), '\n');  // of a comment
    at = one.begin + one.size;
    if (piece.size() > 1 << 16) write(std::exchange(piece, {}));
  }
  write(piece);
  write(text_.substr(at, data_at_ - at));
  if (data_at_ > 0 && text_[data_at_ - 1] != '\n' && !parts_.empty()) write("\n");
  std::map<u32, std::vector<u32>> by_section;
  for (size_t i = 0; i < parts_.size(); ++i)
    by_section[parts_[i].section].push_back(static_cast<u32>(i));
  for (const auto& [section, parts] : by_section) write(section_text(section, parts));
  write(text_.substr(data_at_));
}

}  // namespace pgokit::probe
