/* entry.S (x86-64): the crossings between C, generated code and the kernel.
 *
 * Generated code runs with every application register in its own hardware register; only GS belongs to the engine. These
 * are the places where that changes hands. */
#include <asm/prctl.h>
#include <asm/unistd.h>
#include "engine/x64/context.h"

#define EFLAGS_STATUS 0x8d5 /* CF, PF, AF, ZF, SF, OF */
#define EFLAGS_USUAL 0x202  /* IF and the bit that is always set */
#define EFLAGS_NONE 2
#define GPR(n) %gs:CTX_GPR + 8 * n
#define ENGINE_STACK_TOP 0x440000 /* SLOT_ENGINE_STACK + SLOT_ENGINE_STACK_SIZE, asserted in context.c */

        .text

/* The kernel starts the engine here, on the stack it built for the program. That stack is the program's: C runs on one of
 * our own until the first thread has its slot. */
        .globl _start
_start:
        xor     %ebp, %ebp
        mov     %rsp, %rdi
        lea     boot_stack_top(%rip), %rsp
        call    engine_main
        ud2

        .globl arch_start
arch_start:                             /* (thread) */
        lea     ENGINE_STACK_TOP(%rdi), %rsp
        xor     %ebp, %ebp
        call    dispatch_run
        ud2

/* uintptr_t arch_run(thread, code): enters the cache and returns when an exit leads back. The C side's callee-saved registers
 * wait on the engine stack. */
        .globl arch_run
arch_run:
        push    %rbx
        push    %rbp
        push    %r12
        push    %r13
        push    %r14
        push    %r15
        mov     %rsp, %gs:CTX_ENGINE_SP
        mov     %rsi, %gs:CTX_ENTRY
        mov     %gs:CTX_RFLAGS, %rax
        mov     %eax, %ecx
        and     $~EFLAGS_STATUS, %ecx
        cmp     $EFLAGS_USUAL, %ecx
        jne     2f
        mov     %eax, %ecx              /* nothing but status flags: popf would take many times as long */
        shr     $11, %ecx
        and     $1, %ecx
        mov     %al, %ah
        mov     %cl, %al
        add     $0x7f, %al              /* overflows if OF was set */
        sahf
1:      mov     GPR(0), %rax
        mov     GPR(1), %rcx
        mov     GPR(2), %rdx
        mov     GPR(3), %rbx
        mov     GPR(4), %rsp
        mov     GPR(5), %rbp
        mov     GPR(6), %rsi
        mov     GPR(7), %rdi
        mov     GPR(8), %r8
        mov     GPR(9), %r9
        mov     GPR(10), %r10
        mov     GPR(11), %r11
        mov     GPR(12), %r12
        mov     GPR(13), %r13
        mov     GPR(14), %r14
        mov     GPR(15), %r15
        jmp     *%gs:CTX_ENTRY
2:      push    %rax
        popfq
        jmp     1b

/* An indirect branch whose target the thread's table does not know: target in rcx, rax and rcx in their spill slots. The
 * branch has named its exit. */
        .globl exit_indirect
exit_indirect:
        mov     %rcx, %gs:CTX_RIP
        mov     %gs:CTX_SPILL, %rax
        mov     %gs:CTX_SPILL + 8, %rcx
        movq    $0, %gs:CTX_RETURNED
        jmp     exit_common
/* A return that its table does not know: the target is just below the stack pointer, rcx in its spill slot. */
        .globl exit_return
exit_return:
        mov     -8(%rsp), %rcx
        mov     %rcx, %gs:CTX_RIP
        mov     %gs:CTX_SPILL + 8, %rcx
        movq    $1, %gs:CTX_RETURNED
/* Every exit ends here, with the arena offset of its struct exit in the context. */
        .globl exit_common
