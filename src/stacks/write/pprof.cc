#include "stacks/write/pprof.h"

#include <algorithm>
#include <map>

#include "base/leb128.h"
#include "stacks/write/functions.h"

namespace pgokit::stacks {
namespace {

// A message of protocol buffers.
class Message {
 public:
  void number(u32 field, u64 value) {
    if (value == 0) return;
    packed(field << 3);
    packed(value);
  }
  void bytes(u32 field, std::string_view bytes) {
    packed(field << 3 | 2);
    packed(bytes.size());
    text_ += bytes;
  }
  void packed(u64 value) {
    put_uleb128(value, [&](u8 byte) { text_ += static_cast<char>(byte); });
  }
  void clear() { text_.clear(); }
  std::string_view view() const { return text_; }

 private:
  std::string text_;
};

enum Field : u32 {
  sample_type = 1,
  sample = 2,
  mapping = 3,
  location = 4,
  function = 5,
  string_table = 6,
  default_sample_type = 14,
};

class Writer {
 public:
  Writer(const Stacks& stacks, report::TextBuffer& out)
      : stacks_(stacks), functions_(stacks), out_(out) {
    string("");
  }

  void write() {
    write_types();
    write_samples();
    write_mappings();
    write_locations();
    write_functions();
    for (auto text : strings_) put(string_table, text);
  }

 private:
  u64 string(std::string_view text) {
    auto [found, is_new] = numbers_.try_emplace(std::string(text), numbers_.size());
    if (is_new) strings_.push_back(found->first);
    return found->second;
  }
  void put(Field field, std::string_view bytes) {
    whole_.clear();
    whole_.bytes(field, bytes);
    out_.text(whole_.view());
  }

  // Of several events, the names of their numbers of samples begin with the event.
  void write_types() {
    for (const auto& event : stacks_.events) {
      write_type(stacks_.events.size() > 1 ? event.name + "_samples" : "samples", "count");
      write_type(name_of(event), event.unit);
    }
    whole_.clear();
    whole_.number(default_sample_type, string(name_of(stacks_.events.front())));
    out_.text(whole_.view());
  }
  static std::string_view name_of(const Event& event) {
    return event.name.empty() ? std::string_view("events") : event.name;
  }
  void write_type(std::string_view type, std::string_view unit) {
    part_.clear();
    part_.number(1, string(type));
    part_.number(2, string(unit));
    put(sample_type, part_.view());
  }

  void write_samples() {
    for (const auto& one : stacks_.samples) {
      const auto& track = stacks_.tracks[one.track];
      part_.clear();
      list_.clear();
      for (u32 node = one.node; node != 0; node = stacks_.nodes[node].parent)
        list_.packed(stacks_.nodes[node].location + 1);
      part_.bytes(1, list_.view());
      list_.clear();
      for (u32 event = 0; event < stacks_.events.size(); ++event) {
        list_.packed(event == track.event ? as_signed(one.count) : 0);
        list_.packed(event == track.event ? as_signed(one.weight) : 0);
      }
      part_.bytes(2, list_.view());
      add_labels(track);
      put(sample, part_.view());
    }
  }
  static u64 as_signed(u64 value) { return std::min(value, ~u64{0} >> 1); }

  void add_labels(const Track& track) {
    auto add = [&](std::string_view key, u32 kind, u64 value) {
      list_.clear();
      list_.number(1, string(key));
      list_.number(kind, value);
      part_.bytes(3, list_.view());
    };
    constexpr u32 text = 2, number = 3;
    if (auto name = stacks_.names.text(track.name); !name.empty()) add("comm", text, string(name));
    if (track.pid && track.knows_pid) add("pid", number, track.pid);
    if (track.tid) add("tid", number, track.tid);
  }

  // Viewers take the first mapping for the program.
  void write_mappings() {
    size_t main = main_module();
    if (main < stacks_.modules.size()) write_mapping(main);
    for (size_t i = 0; i < stacks_.modules.size(); ++i)
      if (i != main) write_mapping(i);
  }
  void write_mapping(size_t number) {
    const auto& module = stacks_.modules[number];
    part_.clear();
    part_.number(1, number + 1);
    part_.number(2, module.start);
    part_.number(3, module.end);
    part_.number(4, module.file_offset);
    part_.number(5, string(module.path));
    part_.number(6, string(module.build_id));
    // Functions, files, lines and inlined frames: nothing is left to be looked up.
    for (u32 has : {7, 8, 9, 10}) part_.number(has, 1);
    put(mapping, part_.view());
  }
  // The one that a process is named after: by the beginning of its name, which is all that the
  // kernel keeps.
  size_t main_module() const {
    for (const auto& track : stacks_.tracks) {
      auto process = stacks_.names.text(track.name);
      auto is_it = [&](const Module& module) {
        std::string_view path = module.path;
        return !process.empty() && path.substr(path.rfind('/') + 1).starts_with(process);
      };
      auto found = std::ranges::find_if(stacks_.modules, is_it);
      if (found != stacks_.modules.end())
        return static_cast<size_t>(found - stacks_.modules.begin());
    }
    return 0;
  }

  // Lines go from the innermost function outwards.
  void write_locations() {
    for (u32 i = 0; i < stacks_.locations.size(); ++i) {
      const auto& at = stacks_.locations[i];
      part_.clear();
      part_.number(1, i + 1);
      part_.number(2, at.module + 1);
      part_.number(3, at.address);
      auto frames = stacks_.frames_of(i);
      auto functions = functions_.of(i);
      for (size_t frame = frames.size(); frame-- > 0;) {
        list_.clear();
        list_.number(1, functions[frame] + 1);
        list_.number(2, frames[frame].line);
        part_.bytes(4, list_.view());
      }
      put(location, part_.view());
    }
  }

  void write_functions() {
    for (size_t i = 0; i < functions_.list().size(); ++i) {
      const auto& one = functions_.list()[i];
      part_.clear();
      part_.number(1, i + 1);
      part_.number(2, string(one.name));
      part_.number(3, string(one.linked_name.empty() ? one.name : one.linked_name));
      part_.number(4, string(one.file));
      part_.number(5, one.start_line);
      put(function, part_.view());
    }
  }

  const Stacks& stacks_;
  FunctionList functions_;
  report::TextBuffer& out_;
  std::map<std::string, u64, std::less<>> numbers_;
  std::vector<std::string_view> strings_;  // views of numbers_
  Message whole_, part_, list_;
};

}  // namespace

void write_pprof(const Stacks& stacks, report::TextBuffer& out) { Writer(stacks, out).write(); }

}  // namespace pgokit::stacks
