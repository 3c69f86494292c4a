#pragma once

// Files in and files out.
//
//   auto file = TRY(MappedFile::open(path));        // "-" is standard input
//   use(file.bytes());
//
//   auto out = TRY(OutputFile::create(path));       // "-" is standard output
//   out.write(text);
//   TRY(out.commit());                              // without it nothing appears at `path`

#include <cstdio>
#include <string>

#include "base/result.h"
#include "base/types.h"

namespace pgokit {

// A whole file as bytes: mapped if it can be, read otherwise (pipes). Files compressed by gzip, zstd
// or xz are what they hold, within the bounds of base/unpack.h.
class MappedFile {
 public:
  static Result<MappedFile> open(const std::string& path);

  MappedFile(MappedFile&& other) noexcept { *this = std::move(other); }
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  Bytes bytes() const { return bytes_; }
  const std::string& path() const { return path_; }

 private:
  MappedFile() = default;
  Status unpack_contents();

  std::string path_;
  Bytes bytes_;
  bool mapped_ = false;
  std::string contents_;  // of what cannot be mapped
};

// Gives back the memory of a part of a MappedFile that has been read; touched again, it is read
// again. So that a big recording passes through little memory. Of other memory nothing happens.
void release(Bytes part);

// A file that appears whole or not at all: written beside its place, renamed by commit().
class OutputFile {
 public:
  static Result<OutputFile> create(const std::string& path);

  OutputFile(OutputFile&& other) noexcept { *this = std::move(other); }
  OutputFile& operator=(OutputFile&& other) noexcept;
  ~OutputFile();

  void write(std::string_view text);
  void write(Bytes bytes) { write({reinterpret_cast<const char*>(bytes.data()), bytes.size()}); }
  // Overwrites bytes already written (a header known only at the end). Not for standard output.
  void write_at(u64 offset, Bytes bytes);
  u64 size() const { return size_; }
  Status commit();

 private:
  OutputFile() = default;

  std::string path_, temporary_;
  std::FILE* file_ = nullptr;
  u64 size_ = 0;
};

}  // namespace pgokit