exit_common:
        mov     %rax, GPR(0)
        mov     %rcx, GPR(1)
        mov     %rdx, GPR(2)
        mov     %rbx, GPR(3)
        mov     %rsp, GPR(4)
        mov     %rbp, GPR(5)
        mov     %rsi, GPR(6)
        mov     %rdi, GPR(7)
        mov     %r8, GPR(8)
        mov     %r9, GPR(9)
        mov     %r10, GPR(10)
        mov     %r11, GPR(11)
        mov     %r12, GPR(12)
        mov     %r13, GPR(13)
        mov     %r14, GPR(14)
        mov     %r15, GPR(15)
        mov     %gs:CTX_ENGINE_SP, %rsp
        pushfq
        pop     %rax
        mov     %rax, %gs:CTX_RFLAGS
        test    $~(EFLAGS_STATUS | EFLAGS_USUAL), %eax
        jnz     2f
1:      pop     %r15
        pop     %r14
        pop     %r13
        pop     %r12
        pop     %rbp
        pop     %rbx
        ret
2:      pushq   $EFLAGS_NONE            /* strings go backwards, alignment is checked: not in C */
        popfq
        jmp     1b

/* Resumed here by the kernel's sigreturn after a fault whose state is already in the context. */
        .globl resume_after_fault
resume_after_fault:                     /* (thread) on its engine stack */
        pushq   $EFLAGS_NONE
        popfq
        xor     %ebp, %ebp
        call    dispatch_after_fault
        ud2

/* long blocking_call(call, context): a system call unless a signal is queued. The handler sends a pc inside
 * [blocking_call_window, blocking_call_done) to blocking_call_interrupted: either the kernel was not entered, or it
 * has backed out and would restart. judged_call is the same at another place, by which filters know it. */
        .macro  guarded_call name, window, done, interrupted
        .globl \name, \window, \done, \interrupted
\name:
        push    %rbx
        mov     %rdi, %rbx
        mov     (%rbx), %rax
        mov     16(%rbx), %r11          /* second argument, parked: rsi still holds the context */
        mov     24(%rbx), %rdx
        mov     32(%rbx), %r10
        mov     40(%rbx), %r8
        mov     48(%rbx), %r9
        mov     8(%rbx), %rdi
\window:
        cmpl    $0, CTX_SIGNAL_QUEUED(%rsi)
        jne     \interrupted
        mov     %r11, %rsi
        syscall
\done:
        pop     %rbx
        ret
\interrupted:
        mov     $-512, %rax
        pop     %rbx
        ret
        .endm
        guarded_call blocking_call, blocking_call_window, blocking_call_done, blocking_call_interrupted
        guarded_call judged_call, judged_call_window, judged_call_done, judged_call_interrupted

/* long vsyscall_call(first, second, third, address): a call at a fixed address of the kernel's. It returns to our caller; when
 * it faults the signal handler returns there, with -EFAULT. */
        .globl vsyscall_call
vsyscall_call:
        jmp     *%rcx

/* long safe_copy(to, from, bytes): a fault inside [safe_copy_start, safe_copy_end) goes to safe_copy_fault. Most copies are of a few
 * bytes, for which the string instruction takes long to begin. */
        .globl safe_copy, safe_load_whole, safe_swap, safe_load, safe_store, safe_exchange, safe_copy_start, safe_copy_end, safe_copy_fault
safe_copy:
        cmp     $16, %rdx
        jbe     1f
        mov     %rdx, %rcx
        cmp     $2048, %rdx
        jbe     5f
safe_copy_start:
        rep movsb
        xor     %eax, %eax
        ret
5:      mov     (%rsi), %rax
        mov     8(%rsi), %rcx
        mov     %rax, (%rdi)
        mov     %rcx, 8(%rdi)
        add     $16, %rsi
        add     $16, %rdi
        sub     $16, %edx
        cmp     $16, %edx
        ja      5b
        mov     -16(%rsi, %rdx), %rax   /* the last sixteen bytes, some of them once more */
        mov     -8(%rsi, %rdx), %rcx
        mov     %rax, -16(%rdi, %rdx)
        mov     %rcx, -8(%rdi, %rdx)
        xor     %eax, %eax
        ret
1:      cmp     $8, %edx
        jb      2f
        mov     (%rsi), %rax            /* the first eight bytes and the last */
        mov     -8(%rsi, %rdx), %rcx
        mov     %rax, (%rdi)
        mov     %rcx, -8(%rdi, %rdx)
        xor     %eax, %eax
        ret
2:      test    %edx, %edx
        je      4f
