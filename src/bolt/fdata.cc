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
    out_.text("1 ");
    out_.text(name_of(at.function));
    out_.text(' ');
    char digits[16];
    auto end = std::to_chars(digits, digits + sizeof digits, at.offset, 16).ptr;
    out_.text({digits, static_cast<size_t>(end - digits)});
    out_.text(' ');
  }
  report::TextBuffer& out() { return out_; }

 private:
  // With a backslash before spaces and backslashes; line ends would break the file.
  const std::string& name_of(u32 function) {
    auto& text = names_[function];
    if (text.empty())
      for (char c : functions_.name(functions_.all()[function])) {
        if (c == ' ' || c == '\\') text += '\\';
        text += c == '\n' ? '?' : c;
      }
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
