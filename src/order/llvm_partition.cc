#include "order/llvm_partition.h"

#include <tsl/robin_map.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>

#include "base/hash.h"
#include "base/parallel.h"

namespace pgokit::order {
namespace {

// What the papers leave open, as LLVM 22 has it.
constexpr u32 deepest = 18;    // pieces of this depth are not divided
constexpr u32 rounds = 40;     // of exchanges between two halves at most
constexpr float stays = 0.1f;  // so many of the functions that should change sides do not

// Functions are numbered in the order of the earliest places at which traces have them. A window is
// the beginning of one trace: its first 1, 2, 4, 8... functions, or all of it.
struct Function {
  u64 id;
  u64 earliest;
  u32 windows = 0;  // how many it is in
  u64 first = 0;    // where they are in `Windows::of_functions`, ascending
};

struct Windows {
  std::vector<Function> functions;
  std::vector<u32> of_functions;
  u32 count = 0;
};

u32 window_at(u64 place) { return static_cast<u32>(std::bit_width(place)); }

std::vector<Function> functions_of(std::span<const std::vector<u64>> traces) {
  std::vector<Function> functions;
  tsl::robin_map<u64, u32, IntHash> numbers;
  for (const auto& trace : traces)
    for (u64 place = 0; place < trace.size(); ++place) {
      auto at = numbers.try_emplace(trace[place], static_cast<u32>(functions.size())).first;
      if (at->second == functions.size()) functions.push_back({trace[place], place});
      auto& earliest = functions[at->second].earliest;
      earliest = std::min(earliest, place);
    }
  std::ranges::sort(functions, {}, [](const Function& f) { return std::pair(f.earliest, f.id); });
  return functions;
}

// Calls visit(function, window): of a function all windows of a trace before those of the next one.
template <class Visit>
u32 each_window(std::span<const std::vector<u64>> traces, const std::vector<Function>& functions,
                Visit visit) {
  tsl::robin_map<u64, u32, IntHash> numbers;
  for (u32 f = 0; f < functions.size(); ++f) numbers[functions[f].id] = f;
  std::vector<u32> seen_below(functions.size());  // a window that the function is in already
  u32 begin = 0;
  for (const auto& trace : traces) {
    u32 end = begin + 1 + (trace.empty() ? 0 : window_at(trace.size() - 1));
    for (u64 place = 0; place < trace.size(); ++place) {
      u32 f = numbers.find(trace[place])->second;
      for (u32 window = std::max(begin + window_at(place), seen_below[f]); window < end; ++window)
        visit(f, window);
      seen_below[f] = end;
    }
    begin = end;
  }
  return begin;
}

Windows collect(std::span<const std::vector<u64>> traces) {
  Windows all{.functions = functions_of(traces), .of_functions = {}};
  std::vector<u32> sizes;
  all.count = each_window(traces, all.functions, [&](u32, u32 window) {
    if (window >= sizes.size()) sizes.resize(window + 1);
    ++sizes[window];
  });
  // Windows of one function, and those of more than half of them, tell nothing.
  auto tells = [&](u32 window) {
    return sizes[window] > 1 && 2 * u64{sizes[window]} <= all.functions.size();
  };
  each_window(traces, all.functions,
              [&](u32 f, u32 window) { all.functions[f].windows += tells(window); });
  u64 sum = 0;
  for (auto& f : all.functions) f.first = sum, sum += f.windows, f.windows = 0;
  all.of_functions.resize(sum);
  each_window(traces, all.functions, [&](u32 number, u32 window) {
    auto& f = all.functions[number];
    if (tells(window)) all.of_functions[f.first + f.windows++] = window;
  });
  return all;
}

class Partition {
 public:
  explicit Partition(Windows windows) : windows_(std::move(windows)) {
    size_t functions = windows_.functions.size();
    order_.resize(functions);
    std::iota(order_.begin(), order_.end(), 0u);
    is_left_.resize(functions);
    for (size_t n = 0; n <= functions + 1; ++n)
      costs_.push_back(static_cast<float>(n) * static_cast<float>(std::log2(n + 1)));
  }

  std::vector<u64> run(unsigned threads) {
    std::vector<Piece> pieces{{0, order_.size(), 1}};
    std::vector<Scratch> scratch(worker_count(threads));
    for (u32 depth = 0; depth < deepest && !pieces.empty(); ++depth) {
      std::vector<size_t> middles(pieces.size());
      parallel_for(pieces.size(), threads, [&](size_t i, unsigned worker) {
        middles[i] = divide(pieces[i], scratch[worker]);
      });
      pieces = halves_of(pieces, middles);
    }
    for (const auto& piece : pieces) std::sort(at(piece.begin), at(piece.end));
    std::vector<u64> order;
    for (u32 f : order_) order.push_back(windows_.functions[f].id);
    return order;
  }

 private:
  struct Piece {
    size_t begin, end;
    u32 seed;
    size_t size() const { return end - begin; }
  };
  // Of a window: how many of its functions are on each side.
  struct Sides {
    u32 left = 0, right = 0;
    bool is_stale = false;  // its gains
  };
  // What a function gains that leaves the right side of a window, or the left one. Read for each
  // function of each window in each round, and so apart from what is not.
  using Gains = std::array<float, 2>;
  struct Gain {
    float gain;
    u32 function;
  };
  // One worker's memory.
  struct Scratch {
    std::vector<Sides> sides;         // by window
    std::vector<Gains> window_gains;  // by window
    std::vector<u32> stale;           // windows
    std::vector<Gain> gains;
  };

