#include "report/page_map.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/markup.h"
#include "report/numbers.h"

namespace pgokit::report {
namespace {

constexpr u64 columns = 128, most_squares = columns * 64;
constexpr u64 square = 7, gap = 1, step = square + gap, margin = 16, title_height = 24;
constexpr u64 width = 2 * margin + columns * step;

// From dark red (first) to light yellow (last).
std::string color(double time) {
  time = std::clamp(time, 0.0, 1.0);
  auto mix = [&](double from, double to) { return static_cast<int>(from + (to - from) * time); };
  return fmt::format("#{:02x}{:02x}{:02x}", mix(150, 250), mix(20, 200), mix(30, 90));
}

struct Grid {
  u64 pages_per_square = 1, squares = 0;
  explicit Grid(const PageMap& map)
      : pages_per_square((map.pages + most_squares - 1) / most_squares) {
    pages_per_square = std::max<u64>(1, pages_per_square);
    squares = (map.pages + pages_per_square - 1) / pages_per_square;
  }
  u64 rows() const { return std::max<u64>(1, (squares + columns - 1) / columns); }
};

void draw(std::string& svg, const PageMap& map, const Grid& grid, u64 top) {
  auto out = std::back_inserter(svg);
  std::string title = as_markup(map.title);
  if (grid.pages_per_square > 1)
    title += fmt::format(" ({} pages in a square)", grouped(grid.pages_per_square));
  fmt::format_to(out, "<text x=\"{}\" y=\"{}\">{}</text>\n", margin, top + 14, title);
  std::vector<double> first(grid.squares, 2);
  for (const auto& touched : map.touched)
    if (u64 at = touched.page / grid.pages_per_square; at < first.size())
      first[at] = std::min(first[at], touched.time);
  fmt::format_to(out, "<path fill=\"#e4e4e4\" d=\"");
  auto x_of = [](u64 at) { return margin + at % columns * step; };
  auto y_of = [&](u64 at) { return top + title_height + at / columns * step; };
  for (u64 at = 0; at < first.size(); ++at)
    if (first[at] > 1)
      fmt::format_to(out, "M{} {}h{}v{}h-{}z", x_of(at), y_of(at), square, square, square);
  svg += "\"/>\n";
  for (u64 at = 0; at < first.size(); ++at)
    if (first[at] <= 1)
      fmt::format_to(out, "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>\n",
                     x_of(at), y_of(at), square, square, color(first[at]));
}

}  // namespace

std::string page_maps(const std::vector<PageMap>& maps) {
  u64 height = margin;
  for (const auto& map : maps) height += title_height + Grid(map).rows() * step + margin;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
      "{1}\" font-family=\"sans-serif\" font-size=\"14\">\n<rect width=\"{0}\" height=\"{1}\" "
      "fill=\"white\"/>\n",
      width, height);
  u64 top = margin;
  for (const auto& map : maps) {
    Grid grid(map);
    draw(svg, map, grid, top);
    top += title_height + grid.rows() * step + margin;
  }
  return svg + "</svg>\n";
}

}  // namespace pgokit::report
