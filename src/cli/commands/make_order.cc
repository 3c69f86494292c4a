#include "cli/commands/make_order.h"

#include <cmath>

#include "base/demangle.h"
#include "cli/views/order_picture.h"
#include "compilers/flags.h"
#include "order/arrange.h"
#include "order/layout.h"
#include "order/placement.h"
#include "report/function_names.h"
#include "report/json.h"
#include "report/numbers.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

using order::Algorithm;
using order::OrderFormat;
using report::grouped;
using report::Json;

Result<OrderFormat> format_named(const std::string& name) {
  if (name == "lld") return OrderFormat::lld;
  if (name == "gold") return OrderFormat::gold;
  if (name == "ld") return OrderFormat::ld;
  if (name == "ld64") return OrderFormat::ld64;
  if (name == "call-graph") return OrderFormat::call_graph;
  if (name == "mold")
    return usage_error("--format mold: mold cannot be told an order; link with lld, gold or ld");
  return usage_error("--format {}: lld, gold, ld, ld64 and call-graph are known", name);
}

// Of a set of traces, in one layout.
struct Score {
  u64 pages = 0, all_pages = 0;  // per trace by weight; of all traces together
  double area = 0;
};

Score score_of(const order::Layout& layout, std::span<const order::Trace> traces, u64 page_size) {
  Score score;
  double pages = 0, weights = 0;
  order::Trace together;
  for (const auto& trace : traces) {
    auto curve = order::page_curve(layout, trace, page_size);
    auto weight = static_cast<double>(trace.weight);
    pages += weight * static_cast<double>(curve.pages);
    score.area += weight * curve.area;
    weights += weight;
    together.functions.insert(together.functions.end(), trace.functions.begin(),
                              trace.functions.end());
  }
  if (weights > 0) {
    score.pages = static_cast<u64>(std::llround(pages / weights));
    score.area /= weights;
  }
  score.all_pages = order::touched_pages(layout, together, page_size).size();
  return score;
}

// By either measure.
bool is_better(const Score& then, const Score& now) {
  return then.pages < now.pages || then.area < now.area;
}

class OrderMaker {
 public:
  explicit OrderMaker(const MakeOrder& options) : options_(options) {}

  Status run() {
    auto algorithm = order::algorithm_named(options_.inputs.algorithm);
    if (!algorithm)
      return usage_error("--algorithm {}: auto, first-touch, bp, c3 and cdsort are known",
                         options_.inputs.algorithm);
    format_ = TRY(format_named(options_.format));
    inputs_ = TRY(pipeline::read_order_inputs(options_.inputs));
    auto& model = inputs_.model;
    for (const auto& path : options_.link) TRY(symbols_.add(path));
    if (!options_.link.empty() && symbols_.empty())
      return fail("{}: no function is in {}", fmt::join(options_.link, ", "),
                  options_.link.size() > 1 ? "them" : "it");
    symbols_.finish();
    placement_.emplace(model, symbols_);
    placement_->adopt(model);
    knows_layout_ = knows_sizes();
    present_ = order::present_layout(model);
    model.guess_sizes();
    TRY(hold_out());
    done_ = order::arrange(
        model,
        {.algorithm = *algorithm, .page_size = options_.page_size, .threads = options_.threads});
    if (done_.order.empty())
      return fail(
          "{}: none of the {} functions is in {}: is it the same program?",
          pipeline::names_of(options_.inputs.inputs), grouped(placement_->facts().functions),
          options_.link.empty() ? "the link" : fmt::format("{}", fmt::join(options_.link, ", ")));
    if (format_ == OrderFormat::call_graph && !model.has_calls())
      return fail("--format call-graph wants calls: 'pgokit flags edges', or a recording");
    TRY(write());
    tell();
    return {};
  }

 private:
  bool knows_sizes() const {
    for (const auto& function : inputs_.model.functions)
      if (function.size && function.address) return true;
    return false;
  }

  Status hold_out() {
    auto& traces = inputs_.model.traces;
    if (options_.held_out == 0) return {};
    if (options_.held_out >= traces.size())
      return fail(
          "--held-out {}: there {}, and one at least is to be learnt from", options_.held_out,
          traces.size() == 1 ? "is 1 trace" : report::format("are {} traces", traces.size()));
    auto from = traces.end() - static_cast<std::ptrdiff_t>(options_.held_out);
    held_out_.assign(std::make_move_iterator(from), std::make_move_iterator(traces.end()));
    traces.erase(from, traces.end());
    return {};
  }