  std::vector<u32>::iterator at(size_t i) {
    return order_.begin() + static_cast<std::ptrdiff_t>(i);
  }

  static std::vector<Piece> halves_of(const std::vector<Piece>& pieces,
                                      const std::vector<size_t>& middles) {
    std::vector<Piece> halves;
    for (size_t i = 0; i < pieces.size(); ++i)
      for (Piece half : {Piece{pieces[i].begin, middles[i], 2 * pieces[i].seed},
                         Piece{middles[i], pieces[i].end, 2 * pieces[i].seed + 1}})
        if (half.size() > 1) halves.push_back(half);
    return halves;
  }

  std::span<u32> windows_of(u32 function) {
    const auto& f = windows_.functions[function];
    return std::span(windows_.of_functions).subspan(f.first, f.windows);
  }

  size_t divide(const Piece& piece, Scratch& scratch) {
    std::sort(at(piece.begin), at(piece.end));
    auto middle = at(piece.begin + (piece.size() + 1) / 2);
    for (auto f = at(piece.begin); f != at(piece.end); ++f) is_left_[*f] = f < middle;
    count_sides(piece, scratch);
    std::mt19937 random(piece.seed);  // NOLINT(cert-msc*): the same numbers are wanted each time
    for (u32 round = 0; round < rounds; ++round)
      if (!exchange(piece, scratch, random)) break;
    auto right = std::partition(at(piece.begin), at(piece.end), [&](u32 f) { return is_left_[f]; });
    return static_cast<size_t>(right - order_.begin());
  }

  // Windows that do not divide the piece are removed from its functions for good.
  void count_sides(const Piece& piece, Scratch& scratch) {
    auto& sides = scratch.sides;
    sides.resize(windows_.count);
    scratch.window_gains.resize(windows_.count);
    scratch.stale.clear();
    auto functions = std::span(order_).subspan(piece.begin, piece.size());
    for (u32 f : functions)
      for (u32 window : windows_of(f)) sides[window] = {};
    for (u32 f : functions)
      for (u32 window : windows_of(f)) {
        ++(is_left_[f] ? sides[window].left : sides[window].right);
        make_stale(window, scratch);
      }
    for (u32 f : functions) {
      auto removed = std::ranges::remove_if(windows_of(f), [&](u32 window) {
        u32 size = sides[window].left + sides[window].right;
        return size == 1 || size == piece.size();
      });
      windows_.functions[f].windows -= static_cast<u32>(removed.size());
    }
  }

  float cost(u32 left, u32 right) const { return -(costs_[left] + costs_[right]); }

  static void make_stale(u32 window, Scratch& scratch) {
    if (!std::exchange(scratch.sides[window].is_stale, true)) scratch.stale.push_back(window);
  }

  void renew_gains(Scratch& scratch) const {
    for (u32 window : scratch.stale) {
      auto& [left, right, is_stale] = scratch.sides[window];
      float now = cost(left, right);
      scratch.window_gains[window] = {right ? now - cost(left + 1, right - 1) : 0,
                                      left ? now - cost(left - 1, right + 1) : 0};
      is_stale = false;
    }
    scratch.stale.clear();
  }

  float gain_of(u32 function, const std::vector<Gains>& gains) {
    float gain = 0;
    size_t side = is_left_[function];
    for (u32 window : windows_of(function)) gain += gains[window][side];
    return gain;
  }

  // Whether any function went to the other half.
  bool exchange(const Piece& piece, Scratch& scratch, std::mt19937& random) {
    auto& gains = scratch.gains;
    gains.clear();
    renew_gains(scratch);
    for (u32 f : std::span(order_).subspan(piece.begin, piece.size()))
      gains.push_back({gain_of(f, scratch.window_gains), f});
    // Equal gains stay in the order in which this leaves them.
    auto right = std::partition(gains.begin(), gains.end(),
                                [&](const Gain& gain) { return is_left_[gain.function]; });
    std::ranges::stable_sort(gains.begin(), right, std::greater(), &Gain::gain);
    std::ranges::stable_sort(right, gains.end(), std::greater(), &Gain::gain);
    bool any = false;
    for (auto left = gains.begin(), end = right; left != end && right != gains.end();
         ++left, ++right) {
      if (left->gain + right->gain <= 0) break;
      any |= move(left->function, scratch, random);
      any |= move(right->function, scratch, random);
    }
    return any;
  }

  // From 0 to 1, as std::uniform_real_distribution<float> has it, which asks for two logarithms.
  static float share(std::mt19937& random) {
    constexpr float range = 4294967296;
    return std::min(static_cast<float>(random()) / range, std::nextafterf(1, 0));
  }

  bool move(u32 function, Scratch& scratch, std::mt19937& random) {
    if (share(random) <= stays) return false;
    bool was_left = is_left_[function];
    is_left_[function] = !was_left;
    for (u32 window : windows_of(function)) {
      auto& [left, right, is_stale] = scratch.sides[window];
      was_left ? (--left, ++right) : (++left, --right);
      make_stale(window, scratch);
    }
    return true;
  }

  Windows windows_;
  std::vector<u32> order_;    // numbers of functions
  std::vector<u8> is_left_;   // bool, which workers write next to each other
  std::vector<float> costs_;  // n log (n + 1)
};

}  // namespace

std::vector<u64> llvm_partition(std::span<const std::vector<u64>> traces, unsigned threads) {
  return Partition(collect(traces)).run(threads);
}

}  // namespace pgokit::order
