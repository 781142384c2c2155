// SPDX-License-Identifier: MIT
// Switching stacks. Only the registers that a function call preserves are saved; swapcontext would also save
// the signal mask, with a system call that makes it forty times slower.
#include "backend/host/fiber_switch.hpp"

#include <cstdint>

#if defined(__ELF__) && defined(__x86_64__)

asm(R"(
  .text
  .globl quern_switch_stack
  .hidden quern_switch_stack
  .type quern_switch_stack, @function
quern_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size quern_switch_stack, . - quern_switch_stack
)");

#elif defined(__ELF__) && defined(__aarch64__)

asm(R"(
  .text
  .globl quern_switch_stack
  .hidden quern_switch_stack
  .type quern_switch_stack, %function
quern_switch_stack:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
  .size quern_switch_stack, . - quern_switch_stack
)");

#else
#define QUERN_UCONTEXT
#include <ucontext.h>

#include <new>
#endif

namespace quern::backend::host {

#ifndef QUERN_UCONTEXT

extern "C" void quern_switch_stack(Context* save, Context to);

void switch_stack(Context& save, Context to) {
  quern_switch_stack(&save, to);
}

Context prepare_stack(void* low, std::size_t size, void (*start)()) {
  const std::uintptr_t top = (reinterpret_cast<std::uintptr_t>(low) + size) / 16 * 16;
#ifdef __x86_64__
  // As if `start` had just been called from address 0, where backtraces end: six registers, the target
  // address, and the return address, which a function finds 8 bytes off a multiple of 16.
  auto* const words = reinterpret_cast<std::uintptr_t*>(top) - 8;
  for (int i = 0; i < 8; ++i) words[i] = 0;
  words[6] = reinterpret_cast<std::uintptr_t>(start);
#else
  auto* const words = reinterpret_cast<std::uintptr_t*>(top) - 20;
  for (int i = 0; i < 20; ++i) words[i] = 0;
  words[11] = reinterpret_cast<std::uintptr_t>(start);  // the link register
#endif
  return words;
}

#else

// The contexts lie at the upper ends of their stacks; that of the thread itself is stored separately.
namespace {
thread_local ucontext_t thread_context;
}

void switch_stack(Context& save, Context to) {
  if (save == nullptr) save = &thread_context;
  swapcontext(static_cast<ucontext_t*>(save), static_cast<ucontext_t*>(to));
}

Context prepare_stack(void* low, std::size_t size, void (*start)()) {
  const std::uintptr_t base = reinterpret_cast<std::uintptr_t>(low);
  const std::uintptr_t at = (base + size - sizeof(ucontext_t)) / 64 * 64;
  auto* const context = new (reinterpret_cast<void*>(at)) ucontext_t;
  getcontext(context);
  context->uc_stack.ss_sp = low;
  context->uc_stack.ss_size = at - base;
  context->uc_link = nullptr;
  makecontext(context, start, 0);
  return context;
}

#endif

}  // namespace quern::backend::host
