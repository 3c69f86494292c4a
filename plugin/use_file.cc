#include "use_file.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"
#include "source.h"

namespace pgokit::plugin {
namespace {

using namespace llvm;

// How many names at their ends two paths have in common.
unsigned common_end(StringRef a, StringRef b) {
  unsigned count = 0;
  for (auto x = sys::path::rbegin(a), y = sys::path::rbegin(b);
       x != sys::path::rend(a) && y != sys::path::rend(b) && *x == *y; ++x, ++y)
    ++count;
  return count;
}

// "-" is 0: not known.
bool take_number(StringRef& rest, uint32_t& number) {
  StringRef word;
  std::tie(word, rest) = rest.split(' ');
  number = 0;
  return word == "-" || !word.getAsInteger(10, number);
}

}  // namespace

const CallTargets* FunctionProfile::find(uint32_t number) const {
  const auto found = by_number.find(number);
  return found == by_number.end() ? nullptr : &found->second;
}

const CallTargets* FunctionProfile::find(uint32_t line, uint32_t column) const {
  auto found = by_line.find({line, column});
  if (found != by_line.end()) return &found->second;
  found = by_line.lower_bound({line, 0});
  if (found == by_line.end() || found->first.first != line || (column && found->first.second))
    return nullptr;
  const auto next = std::next(found);
  const bool alone = next == by_line.end() || next->first.first != line;
  return alone ? &found->second : nullptr;
}

std::unique_ptr<UseFile> UseFile::read(StringRef path, std::string& error) {
  auto text = MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!text) {
    error = text.getError().message();
    return nullptr;
  }
  auto file = std::make_unique<UseFile>();
  file->text_ = std::move(*text);
  if (file->parse(error)) return file;
  return nullptr;
}

bool UseFile::parse(std::string& error) {
  StringRef rest = text_->getBuffer();
  // Files of targets alone are those up to version 3.
  const bool older = rest.consume_front("# pgokit targets ");
  if (!older && !rest.consume_front("# pgokit use ")) {
    error =
        "not a file of hotness or targets: 'pgokit export --hotness' and '--targets' write them";
    return false;
  }
  StringRef version;
  std::tie(version, rest) = rest.split('\n');
  if (version.getAsInteger(10, version_) || version_ < 1 || version_ > 4 ||
      older != (version_ < 4)) {
    error = "version " + version.str() + " of its form; this plugin reads 1 to 4";
    return false;
  }
  for (unsigned number = 2; !rest.empty(); ++number) {
    StringRef line;
    std::tie(line, rest) = rest.split('\n');
    if (line.empty() || take(line)) continue;
    error = "line " + std::to_string(number) + " makes no sense";
    return false;
  }
  return true;
}

bool UseFile::take(StringRef line) {
  if (line.consume_front(" ")) return take_target(line);
  if (line.consume_front("function ")) return version_ > 1 && take_function(line);
  return take_hotness(line) || take_places(line) || take_call(line);
}

// "hot 1200 often", "warm 7", "cold"
bool UseFile::take_hotness(StringRef line) {
  const auto [word, rest] = line.split(' ');
  const Hotness hotness = StringSwitch<Hotness>(word)
                              .Case("hot", Hotness::hot)
                              .Case("warm", Hotness::warm)
                              .Case("cold", Hotness::cold)
                              .Default(Hotness::unknown);
  if (hotness == Hotness::unknown || !function_ || version_ < 4) return false;
  FunctionHotness& known = function_->hotness;
  const auto [work, often] = rest.split(' ');
  const bool cold = hotness == Hotness::cold;
  if (cold != work.empty() || (!cold && work.getAsInteger(10, known.work))) return false;
  if (!often.empty() && (often != "often" || hotness != Hotness::hot)) return false;
  known.hotness = hotness;
  known.often_called = !often.empty();
  tells_hotness_ = true;
  return true;
}

bool UseFile::take_function(StringRef rest) {
  const auto [sum, name] = rest.split(' ');
  uint64_t checksum = 0;
  const bool known = sum != "-";
  if (name.empty() || (known && sum.getAsInteger(16, checksum))) return false;
  function_ = &enter(name, known ? std::optional(checksum) : std::nullopt);
  call_ = nullptr;
  return true;
}

