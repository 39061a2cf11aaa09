// The registers of a thread that has stopped.
#include "crash_at.h"

#include <elf.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

static struct __ptrace_syscall_info information(pid_t thread) {
  struct __ptrace_syscall_info info = {0};
  ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof info, &info);
  return info;
}

bool entered_call(pid_t thread, struct call *call) {
  struct __ptrace_syscall_info info = information(thread);
  if (info.op != PTRACE_SYSCALL_INFO_ENTRY) return false;
  call->thread = thread;
  call->number = (long)info.entry.nr;
  for (int i = 0; i < 6; i++) call->arguments[i] = info.entry.args[i];
  return true;
}

bool is_leaving_call(pid_t thread) { return information(thread).op == PTRACE_SYSCALL_INFO_EXIT; }

#if defined(__x86_64__)
static void poke(pid_t thread, size_t place, uint64_t value) {
  ptrace(PTRACE_POKEUSER, thread, (void *)place, (void *)value);
}

void skip_call(pid_t thread) {
  poke(thread, offsetof(struct user_regs_struct, orig_rax), (uint64_t)-1);
}

void set_third_argument(pid_t thread, uint64_t value) {
  poke(thread, offsetof(struct user_regs_struct, rdx), value);
}

void set_result(pid_t thread, long value) {
  poke(thread, offsetof(struct user_regs_struct, rax), (uint64_t)value);
}
#elif defined(__aarch64__)
static void change(pid_t thread, int place, uint64_t value) {
  struct user_regs_struct registers;
  struct iovec all = {&registers, sizeof registers};
  ptrace(PTRACE_GETREGSET, thread, NT_PRSTATUS, &all);
  registers.regs[place] = value;
  ptrace(PTRACE_SETREGSET, thread, NT_PRSTATUS, &all);
}

void skip_call(pid_t thread) {
  int number = -1;
  struct iovec all = {&number, sizeof number};
  ptrace(PTRACE_SETREGSET, thread, NT_ARM_SYSTEM_CALL, &all);
}

void set_third_argument(pid_t thread, uint64_t value) { change(thread, 2, value); }

void set_result(pid_t thread, long value) { change(thread, 0, (uint64_t)value); }
#else
#error "crash-at knows the registers of x86-64 and aarch64"
#endif
