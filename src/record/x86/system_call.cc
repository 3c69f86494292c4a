#include "record/x86/system_call.h"

#include <sys/mman.h>

#include <algorithm>

#include "record/x86/assembler.h"

namespace pgokit::record {
namespace {

// Those that programs make often. What can change code, map it, start or end something, or set
// registers is not among them.
// clang-format off
constexpr long harmless[] = {
    SYS_read, SYS_write, SYS_open, SYS_close, SYS_stat, SYS_fstat, SYS_lstat, SYS_poll, SYS_lseek,
    SYS_brk, SYS_rt_sigprocmask, SYS_ioctl, SYS_pread64, SYS_pwrite64, SYS_readv, SYS_writev,
    SYS_access, SYS_pipe, SYS_select, SYS_sched_yield, SYS_dup, SYS_dup2, SYS_nanosleep,
    SYS_getpid, SYS_sendfile, SYS_socket, SYS_connect, SYS_accept, SYS_sendto, SYS_recvfrom,
    SYS_sendmsg, SYS_recvmsg, SYS_shutdown, SYS_bind, SYS_listen, SYS_getsockname,
    SYS_getpeername, SYS_setsockopt, SYS_getsockopt, SYS_uname, SYS_fcntl, SYS_flock, SYS_fsync,
    SYS_fdatasync, SYS_truncate, SYS_ftruncate, SYS_getcwd, SYS_rename, SYS_mkdir, SYS_rmdir,
    SYS_unlink, SYS_readlink, SYS_umask, SYS_gettimeofday, SYS_getrusage, SYS_sysinfo, SYS_times,
    SYS_getuid, SYS_getgid, SYS_geteuid, SYS_getegid, SYS_getppid, SYS_gettid, SYS_time,
    SYS_futex, SYS_epoll_wait, SYS_epoll_ctl, SYS_getdents64, SYS_fadvise64, SYS_clock_gettime,
    SYS_clock_nanosleep, SYS_openat, SYS_mkdirat, SYS_newfstatat, SYS_unlinkat, SYS_renameat,
    SYS_readlinkat, SYS_faccessat, SYS_pselect6, SYS_ppoll, SYS_epoll_pwait, SYS_fallocate,
    SYS_timerfd_settime, SYS_accept4, SYS_eventfd2, SYS_pipe2, SYS_preadv, SYS_pwritev,
    SYS_recvmmsg, SYS_sendmmsg, SYS_getcpu, SYS_renameat2, SYS_getrandom, SYS_copy_file_range,
    SYS_statx, SYS_faccessat2,
};
// clang-format on

bool is_harmless(const Registers& regs) {
  auto call = static_cast<long>(regs.rax);
  if (call == SYS_mmap) return !(regs.rdx & PROT_EXEC) && !(regs.r10 & MAP_FIXED);
  return std::ranges::find(harmless, call) != std::end(harmless);
}

}  // namespace

bool comes_back(Bytes code, const Registers& regs) {
  bool is_call = code.size() >= 2 && code[0] == 0x0f && code[1] == 0x05;
  return is_call && is_harmless(regs);
}

Registers outside_of_calls(Registers regs) {
  regs.orig_rax = u64(-1);
  return regs;
}

std::vector<u8> call_code(u64 site, const Registers& saved) {
  Assembler out(site);
  out.bytes({0x0f, 0x05});
  out.bytes({0x48, 0xb8}), out.value(u64(saved.rax));
  out.bytes({0x48, 0xbf}), out.value(u64(saved.rdi));
  out.bytes({0x48, 0xbe}), out.value(u64(saved.rsi));
  out.bytes({0x48, 0xba}), out.value(u64(saved.rdx));
  out.bytes({0x49, 0xba}), out.value(u64(saved.r10));
  out.bytes({0x49, 0xb8}), out.value(u64(saved.r8));
  out.bytes({0x49, 0xb9}), out.value(u64(saved.r9));
  out.bytes({0x48, 0xb9}), out.value(u64(saved.rcx));
  out.bytes({0x49, 0xbb}), out.value(u64(saved.r11));
  out.bytes({0xff, 0x25}), out.value(u32(0)), out.value(u64(saved.rip));
  return std::move(out.code());
}

Registers registers_for_call(const Registers& saved, u64 site, const SystemCall& call) {
  Registers regs = outside_of_calls(saved);
  regs.rip = site;
  regs.rax = static_cast<u64>(call.number);
  regs.rdi = call.arguments[0], regs.rsi = call.arguments[1], regs.rdx = call.arguments[2];
  regs.r10 = call.arguments[3], regs.r8 = call.arguments[4], regs.r9 = call.arguments[5];
  return regs;
}

}  // namespace pgokit::record
