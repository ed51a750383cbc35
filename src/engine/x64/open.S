/* open.S (x86-64): accesses to open memory (order/open_blocks.h), called from emitted code on the engine's stack.
 *
 * The context has the address; it gets that of the bytes that the instruction then uses, those seen; 0: the check has missed. All registers are kept, the
 * flags are not. As long as the line was seen, and brings nothing new, no C is called. */
#include "engine/x64/context.h"

#define SEEN_LINES (8 << OPEN_LINES_LOG2) /* behind the tags */
#define EFLAGS_NONE 2

/* enum open_way */
#define LOAD 0
#define STORE 1
#define UPDATE 2
#define MODIFY 3

        .text
        .globl open_helpers_start, open_helpers_end, open_helpers_fault

        .macro  keep
        push    %rax
        push    %rcx
        push    %rdx
        push    %rsi
        .endm
        .macro  take_back
        pop     %rsi
        pop     %rdx
        pop     %rcx
        pop     %rax
        .endm

/* rax = the address, rcx = that of the bytes seen; if they are in two lines, or not seen: to 9f. A line's tag is one more than its address, which differs
 * from that of a byte in it by the byte's offset. */
        .macro  find_seen bytes
        mov     %gs:CTX_OPEN_AT, %rax
        mov     %gs:CTX_OPEN_SEEN, %rcx
        mov     %eax, %edx
        shr     $6, %edx
        and     $(1 << OPEN_LINES_LOG2) - 1, %edx
        mov     (%rcx, %rdx, 8), %rsi
        dec     %rsi
        xor     %rax, %rsi
        cmp     $64 - \bytes, %rsi
        ja      9f
        shl     $6, %edx
        add     %rdx, %rcx
        lea     SEEN_LINES(%rcx, %rsi), %rcx
        .endm

/* If the bytes at the first address are not those at the second: to 9f. */
        .macro  compare bytes, first, second
        .if     \bytes == 1
        movzbl  \first, %esi
        cmp     \second, %sil
        .elseif \bytes == 2
        movzwl  \first, %esi
        cmp     \second, %si
        .elseif \bytes == 4
        mov     \first, %esi
        cmp     \second, %esi
        .elseif \bytes == 8
        mov     \first, %rsi
        cmp     \second, %rsi
        .endif
        jne     9f
        .endm

        .macro  compare_words bytes, from=0
        compare 8, %gs:CTX_OPEN_FOUND+\from, \from(%rcx)
        .if     \from + 8 < \bytes
        compare_words \bytes, (\from+8)
        .endif
        .endm

/* Sixteen bytes are loaded at once, as the program's instruction may do. A fault would come at the first byte of all. */
        .macro  compare_memory bytes
        .if     \bytes <= 8
        compare \bytes, (%rax), (%rcx)
        .else
        compare 1, (%rax), (%rcx)
        movups  %xmm0, %gs:CTX_OPEN_VECTOR
        movups  (%rax), %xmm0
        movups  %xmm0, %gs:CTX_OPEN_FOUND
        .if     \bytes >= 32
        movups  16(%rax), %xmm0
        movups  %xmm0, %gs:CTX_OPEN_FOUND + 16
        .endif
        .if     \bytes == 64
        movups  32(%rax), %xmm0
        movups  %xmm0, %gs:CTX_OPEN_FOUND + 32
        movups  48(%rax), %xmm0
        movups  %xmm0, %gs:CTX_OPEN_FOUND + 48
        .endif
        movups  %gs:CTX_OPEN_VECTOR, %xmm0
        compare_words \bytes
        .endif
        .endm

        .macro  slow_path bytes, way
9:      mov     $\bytes, %edx
        mov     $\way, %ecx
        jmp     access_slowly
        .endm

        .macro  done
        mov     %rcx, %gs:CTX_OPEN_SEEN_AT
        take_back
        ret
        .endm

        .macro  recorded_load bytes, name, way
record_\name\()_\bytes:
        keep
        find_seen \bytes
        compare_memory \bytes
        incq    %gs:CTX_OPEN_COUNT
        done
        slow_path \bytes, \way
        .endm

        .macro  recorded_store bytes
record_store_\bytes:
        keep
        find_seen \bytes
        incq    %gs:CTX_OPEN_COUNT
        done
        slow_path \bytes, STORE
        .endm

