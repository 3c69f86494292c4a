// Assembly text of what the plugin adds to a function beside code: its box and its map record.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "blocks.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "settings.h"

namespace pgokit::plugin {

// Where something is recorded.
struct Site {
  uint32_t kind = 0;
  uint32_t line = 0, column = 0;  // as in mip_site_place
  uint32_t number = 0;            // in the function of the line
  std::string function;           // of the line, as in the source; empty: the one that it is in
};

struct FunctionText {
  const llvm::MachineFunction* function = nullptr;
  Settings settings;
  Graph graph;
  Counters counters;
  std::vector<Site> sites;
  std::string source_name;  // of a local function
  std::optional<uint64_t> checksum;
  bool in_parts = false;  // code generation may put blocks into several sections

  uint32_t order_module = 0, order_number = 0;  // of MIP_ORDER_LOG: mip_order_id

  // Places in the raw section: a symbol, possibly with +offset.
  std::string box() const;  // known when all sites are
  std::string site(size_t number) const;
  std::string site_label(size_t number) const;
  std::string block_label(uint32_t block) const;
  std::string end_label() const;
  bool lists_blocks() const;

  // Whether block 0 has a label too, because the name does not mean this code: the linker may take
  // another definition of it, or adds 1 to it (Thumb).
  bool labels_entry() const;
  std::string address() const;

  // Its bit of MIP_ORDER_LOG, and the line of bits that begins with it, if one does.
  std::string order_bits() const;  // the byte
  uint8_t order_mask() const;
  std::string order_line() const;

  // The box with its first values, and the map record.
  std::string raw() const;
  std::string map() const;

 private:
  bool counts_nothing() const;
  std::string local(const char* what) const;  // a label for the assembler alone
  std::string counters_label() const;         // of the function's part of the raw section
  std::string record_label() const;
  std::string order_label() const;
  std::string raw_field() const;
  std::string site_list() const;
  uint64_t site_list_size() const;
  std::string source_name_text() const;
  bool has_numbers() const;
  std::string site_numbers() const;
};

}  // namespace pgokit::plugin
