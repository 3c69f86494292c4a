#include "stacks/write/firefox_thread.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/json.h"

namespace pgokit::stacks {
namespace {

using report::json_quoted;

constexpr u32 none = ~u32{0};

u32 category_of(Code code) { return static_cast<u32>(code) + 1; }

}  // namespace

FirefoxThreads::FirefoxThreads(const Stacks& stacks, report::TextBuffer& out)
    : stacks_(stacks),
      out_(out),
      functions_(stacks),
      stack_by_node_(stacks.nodes.size()),
      frame_by_location_(stacks.locations.size()),
      row_by_function_(functions_.list().size()),
      row_by_module_(stacks.modules.size()) {
  first_time_ = ~u64{0};
  for (const auto& sample : stacks.samples) first_time_ = std::min(first_time_, sample.time);
}

u32 FirefoxThreads::string(std::string_view text) {
  auto [found, is_new] =
      string_numbers_.try_emplace(std::string(text), static_cast<u32>(strings_.size()));
  if (is_new) strings_.push_back(found->first);
  return found->second;
}

u32 FirefoxThreads::function_row(u32 function) {
  u32& row = row_by_function_[function];
  if (row == 0) {
    function_rows_.push_back(function);
    row = static_cast<u32>(function_rows_.size());
    u32 module = functions_.list()[function].module;
    if (row_by_module_[module] == 0) {
      modules_.push_back(module);
      row_by_module_[module] = static_cast<u32>(modules_.size());
    }
  }
  return row - 1;
}

// A row for each frame of each node; the node's is that of its innermost.
u32 FirefoxThreads::stack_of(u32 node) {
  path_.clear();
  for (; node != 0 && stack_by_node_[node] == 0; node = stacks_.nodes[node].parent)
    path_.push_back(node);
  u32 prefix = node == 0 ? none : stack_by_node_[node] - 1;
  for (size_t i = path_.size(); i-- > 0;) {
    u32 location = stacks_.nodes[path_[i]].location;
    auto functions = functions_.of(location);
    u32& first = frame_by_location_[location];
    if (first == 0) {
      first = static_cast<u32>(frame_rows_.size()) + 1;
      for (u32 k = 0; k < functions.size(); ++k)
        frame_rows_.push_back({location, k, function_row(functions[k])});
    }
    for (u32 k = 0; k < functions.size(); ++k) {
      stack_rows_.push_back({first - 1 + k, category_of(stacks_.locations[location].code), prefix});
      prefix = static_cast<u32>(stack_rows_.size()) - 1;
    }
    stack_by_node_[path_[i]] = prefix + 1;
    nodes_.push_back(path_[i]);
  }
  return prefix;
}

void FirefoxThreads::collect(std::span<const Sample> samples) {
  for (u32 node : nodes_) stack_by_node_[node] = 0;
  for (const auto& frame : frame_rows_) frame_by_location_[frame.location] = 0;
  for (u32 function : function_rows_) row_by_function_[function] = 0;
  for (u32 module : modules_) row_by_module_[module] = 0;
  nodes_.clear(), stack_rows_.clear(), frame_rows_.clear(), function_rows_.clear();
  modules_.clear(), strings_.clear(), string_numbers_.clear();
  for (const auto& sample : samples) stack_of(sample.node);
}

template <class Rows, class Value>
void FirefoxThreads::column(std::string_view name, const Rows& rows, Value value) {
  out_.text('"'), out_.text(name), out_.text("\":[");
  for (bool first = true; const auto& row : rows) {
    if (!first) out_.text(',');
    first = false;
    using Cell = decltype(value(row));
    if constexpr (std::is_same_v<Cell, u32> || std::is_same_v<Cell, u64>)
      out_.decimal(value(row));
    else
      out_.text(value(row));
  }
  out_.text("],");
}

void FirefoxThreads::write(std::span<const Sample> samples) {
  collect(samples);
  write_head(stacks_.tracks[samples.front().track]);
  write_samples(samples);
  write_stacks();
  write_frames();
  write_functions();
  write_strings();
}

void FirefoxThreads::write_head(const Track& track) {
  u32 pid = track.knows_pid ? track.pid : track.tid;
  auto name = track_name(stacks_, track);
  out_.text(fmt::format(
      "{{\"processType\":\"default\",\"processStartupTime\":0,\"processShutdownTime\":null,"
      "\"registerTime\":0,\"unregisterTime\":null,\"pausedRanges\":[],\"name\":{},"
      "\"processName\":{},\"isMainThread\":{},\"pid\":\"{}\",\"tid\":{},\n",
      json_quoted(name), json_quoted(stacks_.names.text(track.name)), pid == track.tid, pid,
      track.tid));
  out_.text(
      "\"markers\":{\"length\":0,\"data\":[],\"name\":[],\"startTime\":[],\"endTime\":[],"
      "\"phase\":[],\"category\":[]},\n");
}

// Samples without times stand a millisecond apart.
double FirefoxThreads::milliseconds(std::span<const Sample> samples, size_t i) const {
  bool known = samples.back().time != 0;
  return known ? static_cast<double>(samples[i].time - first_time_) / 1e6 : static_cast<double>(i);
}

// Where samples are added up, each counts as many as they were; of an exact count, what was counted.
void FirefoxThreads::write_samples(std::span<const Sample> samples) {
  bool known = samples.back().time != 0;
  out_.text("\"samples\":{\"weightType\":\"samples\",");
  column("stack", samples, [&](const Sample& sample) { return stack_of(sample.node); });
  out_.text("\"time\":[");
  for (size_t i = 0; i < samples.size(); ++i)
    out_.text(fmt::format("{}{:.6f}", i ? "," : "", milliseconds(samples, i)));
  out_.text("],");
  column("weight", samples,
         [&](const Sample& sample) { return known ? sample.count : sample.weight; });
  out_.text(fmt::format("\"length\":{}}},\n", samples.size()));
}

void FirefoxThreads::write_stacks() {
  out_.text("\"stackTable\":{");
  column("frame", stack_rows_, [](const StackRow& row) { return row.frame; });
  column("prefix", stack_rows_, [](const StackRow& row) {
    return row.prefix == none ? std::string("null") : std::to_string(row.prefix);
  });
  column("category", stack_rows_, [](const StackRow& row) { return row.category; });
  column("subcategory", stack_rows_, [](const StackRow&) { return u32{0}; });
  out_.text(fmt::format("\"length\":{}}},\n", stack_rows_.size()));
}

void FirefoxThreads::write_frames() {
  auto null = [](const auto&) { return std::string_view("null"); };
  out_.text("\"frameTable\":{");
  column("address", frame_rows_, [&](const FrameRow& row) {
    return std::to_string(stacks_.locations[row.location].address);
  });
  column("inlineDepth", frame_rows_, [](const FrameRow& row) { return row.number; });
  column("category", frame_rows_,
         [&](const FrameRow& row) { return category_of(stacks_.locations[row.location].code); });
  column("subcategory", frame_rows_, [](const FrameRow&) { return u32{0}; });
  column("func", frame_rows_, [](const FrameRow& row) { return row.function; });
  column("line", frame_rows_, [&](const FrameRow& row) {
    u32 line = stacks_.frames_of(row.location)[row.number].line;
    return line ? std::to_string(line) : std::string("null");
  });
  for (auto name : {"nativeSymbol", "innerWindowID", "implementation", "column"})
    column(name, frame_rows_, null);
  out_.text(fmt::format("\"length\":{}}},\n", frame_rows_.size()));
}

void FirefoxThreads::write_functions() {
  const auto& list = functions_.list();
  auto no = [](u32) { return std::string_view("false"); };
  out_.text("\"funcTable\":{");
  column("name", function_rows_, [&](u32 row) { return string(list[row].name); });
  column("isJS", function_rows_, no);
  column("relevantForJS", function_rows_, no);
  column("resource", function_rows_, [&](u32 row) { return row_by_module_[list[row].module] - 1; });
  column("fileName", function_rows_, [&](u32 row) {
    auto file = list[row].file;
    return file.empty() ? std::string("null") : std::to_string(string(file));
  });
  column("lineNumber", function_rows_, [&](u32 row) {
    u32 line = list[row].start_line;
    return line ? std::to_string(line) : std::string("null");
  });
  column("columnNumber", function_rows_, [](u32) { return std::string_view("null"); });
  out_.text(fmt::format("\"length\":{}}},\n\"resourceTable\":{{", function_rows_.size()));
  constexpr u32 library = 1;
  column("lib", modules_, [](u32 module) { return module; });
  column("name", modules_, [&](u32 module) { return string(stacks_.modules[module].name()); });
  column("host", modules_, [](u32) { return std::string_view("null"); });
  column("type", modules_, [](u32) { return library; });
  out_.text(fmt::format("\"length\":{}}},\n", modules_.size()));
}

void FirefoxThreads::write_strings() {
  out_.text(
      "\"nativeSymbols\":{\"libIndex\":[],\"address\":[],\"name\":[],\"functionSize\":[],"
      "\"length\":0},\n\"stringArray\":[");
  for (bool first = true; auto text : strings_) {
    if (!first) out_.text(',');
    first = false;
    out_.text(json_quoted(text));
  }
  out_.text("]}");
}

}  // namespace pgokit::stacks
