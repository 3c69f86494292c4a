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
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/types.h"

namespace pgokit {

// A whole file as bytes: mapped if it can be. What can be read only once, a pipe, is read to its
// end and kept, so that it can be opened again, by the same or another name. Files compressed by
// gzip, zstd or xz are what they hold, within the bounds of base/unpack.h.
class MappedFile {
 public:
  static Result<MappedFile> open(const std::string& path);
  // The bytes of a regular file as they are. Of a pipe or a device, opening does not wait.
  static Result<MappedFile> open_regular(const std::string& path);

  MappedFile(MappedFile&& other) noexcept { *this = std::move(other); }
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  Bytes bytes() const { return bytes_; }
  const std::string& path() const { return path_; }

 private:
  MappedFile() = default;
  Status load(int fd);
  Status unpack_contents();

  std::string path_;
  Bytes bytes_;
  bool mapped_ = false;
  std::shared_ptr<const std::string> contents_;  // of what cannot be mapped
};

// The path of the MappedFile that `address` lies in, for the handler of SIGBUS: another program can
// make a file shorter while it is read here.
std::optional<std::string> mapped_input_at(const void* address);

// Gives back the memory of a part of a MappedFile that has been read; touched again, it is read
// again. So that a big recording passes through little memory. Of other memory nothing happens.
void release(Bytes part);

// A file that appears whole or not at all: it has no name before commit(), so nothing is left of it
// when the program is killed, and nobody can foresee where it lies. What was at `path` keeps its
// mode; a link is followed. Pipes, devices and /dev/fd/N are written to at once.
class OutputFile {
 public:
  static Result<OutputFile> create(const std::string& path);

  OutputFile(OutputFile&& other) noexcept { *this = std::move(other); }
  OutputFile& operator=(OutputFile&& other) noexcept;
  ~OutputFile();

  // What is written is for people: escaped as by base/printable.h. So is everything on a terminal.
  void escape() { escapes_ = true; }
  void write(std::string_view text);
  void write(Bytes bytes) { write({reinterpret_cast<const char*>(bytes.data()), bytes.size()}); }
  // Overwrites bytes already written (a header known only at the end). Not where it cannot seek.
  void write_at(u64 offset, Bytes bytes);
  bool can_seek() const;
  u64 size() const { return size_; }
  Status commit();

 private:
  OutputFile() = default;
  bool give_name();

  std::string path_;
  std::string target_;     // that commit() gives a name to; empty: there is nothing to do
  std::string temporary_;  // its name until then, where it needs one
  std::FILE* file_ = nullptr;
  u64 size_ = 0;
  bool escapes_ = false;
};

// A file that grows beyond its limit (RLIMIT_FSIZE) is a failed write here, not a signal. Another
// program gets the signal as it was by this, before exec().
void restore_file_size_signal();

}  // namespace pgokit
