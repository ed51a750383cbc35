/* start.S: the head of a small operating system, as Linux images have it, and its way into and out of traps. */
.option norvc
.section .head, "ax"
.globl _start
_start:
  j begin
  .word 0
  .quad 0x200000
  .quad end - _start
  .quad 0
  .word 2, 0
  .quad 0
  .ascii "RISCV\0\0\0"
  .ascii "RSC\005"
  .word 0

/* a0: the hart, a1: for hart 0 the device tree. A stack of 16K for each hart. */
begin:
  la sp, stacks
  addi t0, a0, 1
  slli t0, t0, 14
  add sp, sp, t0
  csrw sscratch, zero
  la t0, trap
  csrw stvec, t0
  bnez a0, 1f
  call main
1:
  call other
2:
  wfi
  j 2b

.globl begin_address
.align 3
begin_address:
  .quad begin

/* Registers go to the present stack, or from user code to the one that sscratch holds. */
.align 2
trap:
  csrrw sp, sscratch, sp
  bnez sp, 1f
  csrrw sp, sscratch, sp
1:
  addi sp, sp, -272
  sd ra, 8(sp)
  .irp n, 3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
  sd x\n, 8*\n(sp)
  .endr
  csrrw t0, sscratch, zero
  sd t0, 16(sp)
  csrr t1, sepc
  sd t1, 256(sp)
  csrr t2, sstatus
  sd t2, 264(sp)
  mv a0, sp
  call trapped
  ld t1, 256(sp)
  csrw sepc, t1
  ld t2, 264(sp)
  csrw sstatus, t2
  ld t0, 16(sp)
  beqz t0, 2f
  addi t3, sp, 272
  csrw sscratch, t3
2:
  ld ra, 8(sp)
  .irp n, 3,4,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
  ld x\n, 8*\n(sp)
  .endr
  beqz t0, 3f
  ld t0, 40(sp)
  ld sp, 16(sp)
  sret
3:
  ld t0, 40(sp)
  addi sp, sp, 272
  sret

/* void enter_user(uint64_t pc, uint64_t stack): does not return. */
.globl enter_user
enter_user:
  csrw sscratch, sp
  csrw sepc, a0
  mv sp, a1
  li t0, 0x100
  csrc sstatus, t0
  sret

.section .bss
.align 12
stacks:
  .space 16384 * 64
