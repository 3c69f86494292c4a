#include "bolt/fdata.h"

#include <charconv>

namespace pgokit::bolt {
namespace {

class Writer {
 public:
  Writer(const Functions& functions, const report::TakeText& take)
      : functions_(functions), names_(functions.all().size()), out_(take) {}
  ~Writer() { out_.flush(); }

  void location(const Location& at) {
    if (at.function == Functions::none) return out_.text("0 [unknown] 0 ");
    place("1 ", name_of(at.function), at.offset);
  }
  void load(const LoadRow& row, const std::string& data) {
    place("4 ", name_of(row.at.function), row.at.offset);
    place("4 ", escaped(data), row.offset);
    out_.decimal(row.count);
    out_.text('\n');
  }
  report::TextBuffer& out() { return out_; }

 private:
  void place(std::string_view kind, std::string_view name, u64 offset) {
    out_.text(kind);
    out_.text(name);
    out_.text(' ');
    char digits[16];
    auto end = std::to_chars(digits, digits + sizeof digits, offset, 16).ptr;
    out_.text({digits, static_cast<size_t>(end - digits)});
    out_.text(' ');
  }

  // With a backslash before spaces and backslashes; line ends would break the file.
  static std::string escaped(std::string_view name) {
    std::string text;
    for (char c : name) {
      if (c == ' ' || c == '\\') text += '\\';
      text += c == '\n' ? '?' : c;
    }
    return text;
  }
  const std::string& name_of(u32 function) {
    auto& text = names_[function];
    if (text.empty()) text = escaped(functions_.name(functions_.all()[function]));
    return text;
  }

  const Functions& functions_;
  std::vector<std::string> names_;
  report::TextBuffer out_;
};

}  // namespace

void write_fdata(const BranchProfile& profile, const Functions& functions,
                 const report::TakeText& take) {
  Writer writer(functions, take);
  for (const auto& row : profile.rows) {
    writer.location(row.from);
    writer.location(row.to);
    writer.out().decimal(row.mispredicted);
    writer.out().text(' ');
    writer.out().decimal(row.count);
    writer.out().text('\n');
  }
}

void write_fdata(const std::vector<LoadRow>& loads, const Functions& functions,
                 const DataObjects& objects, const report::TakeText& take) {
  Writer writer(functions, take);
  for (const auto& row : loads) writer.load(row, objects.name(row.object));
}

void write_fdata(const AddressProfile& profile, std::span<const std::string> events,
                 const Functions& functions, const report::TakeText& take) {
  Writer writer(functions, take);
  writer.out().text("no_lbr");
  for (const auto& event : events) {
    writer.out().text(' ');
    writer.out().text(event);
  }
  writer.out().text('\n');
  for (const auto& row : profile.rows) {
    writer.location(row.at);
    writer.out().decimal(row.count);
    writer.out().text('\n');
  }
}

}  // namespace pgokit::bolt
