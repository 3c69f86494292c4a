#include "order/balanced.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>

#include "base/hash.h"
#include "base/parallel.h"

namespace pgokit::order {
namespace {

constexpr u32 levels = 32;

// A function ran in this window of the trace and all that are longer.
struct Membership {
  u32 trace = 0, level = 0;
};

struct Item {
  u32 function = 0;
  u32 first = 0, count = 0;  // memberships
  double time = 0;           // mean place in the traces; that of a trace without it is its end
};

// One worker's scratch memory.
struct Scratch {
  std::vector<u32> left, right;  // by trace and level
  std::vector<double> to_left, to_right;
  std::vector<u32> traces;  // that the piece has
  std::vector<std::pair<double, u32>> left_gains, right_gains;
};

class Partitioner {
 public:
  Partitioner(const Model& model, const BalancedOptions& options)
      : model_(model), options_(options) {
    // The first window is smaller than a page, so that small programs have more than one.
    const u64 window = std::max<u64>(1, options.page_size / 8);
    std::vector<u32> item_of(model.functions.size(), ~u32{0});
    std::vector<std::vector<Membership>> memberships;
    for (u32 t = 0; t < model.traces.size(); ++t) {
      const auto& trace = model.traces[t];
      u64 bytes = 0;
      auto weight = static_cast<double>(trace.weight);
      auto length = static_cast<double>(std::max<size_t>(1, trace.functions.size()));
      for (size_t place = 0; place < trace.functions.size(); ++place) {
        u32 function = trace.functions[place];
        if (item_of[function] == ~u32{0}) {
          item_of[function] = static_cast<u32>(items_.size());
          items_.push_back({.function = function});
          memberships.emplace_back();
        }
        u32 item = item_of[function];
        auto level = static_cast<u32>(std::bit_width(bytes / window + 1)) - 1;
        memberships[item].push_back({t, std::min(level, levels - 1)});
        // Counted from the end, so that traces without the function need no visit.
        items_[item].time -= weight * (1 - static_cast<double>(place) / length);
        bytes += model.functions[function].size;
      }
    }
    for (u32 i = 0; i < items_.size(); ++i) {
      items_[i].first = static_cast<u32>(memberships_.size());
      items_[i].count = static_cast<u32>(memberships[i].size());
      memberships_.insert(memberships_.end(), memberships[i].begin(), memberships[i].end());
    }
    std::ranges::stable_sort(items_, {}, &Item::time);
    for (size_t n = 0; n <= items_.size() + 1; ++n)
      parts_.push_back(static_cast<double>(n) * std::log2(static_cast<double>(n) + 1));
  }

  std::vector<u32> run() {
    std::vector<Piece> pieces{{0, items_.size()}};
    std::vector<Scratch> scratch(worker_count(options_.threads));
    while (!pieces.empty()) {
      parallel_for(pieces.size(), options_.threads,
                   [&](size_t piece, unsigned worker) { divide(pieces[piece], scratch[worker]); });
      pieces = halves_of(pieces);
    }
    std::vector<u32> order;
    for (const auto& item : items_) order.push_back(item.function);
    return order;
  }

 private:
  struct Piece {
    size_t begin = 0, end = 0;
    size_t size() const { return end - begin; }
    size_t middle() const { return begin + size() / 2; }
  };

  std::vector<Piece> halves_of(const std::vector<Piece>& pieces) const {
    std::vector<Piece> halves;
    for (const auto& piece : pieces)
      for (Piece half : {Piece{piece.begin, piece.middle()}, Piece{piece.middle(), piece.end}})
        if (half.size() > options_.smallest) halves.push_back(half);
    return halves;
  }

  // Functions that stand together in as few halves as possible cost little.
  double cost(u32 left, u32 right) const { return -(parts_[left] + parts_[right]); }

  std::span<const Membership> memberships(const Item& item) const {
    return std::span(memberships_).subspan(item.first, item.count);
  }

