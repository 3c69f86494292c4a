#pragma once

// Listings of machine code: pieces of code are printed on all cores, and written in their order.
//
//   struct Printer : RegionPrinter {                       // one per thread
//     void print(const program::CodeRegion& region, ListingSink& sink) override;
//   };
//   print_regions(regions, threads, [] { return std::make_unique<Printer>(); }, output);
//
// Memory stays within some megabytes whatever the program's size.

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "base/file.h"
#include "program/code_regions.h"

namespace pgokit::cli {

// Where a printer puts its text. Printers call flush_some() now and then.
class ListingSink {
 public:
  // With a file the text goes there as it grows; without it is kept.
  explicit ListingSink(OutputFile* file) : file_(file) {}

  std::string& text() { return text_; }
  void flush_some() {
    if (file_ && text_.size() > flush_size) flush();
  }
  void flush() {
    if (file_) file_->write(text_), text_.clear();
  }

 private:
  static constexpr size_t flush_size = size_t{1} << 16;
  OutputFile* file_;
  std::string text_;
};

class RegionPrinter {
 public:
  virtual ~RegionPrinter() = default;
  virtual void print(const program::CodeRegion& region, ListingSink& sink) = 0;
};

void print_regions(std::span<const program::CodeRegion> regions, unsigned threads,
                   const std::function<std::unique_ptr<RegionPrinter>()>& make_printer,
                   OutputFile& output);

}  // namespace pgokit::cli
