/* interpret.c: executes instructions until there is a reason to stop.
 *
 * One label per operation (operations.h), jumped to from the end of the previous one. The hot state (program counter, cycle, position) is in local
 * variables; `leave` and the slow paths put it back. At each instruction the position is compared with one limit; at each
 * memory access the cycle is compared with the horizon. */
#include "sim/machine/decode.h"
#include "sim/machine/hart.h"
#include "sim/machine/operations.h"
#include "sim/machine/space.h"

#define likely(condition) __builtin_expect(!!(condition), 1)

enum {
  RUN_AHEAD = 64
}; /* instructions without memory accesses past the horizon, so that a loop of them can be interrupted */

/* -- Slow paths --------------------------------------------------------------------------------------------------------------- */

static bool fault(struct hart *hart, uint64_t address, uint8_t kind, enum hart_exit exit) {
  hart->fault_address = address;
  hart->fault_kind = kind;
  hart->at_element = hart->trims = false;
  hart->exit = exit;
  return false;
}

static unsigned permission_for(uint8_t kind) {
  return kind == ACCESS_FETCH                       ? PAGE_EXECUTE
         : kind == ACCESS_LOAD || kind == ACCESS_LR ? PAGE_READ
                                                    : PAGE_WRITE;
}

static bool ask(struct hart *hart, struct access *access) {
  const struct machine *machine = hart->port.machine;
  if (access->paddr >= machine->ram_bytes) return machine->supervisor->device(hart, access);
  if (hart->port.machine->system->access(&hart->port, access) == ACCESS_DONE) return true;
  hart->port.waiting = true;
  hart->exit = HART_WAIT;
  return false;
}

static bool translate(struct hart *hart, struct access *access) {
  access->paddr =
      hart->port.machine->supervisor->translate(hart, access->vaddr, permission_for(access->kind));
  if (access->paddr == SPACE_WAIT) return false;
  return access->paddr != SPACE_FAULT || fault(hart, access->vaddr, access->kind, HART_FAULT);
}

/* An access over the end of a line is two, each with a position of its own: between them others may be ordered, in a recording and in a
   replay. The first is not repeated when the second has to wait; no other instruction comes between. */
static bool access_split(struct hart *hart, struct access *access) {
  uint8_t bytes[8];
  uint32_t first = (uint32_t)(LINE_BYTES - access->vaddr % LINE_BYTES);
  struct access head = *access, tail = *access;
  head.size = (uint8_t)first;
  tail.size = (uint8_t)(access->size - first);
  tail.vaddr += first;
  memcpy(bytes, access->data, access->size);
  head.data = bytes;
  tail.data = bytes + first;
  if (!translate(hart, &head) || !translate(hart, &tail)) return false;
  if (hart->split) {
    memcpy(bytes, &hart->split_bytes, first);
  } else {
    if (!ask(hart, &head)) return false;
    hart->split = true;
    memcpy(&hart->split_bytes, bytes, first);
    hart->port.position++;
    if (hart->port.position >= hart->port.stop || hart->port.position >= hart->kernel_stop) {
      hart->exit = HART_STOP;
      return false;
    }
  }
  if (!ask(hart, &tail)) return false;
  hart->split = false;
  memcpy(access->data, bytes, access->size);
  return true;
}

/* False: the instruction has not happened, and hart->exit says why. */
static bool slow_access(struct hart *hart, uint8_t kind, uint64_t vaddr, uint8_t size, uint8_t amo,
                        void *data, bool *failed) {
  struct access access = {.vaddr = vaddr, .kind = kind, .size = size, .amo = amo, .data = data};
  if (hart->port.cycle >= hart->port.horizon && !hart->split) {
    hart->exit = HART_HORIZON;
    return false;
  }
  if (vaddr % size && kind >= ACCESS_LR) return fault(hart, vaddr, kind, HART_MISALIGNED);
  if (vaddr % LINE_BYTES + size > LINE_BYTES) return access_split(hart, &access);
  if (!translate(hart, &access) || !ask(hart, &access)) return false;
  if (failed) *failed = access.failed;
  return true;
}

bool hart_access(struct hart *hart, uint8_t kind, uint64_t vaddr, uint8_t size, void *data) {
  return slow_access(hart, kind, vaddr, size, 0, data, NULL);
}