3:      movzbl  -1(%rsi, %rdx), %eax
        mov     %al, -1(%rdi, %rdx)
        dec     %edx
        jne     3b
4:      xor     %eax, %eax
        ret
/* long safe_load_whole(to, from, bytes): as safe_copy, but up to sixteen bytes are loaded by one instruction if a program could have loaded them so, through
 * xmm0, which its callers keep (open.S). */
safe_load_whole:
1:      cmp     $16, %edx
        jb      1f
        movups  (%rsi), %xmm0
        movups  %xmm0, (%rdi)
        add     $16, %rsi
        add     $16, %rdi
        sub     $16, %edx
        jmp     1b
1:      cmp     $8, %edx
        jb      2f
        mov     (%rsi), %rax
        mov     %rax, (%rdi)
        add     $8, %rsi
        add     $8, %rdi
        sub     $8, %edx
        jmp     1b
2:      test    $4, %dl
        jz      2f
        mov     (%rsi), %eax
        mov     %eax, (%rdi)
        add     $4, %rsi
        add     $4, %rdi
2:      test    $2, %dl
        jz      2f
        movzwl  (%rsi), %eax
        mov     %ax, (%rdi)
        add     $2, %rsi
        add     $2, %rdi
2:      test    $1, %dl
        jz      2f
        movzbl  (%rsi), %eax
        mov     %al, (%rdi)
2:      xor     %eax, %eax
        ret
/* long safe_load(from, bytes, found). Sixteen bytes are loaded by an exchange with themselves, behind instructions that fault in its place: a fault
 * would lose the C caller's rbx. */
safe_load:
        mov     %rdx, %r8
        xor     %r9d, %r9d
        cmp     $4, %esi
        je      4f
        ja      8f
        cmp     $1, %esi
        je      1f
        movzwl  (%rdi), %eax
        jmp     9f
1:      movzbl  (%rdi), %eax
        jmp     9f
4:      mov     (%rdi), %eax
        jmp     9f
8:      cmp     $8, %esi
        jne     6f
        mov     (%rdi), %rax
        jmp     9f
6:      lock orl $0, (%rdi)
        mov     %rbx, %r10
        xor     %eax, %eax
        xor     %edx, %edx
        xor     %ebx, %ebx
        xor     %ecx, %ecx
        lock cmpxchg16b (%rdi)
        mov     %r10, %rbx
        mov     %rdx, %r9
9:      mov     %rax, (%r8)
        mov     %r9, 8(%r8)
        xor     %eax, %eax
        ret
/* long safe_store(to, bytes, left): never of sixteen bytes, for which there is no such instruction */
safe_store:
        mov     (%rdx), %rax
        cmp     $4, %esi
        je      4f
        ja      8f
        cmp     $1, %esi
        je      1f
        xchg    %ax, (%rdi)
        jmp     9f
1:      xchg    %al, (%rdi)
        jmp     9f
4:      xchg    %eax, (%rdi)
        jmp     9f
8:      xchg    %rax, (%rdi)
9:      xor     %eax, %eax
        ret
/* long safe_exchange(at, bytes, found, left) */
safe_exchange:
        mov     %rdx, %r8
        mov     (%rdx), %rax
        mov     (%rcx), %r9
        xor     %edx, %edx
        cmp     $4, %esi
        je      4f
        ja      8f
        cmp     $1, %esi
        je      1f
        lock cmpxchg %r9w, (%rdi)
        jmp     9f
1:      lock cmpxchg %r9b, (%rdi)
        jmp     9f
4:      lock cmpxchg %r9d, (%rdi)
        jmp     9f
8:      cmp     $8, %esi
        jne     6f
        lock cmpxchg %r9, (%rdi)
        jmp     9f
6:      lock orl $0, (%rdi)             /* as in safe_load */
        mov     %rbx, %r10
        mov     8(%r8), %rdx
        mov     %r9, %rbx
        mov     8(%rcx), %rcx
        lock cmpxchg16b (%rdi)
        mov     %r10, %rbx
9:      jne     7f
        xor     %eax, %eax
        ret
7:      mov     %rax, (%r8)
        mov     %rdx, 8(%r8)
        mov     $1, %eax
        ret
