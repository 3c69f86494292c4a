#include "optimize/work_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/file.h"
#include "base/shell_word.h"

namespace pgokit::optimize {
namespace {

namespace fs = std::filesystem;

Status copy(const std::string& from, const std::string& to) {
  std::error_code error;
  auto mode = fs::status(from, error).permissions();
  if (error) return fail("{}: {}", from, error.message());
  auto file = TRY(MappedFile::open_regular(from));
  // What is at `to` is run: it has its mode before it has its name.
  bool replaces = fs::exists(to, error);
  auto target = replaces ? fs::canonical(to, error).string() : to;  // a link is followed
  if (error) return fail("{}: {}", to, error.message());
  auto other_name = target + ".new";
  auto out = TRY(OutputFile::create(other_name));
  out.write(file.bytes());
  TRY(out.commit());
  fs::permissions(other_name, mode, error);
  if (!error) fs::rename(other_name, target, error);
  if (error) return fail("{}: {}", to, error.message());
  return {};
}

// Of what a build printed: what the compiler or linker said first, which make buries under lines of
// its own; else the last line. What follows `passed_over` in a line does not count.
std::string telling_line(const std::string& path, std::string_view passed_over) {
  constexpr size_t most = 65536;
  auto file = MappedFile::open_regular(path);
  if (!file) return "";
  auto bytes = file->bytes().last(std::min(most, file->bytes().size()));
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::string_view last, said;
  while (!text.empty()) {
    auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    // Perhaps behind what a program has left of a line.
    if (!passed_over.empty()) line = line.substr(0, line.find(passed_over));
    if (line.find_first_not_of(' ') == line.npos) continue;
    last = line;
    for (std::string_view mark : {": error: ", ": fatal error: ", " undefined reference to "})
      if (line.find(mark) != line.npos) return std::string(line);
    // cargo's last one sums up, and hints follow it.
    if (line.starts_with("error: ")) said = line;
  }
  return std::string(said.empty() ? last : said);
}

}  // namespace

WorkFolder::WorkFolder(WorkFolder&& other) noexcept
    : path_(std::move(other.path_)),
      say_(std::move(other.say_)),
      lock_(std::exchange(other.lock_, -1)) {}

WorkFolder::~WorkFolder() {
  if (lock_ >= 0) close(lock_);
}

Result<WorkFolder> WorkFolder::open(const std::string& path, Say say) {
  WorkFolder work(path, std::move(say));
  TRY(work.make_folder("."));
  auto lock = work.file("lock");
  work.lock_ = ::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (work.lock_ < 0) return fail("{}: {}", lock, std::strerror(errno));
  if (flock(work.lock_, LOCK_EX | LOCK_NB) != 0)
    return fail("{}: another pgokit works in it: wait for its end, or give another --work", path);
  TRY(work.write(".gitignore", "*\n"));
  return work;
}

std::string WorkFolder::absolute(std::string_view name) const {
  std::error_code error;
  auto whole = fs::absolute(path_, error);
  return ((error ? fs::path(path_) : whole) / name).lexically_normal().string();
}

Status WorkFolder::make_folder(const std::string& name) const {
  std::error_code error;
  fs::create_directories(file(name), error);
  if (error) return fail("{}: {}", file(name), error.message());
  return {};
}

Status WorkFolder::write(const std::string& name, std::string_view text, bool executable) const {
  auto path = file(name);
  auto out = TRY(OutputFile::create(path));
  out.write(text);
  TRY(out.commit());
  std::error_code error;
  if (executable) fs::permissions(path, fs::perms(0755), error);
  if (error) return fail("{}: {}", path, error.message());
  return {};
}

Status WorkFolder::keep(const std::string& from, const std::string& name) const {
  return copy(from, file(name));
}

Status WorkFolder::put_back(const std::string& name, const std::string& to) const {
  return copy(file(name), to);
}

Result<measure::Run> WorkFolder::try_to_run(const ShellCommand& command) const {
  std::error_code error;
  say_("$ " + (command.shown.empty() ? command.text : command.shown));
  fs::remove(file(command.log), error);
  measure::Runner runner({.log = file(command.log), .environment = command.environment});
  return runner.run({"/bin/sh", "-c", command.text});
}

Error WorkFolder::failure(const ShellCommand& command, const measure::Run& run) const {
  bool is_own = command.shown.starts_with("pgokit ");
  // Of a command that was recorded, its own words tell.
  auto line = telling_line(file(command.log), is_own ? "" : "pgokit record: ");
  // pgokit says itself what is wrong, and what can be done, perhaps behind what a program has left of
  // a line.
  constexpr std::string_view own = "pgokit ";
  if (command.shown.starts_with(own)) {
    auto verb = command.shown.substr(0, command.shown.find(' ', own.size()));
    if (auto at = line.find(verb + ": "); at != line.npos) return {line.substr(at + own.size())};
  }
  return {fmt::format("{}: {}{}; {} has all that it printed", is_own ? command.shown : command.text,
                      run.ending(), line.empty() ? "" : fmt::format(" ({})", line),
                      file(command.log))};
}

Status WorkFolder::run(const ShellCommand& command) const {
  auto run = TRY(try_to_run(command));
  if (run.failed()) return std::unexpected(failure(command, run));
  return {};
}

ShellCommand WorkFolder::pgokit(const std::string& arguments, const std::string& log) const {
  // By this name it is found also where a newer one has taken its place.
  return {.text = fmt::format("exec /proc/{}/exe {}", getpid(), arguments),
          .log = log,
          .shown = "pgokit " + arguments};
}

}  // namespace pgokit::optimize