static struct decoded_line *slow_fetch(struct hart *hart, uint64_t pc) {
  struct port *port = &hart->port;
  struct access access = {.vaddr = line_of(pc), .kind = ACCESS_FETCH, .size = LINE_BYTES};
  if (port->cycle >= port->horizon) {
    hart->exit = HART_HORIZON;
    return NULL;
  }
  if (!translate(hart, &access) || !ask(hart, &access)) return NULL;
  uint32_t index = fast_index(pc);
  struct fast_line *line = &port->own_fetches.line[index];
  return hart->decoded[index] = decode_cache_line(port->machine->decode_cache, line->paddr, line->host);
}

/* The line that is being entered, NULL if it has to be asked for. */
static inline struct decoded_line *fast_fetch(const struct hart *hart, uint64_t pc) {
  uint32_t index = fast_index(pc);
  return likely(hart->port.fetches->line[index].tag == line_of(pc)) ? hart->decoded[index] : NULL;
}

/* The instruction that begins in the last place of a line; NULL: its second half is not there yet. */
static const struct insn *fetch_crossing(struct hart *hart, struct decoded_line *line, uint64_t pc) {
  struct decoded_line *next = fast_fetch(hart, pc + 2);
  if (!next && !(next = slow_fetch(hart, pc + 2))) return NULL;
  uint16_t half = (uint16_t)(next->bytes[0] | next->bytes[1] << 8);
  if (line->crossing[0].op == OP_UNDECODED || line->crossing_half != half) {
    line->crossing_half = half;
    line->crossing[0] = decode((uint32_t)line->bytes[LINE_BYTES - 2] |
                               (uint32_t)line->bytes[LINE_BYTES - 1] << 8 | (uint32_t)half << 16);
    line->crossing[2].op = OP_LINE_END;
  }
  return line->crossing;
}

/* Under TSO only a store before a load, or before a fetch, needs a fence. */
static bool slow_fence(struct hart *hart, bool store_before_load) {
  struct access access = {.kind = ACCESS_FENCE};
  if (!store_before_load || !hart->port.machine->config.tso) return true;
  if (hart->port.cycle >= hart->port.horizon) {
    hart->exit = HART_HORIZON;
    return false;
  }
  return ask(hart, &access);
}

/* -- The loop -------------------------------------------------------------------------------------------------------------------------- */

static uint64_t find_limit(const struct hart *hart) {
  const struct port *port = &hart->port;
  uint64_t ahead = port->horizon > port->cycle ? port->horizon - port->cycle : 0;
  uint64_t limit = ahead > UINT64_MAX / 2 ? UINT64_MAX : port->position + ahead + RUN_AHEAD;
  if (port->stop < limit) limit = port->stop;
  return hart->kernel_stop < limit ? hart->kernel_stop : limit;
}

/* The parts of the loop, over its local variables. Every operation ends with a jump to the next one. */
#define PUT_BACK() (hart->registers.pc = pc, port->cycle = cycle, port->position = position)
#define DISPATCH() goto *labels[i->op]
#define NEXT()                          \
  do {                                  \
    pc += i->length;                    \
    i += i->length >> 1;                \
    if (++position >= limit) goto stop; \
    DISPATCH();                         \
  } while (0)
/* One cycle each, but for memory accesses. */
#define DONE() \
  do {         \
    cycle++;   \
    NEXT();    \
  } while (0)
#define SET(expression)                \
  do {                                 \
    x[i->rd] = (uint64_t)(expression); \
    DONE();                            \
  } while (0)
#define S1 x[i->rs1]
#define S2 x[i->rs2]
#define F2 hart->registers.f[i->rs2]
#define IMM ((int64_t)i->imm)
#define JUMP(target)                        \
  do {                                      \
    uint64_t to_ = (target);                \
    bool near_ = line_of(to_) == line_pc;   \
    pc = to_;                               \
    cycle++;                                \
    if (++position >= limit) goto stop;     \
    if (!near_) goto enter;                 \
    i = &line->place[pc % LINE_BYTES >> 1]; \
    DISPATCH();                             \
  } while (0)
#define BRANCH(condition)                    \
  do {                                       \
    if (condition) JUMP(pc + (uint64_t)IMM); \
    DONE();                                  \
  } while (0)