/* long safe_swap(word, expected, replacement) */
safe_swap:
        mov     %esi, %eax
        lock cmpxchg %edx, (%rdi)
safe_copy_end:
        mov     %eax, %eax              /* the upper half is what tells a value from an error */
        ret
safe_copy_fault:
        mov     $-14, %rax
        ret

/* long arch_clone(child, flags, parent_tid, child_tid, tls): the child continues on its own engine stack. */
        .globl arch_clone
arch_clone:
        mov     %rcx, %r10              /* child_tid; parent_tid is in rdx already */
        mov     %rdi, %r9               /* the child's slot survives the call in r9 */
        lea     ENGINE_STACK_TOP(%rdi), %rax
        mov     %rsi, %rdi
        mov     %rax, %rsi
        mov     $__NR_clone, %eax
        syscall
        test    %rax, %rax
        jz      1f
        ret
1:      xor     %ebp, %ebp
        mov     %r9, %rbx
        mov     %r9, %rdi
        call    arch_set_self
        mov     %rbx, %rdi
        call    thread_begin
        ud2

/* long arch_mark(mark), see arch.h. C touches no vector, and keeps the base of fs of the application. */
        .globl arch_mark
arch_mark:
        mov     %rbx, (%rdi)
        mov     %rbp, 8(%rdi)
        mov     %r12, 16(%rdi)
        mov     %r13, 24(%rdi)
        mov     %r14, 32(%rdi)
        mov     %r15, 40(%rdi)
        lea     8(%rsp), %rax
        mov     %rax, MARK_SP(%rdi)
        mov     (%rsp), %rax
        mov     %rax, MARK_PC(%rdi)
        sub     $8, %rsp
        call    mark_save_rest
        add     $8, %rsp
        xor     %eax, %eax
        ret

/* long arch_clone_marked(mark, flags, child_tid) */
        .globl arch_clone_marked
arch_clone_marked:
        mov     %rdi, %r9               /* the mark survives the call in r9 */
        mov     %rdx, %r10
        mov     %rsi, %rdi
        mov     MARK_SP(%r9), %rsi
        mov     MARK_TLS(%r9), %r8
        xor     %edx, %edx
        mov     $__NR_clone, %eax
        syscall
        test    %rax, %rax
        jz      1f
        ret
1:      mov     %r9, %rbx
        mov     MARK_SELF(%rbx), %rdi
        call    arch_set_self
        mov     %rbx, %rdi
        call    mark_load_rest
        mov     8(%rbx), %rbp
        mov     16(%rbx), %r12
        mov     24(%rbx), %r13
        mov     32(%rbx), %r14
        mov     40(%rbx), %r15
        mov     MARK_PC(%rbx), %rcx
        mov     (%rbx), %rbx
        mov     $1, %eax
        jmp     *%rcx

/* void arch_return_to_mark(mark) */
        .globl arch_return_to_mark
arch_return_to_mark:
        mov     %rdi, %r9
        mov     $__NR_arch_prctl, %eax
        mov     $ARCH_SET_FS, %edi
        mov     MARK_TLS(%r9), %rsi
        syscall
        mov     MARK_SP(%r9), %rsp
        jmp     1b

        .globl arch_exit_thread
arch_exit_thread:                       /* (status) */
        mov     $__NR_exit, %eax
        syscall
        ud2

        .globl arch_signal_entry
arch_signal_entry:                      /* (signo, info, ucontext), from the kernel, on the signal stack */
        pushq   $EFLAGS_NONE
        popfq
        jmp     signal_arrived

        .globl arch_signal_restorer
arch_signal_restorer:
        mov     $__NR_rt_sigreturn, %eax
        syscall
        ud2

/* A thread's tables for indirect branches and returns when it knows no target yet: every entry leads to the engine. Tables
 * are private mappings of this part of the engine's file (links.c). */
        .section .rodata.targets, "a"
        .globl empty_targets
        .balign 4096
empty_targets:
        .rept   65536
        .quad   exit_indirect
        .endr
        .rept   65536
        .quad   exit_return
        .endr

        .bss
        .balign 16
        .globl boot_stack, boot_stack_top
boot_stack:
        .skip   65536
boot_stack_top:

        .section .note.GNU-stack, "", @progbits
