#include "assembly_text.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace pgokit::plugin {

using namespace llvm;

namespace {

bool plain(char c) { return isAlnum(c) || c == '_' || c == '.' || c == '$'; }

}  // namespace

bool is_plain(StringRef symbol) {
  return all_of(symbol, plain) && !symbol.empty() && !isDigit(symbol[0]);
}

std::string quoted(StringRef symbol) {
  if (is_plain(symbol)) return symbol.str();
  std::string result = "\"";
  for (const char c : symbol) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

std::string as_string(StringRef bytes) {
  std::string result;
  raw_string_ostream out(result);
  for (const char c : bytes) {
    if (plain(c)) {
      out << c;
    } else {
      out << '\\' << char('0' + (static_cast<unsigned char>(c) >> 6)) << char('0' + (c >> 3 & 7))
          << char('0' + (c & 7));
    }
  }
  return result;
}

// On machines of 32 bits the linker knows no addresses that large; what it writes is the lower half.
std::string addresses_of(const DataLayout& layout, ArrayRef<std::string> fields,
                         const std::string& base) {
  const bool wide = layout.getPointerSize() == 8;
  std::string result;
  for (const std::string& each : fields) {
    const std::string from = base.empty() || each == "0" ? "" : "-" + base;
    result += (result.empty() ? "" : ",") + each + from + (wide ? "" : ",0");
  }
  return (wide ? ".quad " : ".long ") + result + "\n";
}

std::string weak(StringRef label) {
  std::string result;
  for (const char* directive : {".private_extern ", ".globl ", ".weak_definition "})
    result += (Twine(directive) + label + "\n").str();
  return result;
}

std::string begin_part(StringRef section, StringRef label, bool is_weak) {
  return (".pushsection " + section + "\n").str() + (is_weak ? weak(label) : "");
}

}  // namespace pgokit::plugin