/* A misaligned address never equals a tag. */
#define IS_FAST(table, type)                                                       \
  (likely((entry = &port->table->line[fast_index(a)])->tag ==                      \
              (a & ~(uint64_t)(LINE_BYTES - sizeof(type))) + port->table->epoch && \
          cycle < port->horizon && port->references < port->references_stop))
#define FAST_DONE() (*entry->used = port->time_base + position, port->references++, cycle += port->hit_cycles)
#define SLOW(kind, type, amo, data, failed)                                              \
  do {                                                                                   \
    PUT_BACK();                                                                          \
    if (!slow_access(hart, kind, a, sizeof(type), amo, data, failed)) return hart->exit; \
    cycle = port->cycle, position = port->position;                                      \
    limit = find_limit(hart);                                                            \
  } while (0)
#define LOAD(type)                                          \
  do {                                                      \
    type t_ = 0;                                            \
    a = S1 + (uint64_t)IMM;                                 \
    if (IS_FAST(loads, type)) {                             \
      memcpy(&t_, entry->host + a % LINE_BYTES, sizeof t_); \
      FAST_DONE();                                          \
    } else {                                                \
      SLOW(ACCESS_LOAD, type, 0, &t_, NULL);                \
    }                                                       \
    loaded = (uint64_t)(int64_t)t_;                         \
  } while (0)
#define LOAD_X(type)              \
  do {                            \
    LOAD(type);                   \
    if (i->rd) x[i->rd] = loaded; \
    NEXT();                       \
  } while (0)
#define STORE(type, source)                                 \
  do {                                                      \
    type t_ = (type)(source);                               \
    a = S1 + (uint64_t)IMM;                                 \
    if (IS_FAST(stores, type)) {                            \
      memcpy(entry->host + a % LINE_BYTES, &t_, sizeof t_); \
      FAST_DONE();                                          \
    } else {                                                \
      SLOW(ACCESS_STORE, type, 0, &t_, NULL);               \
    }                                                       \
    NEXT();                                                 \
  } while (0)
#define AMO(type)                                                                                    \
  do {                                                                                               \
    type t_ = (type)S2;                                                                              \
    a = S1;                                                                                          \
    if (IS_FAST(stores, type)) {                                                                     \
      type old_, new_;                                                                               \
      memcpy(&old_, entry->host + a % LINE_BYTES, sizeof old_);                                      \
      new_ = (type)amo_result(i->amo, sizeof(type), (uint64_t)(int64_t)old_, (uint64_t)(int64_t)t_); \
      memcpy(entry->host + a % LINE_BYTES, &new_, sizeof new_);                                      \
      t_ = old_;                                                                                     \
      FAST_DONE();                                                                                   \
    } else {                                                                                         \
      SLOW(ACCESS_AMO, type, i->amo, &t_, NULL);                                                     \
    }                                                                                                \
    if (i->rd) x[i->rd] = (uint64_t)(int64_t)t_;                                                     \
    NEXT();                                                                                          \
  } while (0)
#define LOAD_RESERVED(type)                      \
  do {                                           \
    type t_ = 0;                                 \
    a = S1;                                      \
    SLOW(ACCESS_LR, type, 0, &t_, NULL);         \
    if (i->rd) x[i->rd] = (uint64_t)(int64_t)t_; \
    NEXT();                                      \
  } while (0)
#define STORE_CONDITIONAL(type)              \
  do {                                       \
    type t_ = (type)S2;                      \
    bool failed_ = false;                    \
    a = S1;                                  \
    SLOW(ACCESS_SC, type, 0, &t_, &failed_); \
    if (i->rd) x[i->rd] = failed_;           \
    NEXT();                                  \
  } while (0)

enum hart_exit hart_interpret(struct hart *hart) {
#define X(name) &&do_##name,
  /* cppcheck-suppress syntaxError */
  static const void *const labels[OP_COUNT] = {OPERATIONS(X)};
#undef X
  struct port *const port = &hart->port;
  uint64_t *const x = hart->registers.x;
  uint64_t pc = hart->registers.pc, cycle = port->cycle, position = port->position;
  uint64_t limit = find_limit(hart), line_pc;
  struct decoded_line *line;
  const struct insn *i;
  struct fast_line *entry;
  uint64_t a, loaded;

