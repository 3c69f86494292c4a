#pragma once

// Bytes on their way into a gzip file; base/unpack.h reads them.
//
//   Gzip packed([&](std::string_view bytes) { out.write(bytes); });
//   packed.write("text");
//   packed.finish();
//
// The same input gives the same bytes: there is neither a name nor a time in the header.

#include <functional>
#include <memory>
#include <string_view>

namespace pgokit {

class Gzip {
 public:
  using Take = std::function<void(std::string_view bytes)>;
  explicit Gzip(Take take);
  ~Gzip();
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  void write(std::string_view bytes);
  void finish();  // once, last

 private:
  struct Stream;
  void run(std::string_view bytes, int flush);

  Take take_;
  std::unique_ptr<Stream> stream_;
};

}  // namespace pgokit
