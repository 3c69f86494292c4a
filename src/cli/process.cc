// Compiled with exceptions, to see what the standard library threw where nobody can catch it: the
// rest of the program is compiled without them.
#include "cli/process.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>

#include "base/file.h"
#include "base/free_memory.h"
#include "base/huge_pages.h"
#include "base/printable.h"

namespace pgokit::cli {
namespace {

// Without what is registered to run at exit: other threads go on. What has no memory for one has none
// for another, and the first to say so ends them.
[[noreturn]] void leave(const char* before, const char* what, const char* after) {
  static std::atomic<bool> is_said = false;
  while (is_said.exchange(true)) pause();
  for (const char* part : {"pgokit: ", before, what, after, "\n"})
    if (::write(STDERR_FILENO, part, std::strlen(part)) < 0) break;
  _exit(1);
}

[[noreturn]] void no_memory() {
  leave("there is not enough memory for this input", "",
        ": give the machine or the limit (ulimit -v) more, or split the input");
}

void on_terminate() {
  if (!std::current_exception()) std::abort();
  try {
    std::rethrow_exception(std::current_exception());
  } catch (const std::bad_alloc&) {
    no_memory();
  } catch (const std::length_error&) {
    no_memory();
  } catch (const std::exception& error) {
    leave("", error.what(), "");
  } catch (...) {
    std::abort();
  }
}

// Pages of a mapped file past its new end.
void on_bus_error(int signal, siginfo_t* info, void*) {
  // Allocating is fine here: what faults is a read of the file, which is never inside of malloc().
  if (auto path = mapped_input_at(info->si_addr))
    leave(printable_line(*path).c_str(), ": became shorter while it was read", "");
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// A file that is opened takes the lowest free number: reports would be written into it. Reading a
// stream that was closed fails still, as does writing.
void fill_closed_streams() {
  for (int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(fd, F_GETFD) < 0)
      ::open("/dev/null", (fd == STDOUT_FILENO ? O_RDONLY : O_WRONLY) | O_CLOEXEC);
}

}  // namespace

void prepare_process() {
  fill_closed_streams();
  std::set_terminate(on_terminate);
  struct sigaction action{};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, nullptr);
}

}  // namespace pgokit::cli

// Large tables, in huge pages. Sanitizers have an allocator of their own.
#if defined(__has_feature)
#define PGOKIT_SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PGOKIT_SANITIZED 1
#else
#define PGOKIT_SANITIZED 0
#endif
#if !PGOKIT_SANITIZED

void* operator new(std::size_t size) {
  void* piece = std::malloc(std::max<std::size_t>(size, 1));
  if (!piece) throw std::bad_alloc();
  if (size >= pgokit::large_table) pgokit::prefer_huge_pages_for(piece, size);
  return piece;
}

void operator delete(void* piece) noexcept { std::free(piece); }
void operator delete(void* piece, std::size_t) noexcept { std::free(piece); }

#endif