  void divide(const Piece& piece, Scratch& scratch) {
    if (piece.size() <= options_.smallest) return;
    for (u32 round = 0; round < options_.rounds; ++round) {
      count(piece, scratch);
      find_gains(piece.size(), scratch);
      if (!exchange(piece, scratch, round)) break;
    }
    auto begin = items_.begin();
    auto at = [&](size_t i) { return begin + static_cast<std::ptrdiff_t>(i); };
    std::ranges::stable_sort(at(piece.begin), at(piece.middle()), {}, &Item::time);
    std::ranges::stable_sort(at(piece.middle()), at(piece.end), {}, &Item::time);
  }

  // How many functions of each half are in each window.
  void count(const Piece& piece, Scratch& s) {
    s.left.resize(model_.traces.size() * levels);
    s.right.resize(s.left.size());
    s.to_left.resize(s.left.size());
    s.to_right.resize(s.left.size());
    for (u32 trace : s.traces)
      std::fill_n(s.left.begin() + trace * levels, levels, 0),
          std::fill_n(s.right.begin() + trace * levels, levels, 0);
    s.traces.clear();
    for (size_t i = piece.begin; i < piece.end; ++i)
      for (auto [trace, level] : memberships(items_[i])) {
        auto& side = i < piece.middle() ? s.left : s.right;
        ++side[trace * levels + level];
        s.traces.push_back(trace);
      }
    std::ranges::sort(s.traces);
    s.traces.erase(std::ranges::unique(s.traces).begin(), s.traces.end());
  }

  // What a function of a window wins by a change of sides; summed over all longer windows too.
  void find_gains(size_t size, Scratch& s) {
    for (u32 trace : s.traces) {
      auto weight = static_cast<double>(model_.traces[trace].weight);
      u32* left = &s.left[trace * levels];
      u32* right = &s.right[trace * levels];
      for (u32 level = 1; level < levels; ++level)
        left[level] += left[level - 1], right[level] += right[level - 1];
      double to_left = 0, to_right = 0;
      for (u32 level = levels; level-- > 0;) {
        u32 l = left[level], r = right[level];
        bool divides = l + r > 1 && l + r < size;
        bool repeats = level && left[level - 1] == l && right[level - 1] == r;
        if (divides && !repeats) {
          double now = cost(l, r);
          if (l) to_right += weight * (now - cost(l - 1, r + 1));
          if (r) to_left += weight * (now - cost(l + 1, r - 1));
        }
        s.to_left[trace * levels + level] = to_left;
        s.to_right[trace * levels + level] = to_right;
      }
    }
  }

  double gain_of(const Item& item, const std::vector<double>& by_window) const {
    double gain = 0;
    for (auto [trace, level] : memberships(item)) gain += by_window[trace * levels + level];
    return gain;
  }

  // Functions that win most change places with each other. False: none did.
  bool exchange(const Piece& piece, Scratch& s, u32 round) {
    s.left_gains.clear();
    s.right_gains.clear();
    for (size_t i = piece.begin; i < piece.end; ++i) {
      bool is_left = i < piece.middle();
      double gain = gain_of(items_[i], is_left ? s.to_right : s.to_left);
      (is_left ? s.left_gains : s.right_gains).emplace_back(gain, static_cast<u32>(i));
    }
    auto more = [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    };
    std::ranges::sort(s.left_gains, more);
    std::ranges::sort(s.right_gains, more);
    bool any = false;
    for (size_t i = 0; i < std::min(s.left_gains.size(), s.right_gains.size()); ++i) {
      auto [left_gain, left] = s.left_gains[i];
      auto [right_gain, right] = s.right_gains[i];
      constexpr double noise = 1e-9;
      if (left_gain + right_gain <= noise) break;
      // Some stay, or equal functions change sides forever.
      if (IntHash{}(u64{items_[left].function} << 32 | (round + 1)) % 10 == 0) continue;
      std::swap(items_[left], items_[right]);
      any = true;
    }
    return any;
  }

  const Model& model_;
  const BalancedOptions options_;
  std::vector<Item> items_;
  std::vector<Membership> memberships_;
  std::vector<double> parts_;  // n log (n + 1)
};

}  // namespace

std::vector<u32> balanced(const Model& model, const BalancedOptions& options) {
  return Partitioner(model, options).run();
}

}  // namespace pgokit::order