// "ran LINE:COLUMN ...", "never LINE:COLUMN ..."
bool UseFile::take_places(StringRef line) {
  const bool ran = line.consume_front("ran ");
  if ((!ran && !line.consume_front("never ")) || !function_ || version_ < 4) return false;
  while (!line.empty()) {
    StringRef place;
    std::tie(place, line) = line.split(' ');
    const auto [number, column] = place.split(':');
    std::pair<uint32_t, uint32_t> key;
    if (number.getAsInteger(10, key.first) || column.getAsInteger(10, key.second)) return false;
    function_->places[key] = ran;
  }
  return true;
}

bool UseFile::take_target(StringRef rest) {
  const auto [count, name] = rest.split(' ');
  CalledTarget target{name, 0};
  if (name.empty() || count.getAsInteger(10, target.count)) return false;
  if (call_) call_->targets.push_back(target);
  return true;
}

// Unknown kinds are for other readers.
bool UseFile::take_call(StringRef rest) {
  const auto [kind, place] = rest.split(' ');
  rest = place;
  uint32_t number = 0, line = 0, column = 0;
  uint64_t total;
  bool sound = version_ < 3 || take_number(rest, number);
  const bool has_line = version_ < 3 || !rest.starts_with("- ");
  sound = sound && take_number(rest, line) && take_number(rest, column);
  const auto [sum, name] = rest.split(' ');
  if (!sound || sum.getAsInteger(10, total) || name.empty() != (version_ > 1)) return false;
  if (version_ == 1) function_ = &enter(name, std::nullopt);
  // Numbers are those of one version of the function.
  if (!function_ || (number ? !function_->checksum : !has_line)) return false;
  call_ = nullptr;
  if (kind == "call") {
    call_ = number ? &function_->by_number[number] : &function_->by_line[{line, column}];
  } else if (kind == "size" && number) {
    call_ = &function_->sizes[number];
  } else if (kind == "table" && number) {
    call_ = &function_->tables[number];
    tells_tables_ = true;
  }
  if (call_) call_->total = total;
  return true;
}

FunctionProfile& UseFile::enter(StringRef name, std::optional<uint64_t> checksum) {
  Versions& versions = functions_[name];
  if (const auto [file, plain] = split_source_name(name); versions.empty() && !file.empty())
    local_[plain].push_back(name);
  for (FunctionProfile& each : versions) {
    if (each.checksum == checksum) return each;
  }
  versions.push_back({checksum, {}, {}, {}, {}, {}, {}});
  return versions.back();
}

// The versions of the same local function from a file whose path ends the most alike.
const UseFile::Versions* UseFile::moved(StringRef source_name) const {
  const auto [file, name] = split_source_name(source_name);
  const auto candidates = local_.find(name);
  if (file.empty() || candidates == local_.end()) return nullptr;
  StringRef best;
  unsigned most = 0;
  for (StringRef each : candidates->second) {
    const unsigned common = common_end(file, split_source_name(each).first);
    if (common > most) {
      best = each, most = common;
    } else if (common == most) {
      best = {};
    }
  }
  return best.empty() ? nullptr : &functions_.at(best);
}

UseFile::Found UseFile::find(StringRef source_name, uint64_t checksum) const {
  auto exact = functions_.find(source_name);
  if (exact == functions_.end()) {
    if (const Versions* versions = moved(source_name)) {
      for (const FunctionProfile& each : *versions) {
        if (!each.checksum || each.checksum == checksum) return {&each, false};
      }
    }
    if (version_ > 1) return {};
    exact = functions_.find(split_source_name(source_name).second);
    if (exact == functions_.end()) return {};
  }
  for (const FunctionProfile& each : exact->second) {
    if (!each.checksum || each.checksum == checksum) return {&each, false};
  }
  return {nullptr, true};
}

const FunctionProfile* UseFile::find_by_name(StringRef name) const {
  const auto found = functions_.find(name);
  if (found == functions_.end()) return nullptr;
  for (const FunctionProfile& each : found->second) {
    if (!each.checksum) return &each;
  }
  return nullptr;
}

}  // namespace pgokit::plugin
