#pragma once

// Several programs of the same recordings or counters: each gets files of its own, and for BOLT each
// recording is read once for all of them.
//
//   auto chosen = TRY(all_programs(recordings, *output, threads));   // or what the user names
//   auto folder = TRY(folder_for(pattern));
//   std::deque<Road> roads;
//   for (const auto& file : chosen.files) roads.emplace_back(options_for(file));  // path_for()
//   TRY(run_together(roads, traveller));                            // all files or none

#include <deque>
#include <map>
#include <optional>
#include <span>

#include "base/output_folder.h"
#include "bolt/recording_traces.h"
#include "pipeline/commit_together.h"
#include "pipeline/road.h"

namespace pgokit::pipeline {

// What recordings hold for BOLT of several programs.
class SharedReading {
 public:
  explicit SharedReading(std::vector<const program::Program*> programs)
      : programs_(std::move(programs)) {}

  // What `read` says of one of the programs; called with all of them when a path is asked for
  // first. Each is handed out once.
  template <class Read>
  Result<bolt::RecordingTraces> traces(const std::string& path, const program::Program& program,
                                       const Read& read) {
    return take(traces_, path, program, read);
  }
  template <class Read>
  Result<bolt::RecordingAddresses> addresses(const std::string& path,
                                             const program::Program& program, const Read& read) {
    return take(addresses_, path, program, read);
  }

 private:
  template <class What, class Read>
  Result<What> take(std::map<std::string, std::vector<What>>& kept, const std::string& path,
                    const program::Program& program, const Read& read) {
    auto found = kept.find(path);
    if (found == kept.end()) found = kept.emplace(path, TRY(read(bolt::Programs(programs_)))).first;
    auto place = std::ranges::find(programs_, &program) - programs_.begin();
    return std::move(found->second[static_cast<size_t>(place)]);
  }

  std::vector<const program::Program*> programs_;
  std::map<std::string, std::vector<bolt::RecordingTraces>> traces_;
  std::map<std::string, std::vector<bolt::RecordingAddresses>> addresses_;
};

struct ChosenPrograms {
  std::vector<std::string> files;
  std::vector<std::string> left_out;  // a sentence each: which, and why
};

// All that have samples in the recordings, or counts, and that `output` can be made of, the hottest
// first. An error where there is none.
Result<ChosenPrograms> all_programs(const std::vector<std::string>& recordings,
                                    const Output& output, unsigned threads);

// Of "FOLDER/", or a pattern in which %n stands for the program's name; empty: NAME with the usual
// ending. An error where all programs would have the same.
Result<std::string> path_for(const std::string& pattern, std::string_view program_path,
                             std::string_view ending);
Result<std::string> path_for(const std::string& pattern, std::string_view program_path,
                             const Output& output);

// That of "FOLDER/", which is made where it is not there; of other patterns none.
Result<OutputFolder> folder_for(const std::string& pattern);

// So that none replaces the file of another.
Status check_distinct(std::span<const std::string> paths);

// Nothing is written before everything is made.
Status run_together(std::deque<Road>& roads, Traveller& traveller);

}  // namespace pgokit::pipeline