  order::OrderText contents() const {
    if (format_ == OrderFormat::call_graph)
      return order::write_call_graph(placement_->calls_of(inputs_.model));
    auto symbols = placement_->symbols_of(done_.order, inputs_.model);
    bool takes_comments = format_ == OrderFormat::lld || format_ == OrderFormat::ld64;
    if (!options_.demangle || !takes_comments) return order::write_order(symbols, format_);
    order::OrderText all;
    for (const auto& symbol : symbols) {
      auto one = order::write_order({symbol}, format_);
      auto plain = demangle(symbol.name);
      if (plain != symbol.name && one.left_out == 0) all.text += "# " + plain + "\n";
      all.text += one.text;
      all.left_out += one.left_out;
    }
    return all;
  }

  Status write() {
    if (!options_.svg.empty()) TRY(write_picture());
    if (options_.output.empty()) return {};
    auto output = TRY(OutputFile::create(options_.output));
    auto order = contents();
    if (order.left_out)
      inputs_.notes.push_back(
          report::format("names that cannot stand in a line of {}, and are left out of it: {}",
                         options_.output, grouped(order.left_out)));
    output.write(order.text);
    return output.commit();
  }

  const std::vector<order::Trace>& judged() const {
    return held_out_.empty() ? inputs_.model.traces : held_out_;
  }

  Status write_picture() const {
    if (judged().empty()) return fail("--svg wants traces: calls alone touch no pages");
    OrderPicture picture(judged().front(), options_.page_size);
    if (knows_layout_) picture.add("now", present_);
    picture.add("ordered (estimate)", order::layout_of(done_.order, inputs_.model));
    return picture.write(options_.svg);
  }

  void tell() const {
    for (const auto& note : inputs_.notes) report::print(stderr, "warning   {}\n", note);
    if (options_.json) return report::print("{}\n", report::lines(json().text()));
    if (options_.quiet) return;
    report::print(options_.output == "-" ? stderr : stdout, "{}", report::lines(text()));
  }

  template <class... A>
  static void add(std::string& text, fmt::format_string<A...> format, A&&... values) {
    text += report::format(format, std::forward<A>(values)...);
  }

  // Functions that could not be placed, as far as they are listed.
  report::FunctionNames shown_names() const {
    const auto& facts = placement_->facts();
    report::FunctionNames names(options_.mangled);
    auto is_listed = [&](u64 line) { return options_.top == 0 || line < options_.top; };
    for (u64 i = 0; i < facts.missing.size() && is_listed(i); ++i)
      names.add(inputs_.model.name(facts.missing[i]));
    for (u64 i = 0; i < facts.ambiguous.size() && is_listed(i); ++i)
      names.add(inputs_.model.name(facts.ambiguous[i].function));
    return names;
  }

  std::string text() const {
    const auto& model = inputs_.model;
    std::string text;
    if (!model.traces.empty()) {
      add(text, "traces    {}{}, {}", grouped(model.traces.size()),
          held_out_.empty() ? "" : report::format(" and {} held out", grouped(held_out_.size())),
          report::counted(inputs_.cuts.touches, "first run"));
      if (inputs_.cuts.kept < inputs_.cuts.touches)
        add(text, ", {} of them in start-up", grouped(inputs_.cuts.kept));
      text += "\n";
    }
    if (model.has_calls()) add(text, "calls     {} different\n", grouped(model.calls.size()));
    text += placement_text();
    add(text, "order     {}\n", algorithms_text());
    text += score_text();
    if (options_.output.empty()) {
      add(text, "not saved -o FILE writes the order\n");
    } else {
      add(text, "wrote     {} ({})\n", options_.output, options_.format);
      auto flags = compilers::order_flags(format_, options_.output, symbols_.is_coff());
      add(text, "next      clang ... {} {}\n", fmt::join(flags.compile, " "),
          fmt::join(flags.link, " "));
    }
    return text;
  }

  std::string algorithms_text() const {
    std::string text;
    if (done_.of_traces)
      add(text, "{} of start-up by {}{}", grouped(done_.of_traces),
          order::algorithm_name(done_.startup), done_.refined ? ", refined" : "");
    if (done_.of_calls)
      add(text, "{}{} more by {}", text.empty() ? "" : ", ", grouped(done_.of_calls),
          order::algorithm_name(done_.steady));
    return text;
  }