/* The part is counted when it is known what was found. */
        .macro  recorded_update bytes
record_update_\bytes:
        keep
        find_seen \bytes
        done
        slow_path \bytes, UPDATE
        .endm

        .macro  recorded_learn bytes
record_learn_\bytes:
        keep
        mov     %gs:CTX_OPEN_SEEN_AT, %rcx
        .if     \bytes <= 8
        compare \bytes, %gs:CTX_OPEN_FOUND, (%rcx)
        .else
        compare_words \bytes
        .endif
        incq    %gs:CTX_OPEN_COUNT
        take_back
        ret
9:      mov     $\bytes, %edx
        jmp     learn_slowly
        .endm

        .macro  replayed bytes, name, way
replay_\name\()_\bytes:
        keep
        find_seen \bytes
        mov     %gs:CTX_OPEN_COUNT, %rsi
        sub     $1, %rsi
        jc      9f
        mov     %rsi, %gs:CTX_OPEN_COUNT
        done
        slow_path \bytes, \way
        .endm

open_helpers_start:
        .irp    bytes, 1, 2, 4, 8, 16, 32, 64
        recorded_load \bytes, load, LOAD
        recorded_store \bytes
        replayed \bytes, load, LOAD
        replayed \bytes, store, STORE
        .endr
        .irp    bytes, 1, 2, 4, 8, 16
        recorded_load \bytes, modify, MODIFY
        recorded_update \bytes
        recorded_learn \bytes
        replayed \bytes, update, UPDATE
        .endr
open_helpers_end:

/* Faults of the loads above are diverted here. */
open_helpers_fault:
        xor     %ecx, %ecx
        done

load_any:
        keep
        mov     $LOAD, %ecx
        jmp     1f
store_any:
        keep
        mov     $STORE, %ecx
1:      mov     %gs:CTX_OPEN_BYTES, %edx

/* Four registers are on the stack already. C, which uses no vectors, loads sixteen bytes at once through xmm0. */
        .macro  enter_c
        pushfq
        push    %rdi
        push    %r8
        push    %r9
        push    %r10
        push    %r11
        pushq   $EFLAGS_NONE            /* strings go backwards, alignment is checked: not in C */
        popfq
        mov     %gs:CTX_SELF, %rdi
        .endm
        .macro  leave_c
        pop     %r11
        pop     %r10
        pop     %r9
        pop     %r8
        pop     %rdi
        popfq
        take_back
        ret
        .endm

access_slowly:                          /* edx: bytes, ecx: way */
        enter_c
        movups  %xmm0, %gs:CTX_OPEN_VECTOR
        mov     %gs:CTX_OPEN_AT, %rsi
        call    by_value_access
        mov     %rax, %gs:CTX_OPEN_SEEN_AT
        movups  %gs:CTX_OPEN_VECTOR, %xmm0
        leave_c

learn_slowly:                           /* edx: bytes */
        enter_c
        mov     %gs:CTX_OPEN_SEEN_AT, %rsi
        lea     CTX_OPEN_FOUND(%rdi), %rcx
        call    by_value_learn
        leave_c

stored:
        keep
        enter_c
        call    by_value_stored
        leave_c

/* See enum open_helper. */
        .section .data.rel.ro.open, "aw"
        .globl  open_recording, open_replaying
        .balign 8
open_recording:
        .irp    bytes, 1, 2, 4, 8, 16, 32, 64
        .quad   record_load_\bytes
        .endr
        .quad   load_any
        .irp    bytes, 1, 2, 4, 8, 16, 32, 64
        .quad   record_store_\bytes
        .endr
        .quad   store_any
        .irp    name, modify, update, learn
        .irp    bytes, 1, 2, 4, 8, 16
        .quad   record_\name\()_\bytes
        .endr
        .endr
        .quad   stored
open_replaying:
        .irp    bytes, 1, 2, 4, 8, 16, 32, 64
        .quad   replay_load_\bytes
        .endr
        .quad   load_any
        .irp    bytes, 1, 2, 4, 8, 16, 32, 64
        .quad   replay_store_\bytes
        .endr
        .quad   store_any
        .irp    name, update, update, update /* the last is never used */
        .irp    bytes, 1, 2, 4, 8, 16
        .quad   replay_\name\()_\bytes
        .endr
        .endr
        .quad   stored

        .section .note.GNU-stack, "", @progbits
