#pragma once

// The numbers of DWARF that this reader knows. Source of truth: DWARF 5, section 7; the GNU ones
// (split units of DWARF 4, discriminators of calls, dwz) from the GCC wiki and binutils.

#include "base/types.h"

namespace pgokit::dwarf {

namespace tag {
constexpr u16 compile_unit = 0x11, inlined_subroutine = 0x1d, subprogram = 0x2e, variable = 0x34,
              llvm_annotation = 0x6000;
}

namespace attr {
constexpr u16 location = 0x02, name = 0x03, stmt_list = 0x10, low_pc = 0x11, high_pc = 0x12,
              language = 0x13, comp_dir = 0x1b, const_value = 0x1c, producer = 0x25,
              abstract_origin = 0x31, decl_line = 0x3b, specification = 0x47, entry_pc = 0x52,
              ranges = 0x55, call_column = 0x57, call_file = 0x58, call_line = 0x59,
              linkage_name = 0x6e, str_offsets_base = 0x72, addr_base = 0x73, rnglists_base = 0x74,
              dwo_name = 0x76, mips_linkage_name = 0x2007, gnu_dwo_name = 0x2130,
              gnu_dwo_id = 0x2131, gnu_ranges_base = 0x2132, gnu_addr_base = 0x2133,
              gnu_discriminator = 0x2136;
}

namespace form {
constexpr u16 addr = 0x01, block2 = 0x03, block4 = 0x04, data2 = 0x05, data4 = 0x06, data8 = 0x07,
              string = 0x08, block = 0x09, block1 = 0x0a, data1 = 0x0b, flag = 0x0c, sdata = 0x0d,
              strp = 0x0e, udata = 0x0f, ref_addr = 0x10, ref1 = 0x11, ref2 = 0x12, ref4 = 0x13,
              ref8 = 0x14, ref_udata = 0x15, indirect = 0x16, sec_offset = 0x17, exprloc = 0x18,
              flag_present = 0x19, strx = 0x1a, addrx = 0x1b, ref_sup4 = 0x1c, strp_sup = 0x1d,
              data16 = 0x1e, line_strp = 0x1f, ref_sig8 = 0x20, implicit_const = 0x21,
              loclistx = 0x22, rnglistx = 0x23, ref_sup8 = 0x24, strx1 = 0x25, strx2 = 0x26,
              strx3 = 0x27, strx4 = 0x28, addrx1 = 0x29, addrx2 = 0x2a, addrx3 = 0x2b,
              addrx4 = 0x2c, gnu_addr_index = 0x1f01, gnu_str_index = 0x1f02, gnu_ref_alt = 0x1f20,
              gnu_strp_alt = 0x1f21, llvm_addrx_offset = 0x2001;
}

namespace expression_op {
constexpr u8 addr = 0x03, addrx = 0xa1, gnu_addr_index = 0xfb;
}
namespace unit_type {
constexpr u8 compile = 1, type = 2, partial = 3, skeleton = 4, split_compile = 5, split_type = 6;
}

namespace range_entry {
constexpr u8 end_of_list = 0, base_addressx = 1, startx_endx = 2, startx_length = 3,
             offset_pair = 4, base_address = 5, start_end = 6, start_length = 7;
}

namespace line_op {
constexpr u8 copy = 1, advance_pc = 2, advance_line = 3, set_file = 4, set_column = 5,
             negate_stmt = 6, set_basic_block = 7, const_add_pc = 8, fixed_advance_pc = 9,
             set_prologue_end = 10, set_epilogue_begin = 11, set_isa = 12;
constexpr u8 end_sequence = 1, set_address = 2, define_file = 3, set_discriminator = 4;
constexpr u64 content_path = 1, content_directory = 2;
}  // namespace line_op

// Columns of a package's index; rnglists only in version 5, where 8 meant macros before.
namespace column {
constexpr u32 info = 1, abbrev = 3, str_offsets = 6, rnglists = 8;
}

}  // namespace pgokit::dwarf