  if (position >= limit) goto stop;

enter:
  line_pc = line_of(pc);
  line = fast_fetch(hart, pc);
  if (!line) {
    PUT_BACK();
    if (!(line = slow_fetch(hart, pc))) return hart->exit;
    cycle = port->cycle, position = port->position;
    limit = find_limit(hart);
  }
  i = &line->place[pc % LINE_BYTES >> 1];
  DISPATCH();

do_UNDECODED:
  decode_place(line, pc % LINE_BYTES >> 1);
  DISPATCH();
do_LINE_END:
  goto enter;
do_CROSSING:
  PUT_BACK();
  if (!(i = fetch_crossing(hart, line, pc))) return hart->exit;
  cycle = port->cycle, position = port->position;
  limit = find_limit(hart);
  DISPATCH();
stop:
  PUT_BACK();
  return port->position >= port->stop || port->position >= hart->kernel_stop ? HART_STOP : HART_HORIZON;

#define X(name, expression) do_##name : SET(expression);
  RESULTS(X)
#undef X
#define X(name, expression)                                   \
  do_##name : cycle += port->machine->config.multiply_cycles; \
  SET(expression);
  PRODUCTS(X)
#undef X
#define X(name, expression)                                 \
  do_##name : cycle += port->machine->config.divide_cycles; \
  SET(expression);
  QUOTIENTS(X)
#undef X
#define X(name, condition) do_##name : BRANCH(condition);
  BRANCHES(X)
#undef X
#define X(name, type) do_##name : LOAD_X(type);
  LOADS(X)
#undef X
#define X(name, type, source) do_##name : STORE(type, source);
  STORES(X)
#undef X

do_NOP:
  DONE();
do_JAL:
  x[i->rd] = pc + i->length;
  JUMP(pc + (uint64_t)IMM);
do_J:
  JUMP(pc + (uint64_t)IMM);
do_JALR:
  a = (S1 + (uint64_t)IMM) & ~1ull;
  if (i->rd) x[i->rd] = pc + i->length;
  JUMP(a);

do_LRW:
  LOAD_RESERVED(int32_t);
do_LRD:
  LOAD_RESERVED(int64_t);
do_SCW:
  STORE_CONDITIONAL(int32_t);
do_SCD:
  STORE_CONDITIONAL(int64_t);
do_AMOW:
  AMO(int32_t);
do_AMOD:
  AMO(int64_t);

do_FLW:
  LOAD(uint32_t);
  hart->registers.f[i->rd] = loaded | 0xffffffff00000000;
  NEXT();
do_FLD:
  LOAD(uint64_t);
  hart->registers.f[i->rd] = loaded;
  NEXT();
do_FLOAT:
  if (!hart_float(&hart->registers, (uint32_t)i->imm)) goto do_ILLEGAL;
  cycle += hart_float_divides((uint32_t)i->imm) ? port->machine->config.float_divide_cycles
                                                : port->machine->config.float_cycles;
  DONE();
do_VECTOR:
  PUT_BACK();
  if (!hart_vector(hart, (uint32_t)i->imm)) return hart->exit;
  cycle = port->cycle, position = port->position;
  limit = find_limit(hart);
  NEXT();

do_FENCE:
  PUT_BACK();
  if (!slow_fence(hart, i->imm >> 24 & 1 && i->imm >> 21 & 1)) return hart->exit;
  cycle = port->cycle;
  DONE();
do_FENCEI:
  PUT_BACK();
  if (!slow_fence(hart, true)) return hart->exit;
  cycle = port->cycle;
  limit = find_limit(hart);
  /* Decoded lines are compared with memory again at their next fetch. */
  port_drop_all(port, PORT_FETCHES);
  pc += 4;
  cycle++;
  if (++position >= limit) goto stop;
  goto enter;
do_CSR:
  PUT_BACK();
  if (hart_csr_is_input((uint32_t)i->imm) && !hart_at_border(port, BORDER_COUNTER)) return HART_WAIT;
  if (!hart_csr(hart, (uint32_t)i->imm)) goto do_ILLEGAL;
  limit = find_limit(hart);
  DONE();
do_ECALL:
  PUT_BACK();
  return cycle >= port->horizon ? HART_HORIZON : HART_CALL;
do_EBREAK:
  PUT_BACK();
  return HART_BREAK;
do_ILLEGAL:
  PUT_BACK();
  return HART_ILLEGAL;
}
