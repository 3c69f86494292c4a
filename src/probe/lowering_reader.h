#pragma once

// Behind lowering.h: one pass over the text, which finds the directives and what they refer to.

#include <tsl/robin_map.h>

#include <deque>
#include <map>

#include "probe/directive.h"
#include "probe/lowering.h"

namespace pgokit::probe {

class LoweringReader {
 public:
  LoweringReader(std::string_view text, std::string_view name, const LoweringOptions& options);

  Result<Lowering> read();

 private:
  struct Label {
    std::string_view name;  // without quotes
    u32 section = 0;
  };
  // Lines that are not assembled as they stand, or perhaps not at all.
  struct Block {
    std::string_view what;  // the directive that opened it
    u64 line = 0;
    bool is_body = false;  // of a macro or repetition
  };

  Status take(const assembly::Statement& statement);
  bool is_local(std::string_view label) const;
  void take_label(const assembly::Statement& statement);
  bool take_block(const assembly::Statement& statement);
  void take_descriptor(std::string_view operands);
  Status take_probe(const assembly::Statement& statement);
  Status check_place() const;
  void replace(const assembly::Statement& statement, u32 label);
  u32 label_here(const assembly::Statement& statement);
  Result<u32> part_here();
  Result<std::string_view> function_here() const;
  Result<std::string_view> base_symbol();
  Status add_probe(const assembly::Statement& statement);
  const Label* find_label(std::string_view name);
  Status finish();
  void label_starts();
  Status describe_functions();
  Status choose_prefix();

  template <class... Args>
  std::unexpected<Error> fail_at(u64 line, fmt::format_string<Args...> text, Args&&... args) const {
    return fail("{}:{}: {}", name_, line, fmt::format(text, std::forward<Args>(args)...));
  }

  std::string_view text_, name_;
  LoweringOptions options_;
  assembly::StatementReader reader_;
  assembly::SectionTracker sections_;
  Lowering out_;
  Directive directive_;

  std::deque<Label> labels_;
  tsl::robin_map<std::string_view, u32> label_index_;  // of the first indexed_ labels
  size_t indexed_ = 0;
  bool plain_locals_ = false;                  // labels like LBB0_1: COFF of i386
  std::vector<std::string_view> last_symbol_;  // per section, as written

  std::vector<Block> blocks_;
  u64 bodies_ = 0;                                           // in blocks_
  std::vector<u64> described_;                               // GUIDs with a descriptor, and hashes
  tsl::robin_map<u64, u64> used_;                            // GUID -> line of its first use
  std::map<std::pair<std::string_view, u32>, u32> part_of_;  // by function and section
  u32 part_ = none;                                          // of the last probe
  std::string_view part_function_;
  u32 labels_set_ = 0;
  u32 last_label_ = none;  // marks the place here, if no code came since
  u64 code_before_ = 0;    // instructions before last_label_
};

}  // namespace pgokit::probe
