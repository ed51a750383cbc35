/* entry.S (AArch64): the crossings between C, generated code and the kernel.
 *
 * Generated code runs with the application's registers in their own hardware registers, but for the four that the engine has
 * taken (context.h). These are the places where that changes hands. */
#include <asm/unistd.h>
#include "engine/a64/context.h"

#define GPR(n) [x18, #CTX_GPR + 8 * n]
#define ENGINE_STACK_TOP 0x440000 /* SLOT_ENGINE_STACK + SLOT_ENGINE_STACK_SIZE, asserted in context.c */
#define SAVED_BYTES 96            /* x19 to x30 of the C side */

        .arch   armv8-a+sve
        .text

/* All scalable vectors, predicates and the first-fault register, as a signal frame has them, at x0; x1 is lost. */
        .macro  save_scalable
        .irp    n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
        str     z\n, [x0, #\n, mul vl]
        .endr
        addvl   x1, x0, #16
        addvl   x1, x1, #16
        .irp    n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        str     p\n, [x1, #\n, mul vl]
        .endr
        rdffr   p0.b
        str     p0, [x1, #16, mul vl]
        ldr     p0, [x1]
        .endm
        .macro  load_scalable
        addvl   x1, x0, #16
        addvl   x1, x1, #16
        ldr     p0, [x1, #16, mul vl]
        wrffr   p0.b
        .irp    n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        ldr     p\n, [x1, #\n, mul vl]
        .endr
        .irp    n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
        ldr     z\n, [x0, #\n, mul vl]
        .endr
        .endm

/* The kernel starts the engine here, on the stack it built for the program. That stack is the program's: C runs on one of
 * our own until the first thread has its slot. */
        .globl _start
_start:
        mov     x29, #0
        mov     x30, #0
        mov     x0, sp
        adrp    x1, boot_stack_top
        add     x1, x1, #:lo12:boot_stack_top
        mov     sp, x1
        bl      engine_main
        udf     #0

        .globl arch_start
arch_start:                             /* (thread) */
        mov     x1, #ENGINE_STACK_TOP
        add     sp, x0, x1
        mov     x29, #0
        mov     x30, #0
        bl      dispatch_run
        udf     #0

/* void arch_run(thread, code): enters the cache and returns when an exit leads back. The C side's callee-saved registers
 * wait on the engine stack. */
        .globl arch_run
arch_run:
        sub     sp, sp, #SAVED_BYTES
        stp     x19, x20, [sp]
        stp     x21, x22, [sp, #16]
        stp     x23, x24, [sp, #32]
        stp     x25, x26, [sp, #48]
        stp     x27, x28, [sp, #64]
        stp     x29, x30, [sp, #80]
        mov     x18, x0
        mov     x13, x1
        mov     x2, sp
        str     x2, [x18, #CTX_ENGINE_SP]
        ldr     x0, [x18, #CTX_SCALABLE]
        cbz     x0, 1f
        load_scalable
1:      ldp     x2, x3, [x18, #CTX_SP]
        mov     sp, x2
        msr     nzcv, x3
        ldr     x14, [x18, #CTX_COUNTDOWN]
        ldp     x0, x1, GPR(0)
        ldp     x2, x3, GPR(2)
        ldp     x4, x5, GPR(4)
        ldp     x6, x7, GPR(6)
        ldp     x8, x9, GPR(8)
        ldp     x10, x11, GPR(10)
        ldr     x12, GPR(12)
        ldp     x16, x17, GPR(16)
        ldp     x19, x20, GPR(19)
        ldp     x21, x22, GPR(21)
        ldp     x23, x24, GPR(23)
        ldp     x25, x26, GPR(25)
        ldp     x27, x28, GPR(27)
        ldp     x29, x30, GPR(29)
        isb                             /* what other processors have written there since is what will be fetched */
        br      x13

/* An indirect branch whose target the thread's table does not know: target in x15. */
        .globl exit_indirect
exit_indirect:
        str     x15, [x18, #CTX_PC]
        mov     x15, #0
/* Every exit ends here, with the arena offset of its struct exit in x15. */
        .globl exit_common, exit_saved
exit_common:
        stp     x0, x1, GPR(0)
        stp     x2, x3, GPR(2)
        stp     x4, x5, GPR(4)
        stp     x6, x7, GPR(6)
        stp     x8, x9, GPR(8)
        stp     x10, x11, GPR(10)
        str     x12, GPR(12)
        stp     x16, x17, GPR(16)
        stp     x19, x20, GPR(19)
        stp     x21, x22, GPR(21)
        stp     x23, x24, GPR(23)
        stp     x25, x26, GPR(25)
        stp     x27, x28, GPR(27)
        stp     x29, x30, GPR(29)
exit_saved:
        mov     x0, sp
        mrs     x1, nzcv
        stp     x0, x1, [x18, #CTX_SP]
        str     x14, [x18, #CTX_COUNTDOWN]
        str     x15, [x18, #CTX_EXIT]
        ldr     x0, [x18, #CTX_SCALABLE]
        cbz     x0, 1f
        save_scalable
1:      ldr     x0, [x18, #CTX_ENGINE_SP]
        mov     sp, x0
        ldp     x19, x20, [sp]
        ldp     x21, x22, [sp, #16]
        ldp     x23, x24, [sp, #32]
        ldp     x25, x26, [sp, #48]
        ldp     x27, x28, [sp, #64]
        ldp     x29, x30, [sp, #80]
        add     sp, sp, #SAVED_BYTES
        ret

/* Resumed here by the kernel's sigreturn after a fault whose state is already in the context. */
        .globl resume_after_fault
resume_after_fault:                     /* (thread) on its engine stack */
        mov     x19, x0
        ldr     x0, [x19, #CTX_SCALABLE]
        cbz     x0, 1f
        save_scalable
1:      mov     x0, x19
        mov     x29, #0
        mov     x30, #0
        bl      dispatch_after_fault
        udf     #0

/* long blocking_call(call, context): a system call unless a signal is queued. The handler sends a pc inside
 * [blocking_call_window, blocking_call_done) to blocking_call_interrupted: either the kernel was not entered, or it
 * has backed out and would restart. judged_call is the same at another place, by which filters know it. */
        .macro  guarded_call name, window, done, interrupted
        .globl \name, \window, \done, \interrupted
\name:
        mov     x9, x0
        mov     x10, x1
        ldr     x8, [x9]
        ldp     x0, x1, [x9, #8]
        ldp     x2, x3, [x9, #24]
        ldp     x4, x5, [x9, #40]
\window:
        ldr     w11, [x10, #CTX_SIGNAL_QUEUED]
        cbnz    w11, \interrupted
        svc     #0
\done:
        ret
\interrupted:
        mov     x0, #-512
        ret
        .endm
        guarded_call blocking_call, blocking_call_window, blocking_call_done, blocking_call_interrupted
        guarded_call judged_call, judged_call_window, judged_call_done, judged_call_interrupted

/* long safe_copy(to, from, bytes): a fault inside [safe_copy_start, safe_copy_end) goes to safe_copy_fault. */
        .globl safe_copy, safe_load_whole, safe_swap, safe_load, safe_store, safe_exchange, safe_copy_start, safe_copy_end, safe_copy_fault
safe_copy:
safe_copy_start:
        subs    x2, x2, #16
        b.lo    2f
1:      ldp     x3, x4, [x1], #16
        stp     x3, x4, [x0], #16
        subs    x2, x2, #16
        b.hs    1b
2:      adds    x2, x2, #16
        b.eq    4f
3:      ldrb    w3, [x1], #1
        strb    w3, [x0], #1
        subs    x2, x2, #1
        b.ne    3b
4:      mov     x0, #0
        ret
/* long safe_load(from, bytes, found) */
safe_load:
        mov     x4, #0
        cmp     w1, #4
        b.eq    4f
        b.hi    8f
        cmp     w1, #1
        b.eq    1f
        ldarh   w3, [x0]
        b       9f
1:      ldarb   w3, [x0]
        b       9f
4:      ldar    w3, [x0]
        b       9f
8:      cmp     w1, #8
        b.ne    6f
        ldar    x3, [x0]
        b       9f
6:      ldaxp   x3, x4, [x0]
        clrex
9:      stp     x3, x4, [x2]
        mov     x0, #0
        ret
/* long safe_store(to, bytes, left): never of sixteen bytes, for which there is no such instruction */
safe_store:
        ldr     x3, [x2]
        cmp     w1, #4
        b.eq    4f
        b.hi    8f
        cmp     w1, #1
        b.eq    1f
        stlrh   w3, [x0]
        b       9f
1:      stlrb   w3, [x0]
        b       9f
4:      stlr    w3, [x0]
        b       9f
8:      stlr    x3, [x0]
9:      mov     x0, #0
        ret
/* long safe_exchange(at, bytes, found, left) */
safe_exchange:
        ldp     x4, x5, [x2]
        ldp     x6, x7, [x3]
        mov     x10, #0
        cmp     w1, #4
        b.eq    4f
        b.hi    8f
        cmp     w1, #1
        b.eq    1f
2:      ldaxrh  w8, [x0]
        cmp     x8, x4
        b.ne    7f
        stlxrh  w9, w6, [x0]
        cbnz    w9, 2b
        b       9f
1:      ldaxrb  w8, [x0]
        cmp     x8, x4
        b.ne    7f
        stlxrb  w9, w6, [x0]
        cbnz    w9, 1b
        b       9f
4:      ldaxr   w8, [x0]
        cmp     x8, x4
        b.ne    7f
        stlxr   w9, w6, [x0]
        cbnz    w9, 4b
        b       9f
8:      cmp     w1, #8
        b.ne    6f
5:      ldaxr   x8, [x0]
        cmp     x8, x4
        b.ne    7f
        stlxr   w9, x6, [x0]
        cbnz    w9, 5b
        b       9f
6:      ldaxp   x8, x10, [x0]
        cmp     x8, x4
        ccmp    x10, x5, #0, eq
        b.ne    7f
        stlxp   w9, x6, x7, [x0]
        cbnz    w9, 6b
9:      mov     x0, #0
        ret
7:      clrex
        stp     x8, x10, [x2]
        mov     x0, #1
        ret
/* long safe_load_whole(to, from, bytes): as safe_copy, but up to sixteen bytes are loaded by one instruction if a program could have loaded them so. */
safe_load_whole:
1:      cmp     x2, #16
        b.lo    2f
        ldp     x3, x4, [x1], #16
        stp     x3, x4, [x0], #16
        sub     x2, x2, #16
        b       1b
2:      tbz     x2, #3, 2f
        ldr     x3, [x1], #8
        str     x3, [x0], #8
2:      tbz     x2, #2, 2f
        ldr     w3, [x1], #4
        str     w3, [x0], #4
2:      tbz     x2, #1, 2f
        ldrh    w3, [x1], #2
        strh    w3, [x0], #2
2:      tbz     x2, #0, 2f
        ldrb    w3, [x1]
        strb    w3, [x0]
2:      mov     x0, #0
        ret
/* long safe_swap(word, expected, replacement) */
safe_swap:
1:      ldaxr   w3, [x0]
        cmp     w3, w1
        b.ne    2f
        stlxr   w4, w2, [x0]
        cbnz    w4, 1b
safe_copy_end:
        mov     w0, w3                  /* the upper half is what tells a value from an error */
        ret
2:      clrex
        mov     w0, w3
        ret
safe_copy_fault:
        clrex
        mov     x0, #-14
        ret

/* Copies upwards: memmove in lib.c relies on it. */
        .globl arch_copy_bytes, arch_fill_bytes
arch_copy_bytes:                        /* (to, from, bytes) */
        cbz     x2, 4f
        sub     x5, x0, x1
        cmp     x5, #16
        b.lo    3f                      /* so near that sixteen bytes at a time would read what was just written */
1:      cmp     x2, #16
        b.lo    3f
2:      ldp     x3, x4, [x1], #16
        stp     x3, x4, [x0], #16
        sub     x2, x2, #16
        b       1b
3:      cbz     x2, 4f
        ldrb    w3, [x1], #1
        strb    w3, [x0], #1
        sub     x2, x2, #1
        b       3b
4:      ret

arch_fill_bytes:                        /* (to, value, bytes) */
        and     x1, x1, #0xff
        mov     x3, #0x0101010101010101
        mul     x1, x1, x3
1:      cmp     x2, #16
        b.lo    2f
        stp     x1, x1, [x0], #16
        sub     x2, x2, #16
        b       1b
2:      cbz     x2, 3f
        strb    w1, [x0], #1
        sub     x2, x2, #1
        b       2b
3:      ret

/* long arch_clone(child, flags, parent_tid, child_tid, tls): the child continues on its own engine stack. */
        .globl arch_clone
arch_clone:
        mov     x9, x0                  /* the child's slot survives the call in x9 */
        mov     x0, x1
        mov     x5, #ENGINE_STACK_TOP
        add     x1, x9, x5
        mov     x5, x3
        mov     x3, x4
        mov     x4, x5
        mov     x8, #__NR_clone
        svc     #0
        cbz     x0, 1f
        ret
1:      mov     x29, #0
        mov     x30, #0
        mov     x19, x9
        mov     x0, x9
        bl      arch_set_self
        mov     x0, x19
        bl      thread_begin
        udf     #0

/* long arch_mark(mark), see arch.h. C touches no vector, and keeps the thread pointer of the application. */
        .globl arch_mark
arch_mark:
        stp     x19, x20, [x0]
        stp     x21, x22, [x0, #16]
        stp     x23, x24, [x0, #32]
        stp     x25, x26, [x0, #48]
        stp     x27, x28, [x0, #64]
        stp     x29, x30, [x0, #80]
        mov     x1, sp
        mrs     x2, tpidr_el0
        stp     x1, x2, [x0, #MARK_SP]
        mov     x9, x30
        add     x0, x0, #MARK_VECTORS
        bl      save_vectors
        mov     x0, #0
        ret     x9

/* long arch_clone_marked(mark, flags, child_tid) */
        .globl arch_clone_marked
arch_clone_marked:
        mov     x9, x0
        mov     x0, x1
        mov     x4, x2
        mov     x2, #0
        ldp     x1, x3, [x9, #MARK_SP]
        mov     x8, #__NR_clone
        svc     #0
        cbz     x0, 1f
        ret
1:      add     x0, x9, #MARK_VECTORS
        bl      load_vectors
        ldp     x19, x20, [x9]
        ldp     x21, x22, [x9, #16]
        ldp     x23, x24, [x9, #32]
        ldp     x25, x26, [x9, #48]
        ldp     x27, x28, [x9, #64]
        ldp     x29, x30, [x9, #80]
        mov     x0, #1
        ret

/* void arch_return_to_mark(mark) */
        .globl arch_return_to_mark
arch_return_to_mark:
        mov     x9, x0
        ldp     x1, x2, [x9, #MARK_SP]
        mov     sp, x1
        msr     tpidr_el0, x2
        b       1b

        .globl arch_exit_thread
arch_exit_thread:                       /* (status) */
        mov     x8, #__NR_exit
        svc     #0
        udf     #0

        .globl arch_signal_entry
arch_signal_entry:                      /* (signo, info, ucontext), from the kernel, on the signal stack */
        b       signal_arrived

        .globl arch_signal_restorer
arch_signal_restorer:
        mov     x8, #__NR_rt_sigreturn
        svc     #0
        udf     #0

/* A handler returns here when its program has named no restorer, as usual on this architecture: application code, at an address
 * that only the engine can offer (superblock.c). Unwinders recognise it by these very instructions. */
        .globl signal_trampoline
        .balign 16
        nop                             /* an unwinder looks for what comes before the return address */
signal_trampoline:
        mov     x8, #__NR_rt_sigreturn
        svc     #0

/* void sync_code_views(start, end, written): makes code just written visible to instruction fetches, by the smallest lines there are. */
        .globl sync_code_views
sync_code_views:
        mrs     x4, ctr_el0
        ubfx    x6, x4, #16, #4
        mov     x3, #4
        lsl     x6, x3, x6              /* data line */
        sub     x5, x6, #1
        bic     x5, x2, x5
        sub     x7, x1, x0
        add     x7, x7, x2
1:      dc      cvau, x5
        add     x5, x5, x6
        cmp     x5, x7
        b.lo    1b
        dsb     ish
        and     x2, x4, #15
        lsl     x2, x3, x2              /* instruction line */
        sub     x5, x2, #1
        bic     x5, x0, x5
2:      ic      ivau, x5
        add     x5, x5, x2
        cmp     x5, x1
        b.lo    2b
        dsb     ish
        isb
        ret

/* The vector registers, which C here does not touch: (area) as struct fpsimd_context has them from its fpsr on. */
        .globl save_vectors, load_vectors
save_vectors:
        mrs     x1, fpsr
        str     w1, [x0]
        mrs     x1, fpcr
        str     w1, [x0, #4]
        add     x1, x0, #8
        .irp    n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
        str     q\n, [x1, #16 * \n]
        .endr
        ret
load_vectors:
        ldr     w1, [x0]
        msr     fpsr, x1
        ldr     w1, [x0, #4]
        msr     fpcr, x1
        add     x1, x0, #8
        .irp    n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
        ldr     q\n, [x1, #16 * \n]
        .endr
        ret

/* Bytes of a scalable vector. */
        .globl vector_length
vector_length:
        rdvl    x0, #1
        ret

/* A thread's table for indirect branches when it knows no target yet: every entry leads to the engine. Tables are private
 * mappings of this part of the engine's file (links.c). */
        .section .rodata.targets, "a"
        .globl empty_targets
        .balign 4096
empty_targets:
        .rept   65536
        .quad   exit_indirect
        .endr

        .bss
        .balign 16
        .globl boot_stack, boot_stack_top
boot_stack:
        .skip   65536
boot_stack_top:

        .section .note.GNU-stack, "", @progbits
