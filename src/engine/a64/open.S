/* open.S (AArch64): accesses to open memory (order/open_blocks.h), called from emitted code.
 *
 * x15 has the address; x13 gets that of the bytes that the instruction then uses, those seen; 0: the check has missed. All other registers and the flags
 * are kept, x30 by the caller. As long as the line was seen, and brings nothing new, no C is called. */
#include "engine/a64/context.h"

#define SEEN_LINES (8 << OPEN_LINES_LOG2) /* behind the tags */
#define FRAME 144

/* enum open_way */
#define LOAD 0
#define STORE 1
#define UPDATE 2

        .text
        .globl open_helpers_start, open_helpers_end, open_helpers_fault

        .macro  keep
        stp     x0, x1, [x18, #CTX_OPEN_SAVED]
        stp     x2, x3, [x18, #CTX_OPEN_SAVED + 16]
        .endm
        .macro  take_back
        ldp     x0, x1, [x18, #CTX_OPEN_SAVED]
        ldp     x2, x3, [x18, #CTX_OPEN_SAVED + 16]
        .endm

/* x13 = the bytes seen of those at x15; if they are in two lines, or not seen: to 9f. */
        .macro  find_seen bytes
        and     x0, x15, #63
        .if     \bytes > 1
        add     x1, x0, #\bytes - 1
        tbnz    x1, #6, 9f
        .endif
        ldr     x1, [x18, #CTX_OPEN_SEEN]
        ubfx    x2, x15, #6, #OPEN_LINES_LOG2
        ldr     x3, [x1, x2, lsl #3]
        and     x13, x15, #~63
        add     x13, x13, #1
        eor     x3, x3, x13
        cbnz    x3, 9f
        add     x13, x1, x2, lsl #6
        add     x13, x13, #SEEN_LINES
        add     x13, x13, x0
        .endm

/* x0 = 0 if the bytes in memory are those seen */
        .macro  compare bytes
        .if     \bytes == 1
        ldrb    w2, [x15]
        ldrb    w3, [x13]
        .elseif \bytes == 2
        ldrh    w2, [x15]
        ldrh    w3, [x13]
        .elseif \bytes == 4
        ldr     w2, [x15]
        ldr     w3, [x13]
        .elseif \bytes == 8
        ldr     x2, [x15]
        ldr     x3, [x13]
        .endif
        .if     \bytes <= 8
        eor     x0, x2, x3
        .else
        ldp     x2, x3, [x15]
        ldp     x0, x1, [x13]
        eor     x0, x0, x2
        eor     x1, x1, x3
        orr     x0, x0, x1
        .endif
        .if     \bytes == 32
        ldp     x2, x3, [x15, #16]
        ldr     x1, [x13, #16]
        eor     x2, x2, x1
        ldr     x1, [x13, #24]
        eor     x3, x3, x1
        orr     x2, x2, x3
        orr     x0, x0, x2
        .endif
        .endm

        .macro  count
        ldr     x2, [x18, #CTX_OPEN_COUNT]
        add     x2, x2, #1
        str     x2, [x18, #CTX_OPEN_COUNT]
        .endm

        .macro  slow_path bytes, way
9:      mov     x13, #\way << 8 | \bytes
        b       access_slowly
        .endm

/* What the instruction loads from the seen bytes, and so all that depends on it, depends on what was loaded from memory: the sum, with 0, is for that. */
        .macro  recorded_load bytes
record_load_\bytes:
        keep
        find_seen \bytes
        compare \bytes
        cbnz    x0, 9f
        add     x13, x13, x0
        count
        take_back
        ret
        slow_path \bytes, LOAD
        .endm

        .macro  recorded_store bytes
record_store_\bytes:
        keep
        find_seen \bytes
        count
        take_back
        ret
        slow_path \bytes, STORE
        .endm

/* The part is counted when it is known what was found. */
        .macro  recorded_update bytes
record_update_\bytes:
        keep
        find_seen \bytes
        take_back
        ret
        slow_path \bytes, UPDATE
        .endm

/* x15: what an update has found, x13: the bytes seen */
        .macro  recorded_learn bytes, load, register
record_learn_\bytes:
        keep
        \load  \register, [x13]
        eor     x0, x0, x15
        cbnz    x0, 9f
        add     x13, x13, x0
        count
        take_back
        ret
9:      mov     x2, #\bytes
        b       learn_slowly
        .endm

        .macro  replayed bytes, name, way
replay_\name\()_\bytes:
        keep
        find_seen \bytes
        ldr     x0, [x18, #CTX_OPEN_COUNT]
        cbz     x0, 9f
        sub     x0, x0, #1
        str     x0, [x18, #CTX_OPEN_COUNT]
        take_back
        ret
        slow_path \bytes, \way
        .endm

open_helpers_start:
        .irp    bytes, 1, 2, 4, 8, 16, 32
        recorded_load \bytes
        recorded_store \bytes
        replayed \bytes, load, LOAD
        replayed \bytes, store, STORE
        .endr
        .irp    bytes, 1, 2, 4, 8
        recorded_update \bytes
        replayed \bytes, update, UPDATE
        .endr
        recorded_learn 1, ldrb, w0
        recorded_learn 2, ldrh, w0
        recorded_learn 4, ldr, w0
        recorded_learn 8, ldr, x0
open_helpers_end:

/* Faults of the loads above are diverted here. */
open_helpers_fault:
        take_back
        mov     x13, #0
        ret

load_any:
        keep
        ldr     x13, [x18, #CTX_OPEN_BYTES]
        b       access_slowly
store_any:
        keep
        ldr     x13, [x18, #CTX_OPEN_BYTES]
        orr     x13, x13, #STORE << 8
        b       access_slowly

/* To the engine's stack, with all registers in a frame there that C may change; x2 and x3 are kept. */
        .macro  enter_c
        ldr     x0, [x18, #CTX_ENGINE_SP]
        sub     x0, x0, #FRAME
        stp     x4, x5, [x0]
        stp     x6, x7, [x0, #16]
        stp     x8, x9, [x0, #32]
        stp     x10, x11, [x0, #48]
        stp     x12, x13, [x0, #64]
        stp     x14, x15, [x0, #80]
        stp     x16, x17, [x0, #96]
        mov     x1, sp
        stp     x30, x1, [x0, #112]
        mrs     x1, nzcv
        stp     x18, x1, [x0, #128]
        mov     sp, x0
        mov     x0, x18
        .endm
        .macro  leave_c
        ldp     x18, x1, [sp, #128]
        msr     nzcv, x1
        ldp     x4, x5, [sp]
        ldp     x6, x7, [sp, #16]
        ldp     x8, x9, [sp, #32]
        ldp     x10, x11, [sp, #48]
        ldr     x12, [sp, #64]
        ldp     x14, x15, [sp, #80]
        ldp     x16, x17, [sp, #96]
        ldp     x30, x1, [sp, #112]
        mov     sp, x1
        take_back
        ret
        .endm

access_slowly:                          /* x13: way << 8 | bytes */
        enter_c
        mov     x1, x15
        and     x2, x13, #0xff
        lsr     x3, x13, #8
        bl      by_value_access
        mov     x13, x0
        dmb     ish                     /* what was loaded from memory comes before all that follows */
        leave_c

learn_slowly:                           /* x2: bytes */
        enter_c
        mov     x1, x13
        str     x15, [x18, #CTX_OPEN_AT]
        add     x3, x18, #CTX_OPEN_AT
        bl      by_value_learn
        ldr     x13, [sp, #72]
        dmb     ish
        leave_c

stored:
        keep
        enter_c
        bl      by_value_stored
        leave_c

        .section .data.rel.ro.open, "aw"
        .globl  open_recording, open_replaying
        .balign 8
open_recording:
        .irp    bytes, 1, 2, 4, 8, 16, 32
        .quad   record_load_\bytes
        .endr
        .quad   load_any
        .irp    bytes, 1, 2, 4, 8, 16, 32
        .quad   record_store_\bytes
        .endr
        .quad   store_any
        .irp    bytes, 1, 2, 4, 8
        .quad   record_update_\bytes
        .endr
        .irp    bytes, 1, 2, 4, 8
        .quad   record_learn_\bytes
        .endr
        .quad   stored
open_replaying:
        .irp    bytes, 1, 2, 4, 8, 16, 32
        .quad   replay_load_\bytes
        .endr
        .quad   load_any
        .irp    bytes, 1, 2, 4, 8, 16, 32
        .quad   replay_store_\bytes
        .endr
        .quad   store_any
        .irp    bytes, 1, 2, 4, 8
        .quad   replay_update_\bytes
        .endr
        .quad   0, 0, 0, 0
        .quad   stored

        .section .note.GNU-stack, "", @progbits
