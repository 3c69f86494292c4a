#include "record/x86/file_mappings.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "record/x86/assembler.h"
#include "record/x86/system_call.h"
#include "record/x86/translate.h"

namespace pgokit::record {
namespace {

void emit_call(Assembler& out, u32 number) {
  out.bytes({0xb8}), out.value(number);  // mov eax, imm32
  out.bytes({0x0f, 0x05});
}

void is_number(Assembler& out, Reg reg, u32 number) {  // mov r32, imm32
  auto code = static_cast<u8>(reg);
  if (code >= 8) out.bytes({0x41});
  out.bytes({static_cast<u8>(0xb8 | (code & 7))}), out.value(number);
}

// movabs reg, imm64, whose offset it gives.
u32 is_address(Assembler& out, Reg reg, u64 address = 0) {
  auto code = static_cast<u8>(reg);
  out.bytes({static_cast<u8>(code >= 8 ? 0x49 : 0x48), static_cast<u8>(0xb8 | (code & 7))});
  out.value(address);
  return out.offset() - 8;
}

// Where rcx is not zero. The rel32 is to be bound.
u32 leave_unless_zero(Assembler& out) {
  out.bytes({0xe3, 5, 0xe9});  // jrcxz: behind the jump
  return out.rel32();
}

void emit_restored(Assembler& out, const Registers& saved) {
  out.bytes({0x48, 0xbb}), out.value(u64(saved.rbx));
  out.bytes({0x48, 0xbd}), out.value(u64(saved.rbp));
  emit_return_to(out, saved);
}

// rbx = the result. rcx is zero where it is `wanted`.
u32 emit_mapping(Assembler& out, const FileMapping& mapping) {
  u32 flags =
      MAP_PRIVATE | MAP_NORESERVE | MAP_FIXED_NOREPLACE | (mapping.anonymous ? MAP_ANONYMOUS : 0);
  is_address(out, Reg::rdi, mapping.address);
  is_address(out, Reg::rsi, mapping.size);
  is_number(out, Reg::rdx, mapping.protection);
  is_number(out, Reg::r10, flags);
  out.bytes({0x41, 0xb9}), out.value(mapping.offset);  // mov r9d, imm32; r8 is the file
  emit_call(out, SYS_mmap);
  out.bytes({0x48, 0x89, 0xc3});  // mov rbx, rax
  is_address(out, Reg::rdx, u64(0) - mapping.address);
  out.bytes({0x48, 0x8d, 0x0c, 0x10});  // lea rcx, [rax + rdx]
  u32 failed = leave_unless_zero(out);
  out.bytes({0x8d, 0x6d, 1});  // lea ebp, [rbp + 1]
  return failed;
}

}  // namespace

MappingCalls code_to_map(u64 site, const Registers& saved, const StopWanted& stop,
                         std::string_view path, std::span<const FileMapping> mappings) {
  Assembler out(site);
  MappingCalls calls;
  std::vector<u32> failed;
  out.bytes({0xbd}), out.value(u32{0});  // mov ebp, 0
  is_number(out, Reg::rdi, static_cast<u32>(AT_FDCWD));
  u32 path_at = is_address(out, Reg::rsi);
  is_number(out, Reg::rdx, O_RDONLY | O_CLOEXEC);
  emit_call(out, SYS_openat);
  out.bytes({0x48, 0x89, 0xc3, 0x49, 0x89, 0xc0});  // mov rbx, rax; mov r8, rax
  out.bytes({0x48, 0x89, 0xc1, 0x48, 0x0f, 0xc9});  // mov rcx, rax; bswap rcx
  out.bytes({0x0f, 0xb6, 0xc9});                    // movzx ecx, cl: 255 for an error
  u32 not_opened = leave_unless_zero(out);
  for (const auto& mapping : mappings) failed.push_back(emit_mapping(out, mapping));
  for (u32 fixup : failed) out.bind(fixup);
  out.bytes({0x44, 0x89, 0xc7});  // mov edi, r8d
  emit_call(out, SYS_close);
  out.bind(not_opened);
  emit_call(out, SYS_getpid);
  out.bytes({0x89, 0xc7});  // mov edi, eax
  emit_call(out, SYS_gettid);
  out.bytes({0x89, 0xc6});  // mov esi, eax
  is_number(out, Reg::rdx, static_cast<u32>(stop.signal));
  u32 mark_at = is_address(out, Reg::r10);
  emit_call(out, SYS_rt_tgsigqueueinfo);
  calls.stop = out.here();
  is_number(out, Reg::rdi, SIG_SETMASK);
  u32 blocked_at = is_address(out, Reg::rsi);
  is_number(out, Reg::rdx, 0);
  is_number(out, Reg::r10, sizeof stop.blocked);
  emit_call(out, SYS_rt_sigprocmask);
  emit_restored(out, saved);
  out.patch(path_at, out.here());
  out.bytes(Bytes(reinterpret_cast<const u8*>(path.data()), path.size())), out.bytes({0});
  out.patch(blocked_at, out.here()), out.value(stop.blocked);
  out.patch(mark_at, out.here()), out.bytes(stop.mark);
  calls.code = std::move(out.code());
  return calls;
}

}  // namespace pgokit::record
