#include "record/x86/system_call.h"

#include <sched.h>
#include <signal.h>
#include <sys/mman.h>

#include <algorithm>

#include "record/x86/assembler.h"

namespace pgokit::record {
namespace {

// They leave code, mappings and registers alone, and start nothing.
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
    SYS_exit, SYS_exit_group, SYS_rt_sigaction, SYS_rt_sigpending, SYS_rt_sigtimedwait,
    SYS_rt_sigqueueinfo, SYS_rt_sigsuspend, SYS_sigaltstack, SYS_pause, SYS_alarm, SYS_getitimer,
    SYS_setitimer, SYS_kill, SYS_tkill, SYS_tgkill, SYS_wait4, SYS_waitid, SYS_madvise,
    SYS_mincore, SYS_msync, SYS_socketpair, SYS_chdir, SYS_fchdir, SYS_creat, SYS_link,
    SYS_symlink, SYS_chmod, SYS_fchmod, SYS_chown, SYS_fchown, SYS_lchown, SYS_getrlimit,
    SYS_prlimit64, SYS_getpgrp, SYS_getpgid, SYS_setpgid, SYS_setsid, SYS_getsid, SYS_getgroups,
    SYS_getresuid, SYS_getresgid, SYS_utime, SYS_utimes, SYS_statfs, SYS_fstatfs, SYS_getpriority,
    SYS_setpriority, SYS_sched_getaffinity, SYS_sched_setaffinity, SYS_sched_getparam,
    SYS_sched_getscheduler, SYS_sched_get_priority_max, SYS_sched_get_priority_min,
    SYS_set_tid_address, SYS_set_robust_list, SYS_get_robust_list, SYS_getdents, SYS_clock_getres,
    SYS_clock_settime, SYS_timer_create, SYS_timer_settime, SYS_timer_gettime, SYS_timer_delete,
    SYS_timer_getoverrun, SYS_getxattr, SYS_lgetxattr, SYS_fgetxattr, SYS_listxattr, SYS_sync,
    SYS_epoll_create, SYS_epoll_create1, SYS_inotify_init1, SYS_inotify_add_watch,
    SYS_inotify_rm_watch, SYS_ftruncate, SYS_utimensat, SYS_futimesat, SYS_signalfd4, SYS_eventfd,
    SYS_timerfd_create, SYS_timerfd_gettime, SYS_dup3, SYS_mknod, SYS_linkat, SYS_symlinkat,
    SYS_fchmodat, SYS_fchownat, SYS_mknodat, SYS_splice, SYS_tee, SYS_sync_file_range, SYS_syncfs,
    SYS_memfd_create, SYS_membarrier, SYS_readahead, SYS_sched_setparam, SYS_close_range,
    SYS_preadv2, SYS_pwritev2, SYS_mlock, SYS_munlock, SYS_io_submit, SYS_io_getevents,
};
// clang-format on

}  // namespace

// What sets_rules() is seen by who follows whole runs; before a window all rules are read.
std::vector<u8> calls_made_in_copies(bool whole_run) {
  std::vector<u8> table(512);
  for (long number : harmless) table[static_cast<size_t>(number)] = 1;
  if (whole_run) table[SYS_rt_sigaction] = 0;
  return table;
}

MappingCall mapping_call(const Registers& regs) {
  MappingCall call{.is_one = true, .address = regs.rdi, .size = regs.rsi};
  switch (static_cast<long>(regs.rax)) {
    case SYS_mmap:
      call.maps_code = regs.rdx & PROT_EXEC || regs.r10 & MAP_FIXED;
      return call;
    case SYS_mprotect:
    case SYS_pkey_mprotect:
      call.maps_code = regs.rdx & PROT_EXEC;
      call.protects = true;
      return call;
    case SYS_munmap:
      return call;
    case SYS_mremap:
      call.maps_code = regs.r10 & MREMAP_FIXED;
      return call;
    case SYS_shmat:
    case SYS_shmdt:
    case SYS_remap_file_pages:
      call.maps_code = true;
      return call;
    default:
      return {};
  }
}

bool pop_flags(Bytes code, Registers& regs, TargetMemory& memory) {
  constexpr u64 of_program = 0x244dd5;  // ID AC NT OF DF TF SF ZF AF PF CF
  u64 flags = 0;
  if (!pops_flags(code) || !memory.read(regs.rsp, &flags, sizeof flags)) return false;
  regs.eflags = (regs.eflags & ~of_program) | (flags & of_program);
  regs.rsp += sizeof flags;
  ++regs.rip;
  return true;
}

bool sets_rules(const Registers& regs) {
  switch (static_cast<long>(regs.rax)) {
    case SYS_prctl:
    case SYS_arch_prctl:
    case SYS_seccomp:
    case SYS_personality:
    case SYS_rseq:
      return true;
    case SYS_rt_sigaction:
      return regs.rdi == SIGWINCH;  // by which copies stop: software/stop_mark.h
    default:
      return false;
  }
}

bool executes_program(const Registers& regs) {
  auto call = static_cast<long>(regs.rax);
  return call == SYS_execve || call == SYS_execveat;
}

u64 clone_flags(const Registers& regs, TargetMemory* memory) {
  u64 flags = 0;
  switch (system_call(regs)) {
    case SYS_clone:
      return first_argument(regs);
    case SYS_clone3:
      return memory && memory->read(first_argument(regs), &flags, sizeof flags) ? flags : 0;
    case SYS_vfork:
      return CLONE_VM;
    default:
      return 0;
  }
}

Registers outside_of_calls(Registers regs) {
  regs.orig_rax = u64(-1);
  return regs;
}

void emit_return_to(Assembler& out, const Registers& saved) {
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
}

std::vector<u8> call_code(u64 site, const Registers& saved) {
  Assembler out(site);
  out.bytes({0x0f, 0x05});
  emit_return_to(out, saved);
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