  std::string placement_text() const {
    const auto& facts = placement_->facts();
    std::string text;
    if (symbols_.empty()) return text;
    add(text, "link      {} of {} functions are in it{}\n",
        grouped(facts.functions - facts.missing.size()), grouped(facts.functions),
        facts.by_base
            ? report::format(", {} of them under names with other suffixes", grouped(facts.by_base))
            : "");
    // A few names are in every program.
    if (facts.functions >= 10 && facts.missing.size() * 10 > facts.functions * 9)
      text += "          hardly one of them: is it the program that was measured?\n";
    if (facts.by_path)
      add(text, "other path {} of them: static functions named by another source path\n",
          grouped(facts.by_path));
    auto names = shown_names();
    u64 lines = 0;
    auto listed = [&] { return options_.top == 0 || lines++ < options_.top; };
    for (u32 f : facts.missing)
      if (listed()) add(text, "not there {}\n", names.of(inputs_.model.name(f)));
    if (options_.top && facts.missing.size() > options_.top)
      add(text, "... and {} more not there (--top 0 shows all)\n",
          grouped(facts.missing.size() - options_.top));
    lines = 0;
    for (const auto& one : facts.ambiguous)
      if (listed())
        add(text, "several   {}: {} static functions{}, placed together\n",
            names.of(inputs_.model.name(one.function)), grouped(one.symbols),
            one.files.empty() ? ""
                              : report::format(" ({}{})", fmt::join(one.files, ", "),
                                               one.symbols > one.files.size() ? ", ..." : ""));
    if (options_.top && facts.ambiguous.size() > options_.top)
      add(text, "... and {} more names of several functions\n",
          grouped(facts.ambiguous.size() - options_.top));
    return text;
  }

  std::string score_text() const {
    std::string text;
    if (judged().empty()) return text;
    auto then =
        score_of(order::layout_of(done_.order, inputs_.model), judged(), options_.page_size);
    const char* whose = held_out_.empty() ? "" : " by the traces held out";
    if (!knows_layout_) {
      add(text, "pages     {} of {} bytes (estimate{}; no sizes are known)\n", grouped(then.pages),
          grouped(options_.page_size), whose);
      return text;
    }
    auto now = score_of(present_, judged(), options_.page_size);
    add(text, "pages     {} now, {} in this order (estimate{}, pages of {} bytes)\n",
        grouped(now.pages), grouped(then.pages), whose, grouped(options_.page_size));
    add(text, "curve     {} now, {} in this order (area under the page-fault curve)\n",
        report::fixed(now.area, 0), report::fixed(then.area, 0));
    if (!is_better(then, now)) text += "no better than the order that the program has now\n";
    return text;
  }

  Json json() const {
    const auto& model = inputs_.model;
    const auto& facts = placement_->facts();
    Json missing = Json::array(), ambiguous = Json::array(), notes = Json::array();
    for (u32 f : facts.missing) missing.push(model.name(f));
    for (const auto& one : facts.ambiguous) ambiguous.push(model.name(one.function));
    for (const auto& note : inputs_.notes) notes.push(note);
    Json json = Json::object();
    json.set("traces", model.traces.size())
        .set("held_out", held_out_.size())
        .set("first_runs", inputs_.cuts.touches)
        .set("first_runs_in_startup", inputs_.cuts.kept)
        .set("calls", model.calls.size())
        .set("startup_functions", done_.of_traces)
        .set("steady_functions", done_.of_calls);
    if (done_.of_traces) json.set("startup_algorithm", order::algorithm_name(done_.startup));
    if (done_.of_calls) json.set("steady_algorithm", order::algorithm_name(done_.steady));
    if (!judged().empty()) {
      auto then = score_of(order::layout_of(done_.order, model), judged(), options_.page_size);
      json.set("page_size", options_.page_size)
          .set("pages_ordered", then.pages)
          .set("area_ordered", then.area);
      if (knows_layout_) {
        auto now = score_of(present_, judged(), options_.page_size);
        json.set("pages_now", now.pages)
            .set("area_now", now.area)
            .set("better", is_better(then, now));
      }
    }
    json.set("not_in_link", std::move(missing))
        .set("names_of_several", std::move(ambiguous))
        .set("warnings", std::move(notes));
    return json;
  }

  const MakeOrder& options_;
  OrderFormat format_{};
  pipeline::OrderInputs inputs_;
  order::LinkSymbols symbols_;
  std::optional<order::Placement> placement_;
  std::vector<order::Trace> held_out_;
  order::Layout present_;
  order::Arrangement done_;
  bool knows_layout_ = false;
};

}  // namespace

Status make_order(const MakeOrder& options) { return OrderMaker(options).run(); }

}  // namespace pgokit::cli
