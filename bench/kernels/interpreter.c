/* A bytecode interpreter: a stack machine in one switch, running a sieve. The jump through the switch's table
   goes somewhere else each time, which is what scripting languages do all day. */
#include <string.h>

#include "kernel.h"

enum opcode {
  OP_PUSH,          /* push the operand */
  OP_LOAD,          /* push variable [operand] */
  OP_STORE,         /* pop into variable [operand] */
  OP_ADD,           /* pop two, push the sum */
  OP_MULTIPLY,      /* pop two, push the product */
  OP_LESS,          /* pop two, push whether the lower is less */
  OP_GET,           /* pop an index, push memory[index] */
  OP_SET,           /* pop a value, then an index: memory[index] = value */
  OP_JUMP,          /* go to the operand */
  OP_JUMP_IF_FALSE, /* pop; go to the operand when zero */
  OP_HALT,
};

struct instruction {
  enum opcode op;
  int32_t operand;
};

enum { LIMIT = 20000, I = 0, J = 1, COUNT = 2 };

/* count = 0; for (i = 2; i < LIMIT; i++) if (!memory[i]) { count += i; for (j = i * 2; j < LIMIT; j += i)
   memory[j] = 1; } */
static const struct instruction sieve[] = {
    {OP_PUSH, 0},           /*  0 */
    {OP_STORE, COUNT},      /*  1 */
    {OP_PUSH, 2},           /*  2 */
    {OP_STORE, I},          /*  3 */
    {OP_LOAD, I},           /*  4: outer */
    {OP_PUSH, LIMIT},       /*  5 */
    {OP_LESS, 0},           /*  6 */
    {OP_JUMP_IF_FALSE, 39}, /*  7 */
    {OP_LOAD, I},           /*  8 */
    {OP_GET, 0},            /*  9 */
    {OP_PUSH, 1},           /* 10 */
    {OP_LESS, 0},           /* 11 */
    {OP_JUMP_IF_FALSE, 34}, /* 12 */
    {OP_LOAD, COUNT},       /* 13 */
    {OP_LOAD, I},           /* 14 */
    {OP_ADD, 0},            /* 15 */
    {OP_STORE, COUNT},      /* 16 */
    {OP_LOAD, I},           /* 17 */
    {OP_PUSH, 2},           /* 18 */
    {OP_MULTIPLY, 0},       /* 19 */
    {OP_STORE, J},          /* 20 */
    {OP_LOAD, J},           /* 21: inner */
    {OP_PUSH, LIMIT},       /* 22 */
    {OP_LESS, 0},           /* 23 */
    {OP_JUMP_IF_FALSE, 34}, /* 24 */
    {OP_LOAD, J},           /* 25 */
    {OP_PUSH, 1},           /* 26 */
    {OP_SET, 0},            /* 27 */
    {OP_LOAD, J},           /* 28 */
    {OP_LOAD, I},           /* 29 */
    {OP_ADD, 0},            /* 30 */
    {OP_STORE, J},          /* 31 */
    {OP_JUMP, 21},          /* 32 */
    {OP_HALT, 0},           /* 33: not reached */
    {OP_LOAD, I},           /* 34: next */
    {OP_PUSH, 1},           /* 35 */
    {OP_ADD, 0},            /* 36 */
    {OP_STORE, I},          /* 37 */
    {OP_JUMP, 4},           /* 38 */
    {OP_HALT, 0},           /* 39 */
};

static int64_t interpret(const struct instruction *code, int32_t *memory) {
  int64_t stack[16], variables[3] = {0};
  int64_t *top = stack; /* the first free slot */
  const struct instruction *pc = code;
  for (;;) {
    struct instruction now = *pc++;
    switch (now.op) {
      case OP_PUSH:
        *top++ = now.operand;
        break;
      case OP_LOAD:
        *top++ = variables[now.operand];
        break;
      case OP_STORE:
        variables[now.operand] = *--top;
        break;
      case OP_ADD:
        top--;
        top[-1] += top[0];
        break;
      case OP_MULTIPLY:
        top--;
        top[-1] *= top[0];
        break;
      case OP_LESS:
        top--;
        top[-1] = top[-1] < top[0];
        break;
      case OP_GET:
        top[-1] = memory[top[-1]];
        break;
      case OP_SET:
        top -= 2;
        memory[top[0]] = (int32_t)top[1];
        break;
      case OP_JUMP:
        pc = code + now.operand;
        break;
      case OP_JUMP_IF_FALSE:
        if (*--top == 0) pc = code + now.operand;
        break;
      case OP_HALT:
        return variables[COUNT];
    }
  }
}

int main(int argc, char **argv) {
  long rounds = kernel_rounds(argc, argv, 350);
  int32_t *memory = kernel_alloc(LIMIT * sizeof *memory);
  uint64_t sum = 0;
  for (long i = 0; i < rounds; i++) {
    memset(memory, 0, LIMIT * sizeof *memory);
    memory[2 + i % (LIMIT - 2)] = 1; /* one number struck out in advance, another each round */
    sum = sum * 31 + (uint64_t)interpret(sieve, memory);
  }
  free(memory);
  return kernel_report("interpreter", sum);
}
