/* vector.h: the vector unit: the V extension 1.0 with registers of 128 bits and elements of up to 64.
 *
 * An instruction of OP-V is a row of a table (vector_table.c): which forms it has, how wide its operands are, a loop, and what the loop does with an element.
 * Elements are in the low bits of a word, extended as the row says; what is stored of a result is its low bits. Whatever
 * an instruction need not keep (tails, elements that are masked off) is left as it was.
 *
 * Loads and stores (vector_memory.c) make an access for each element, or field of a segment. Each has a position of its own, as if it were an instruction:
 * between two of them the machine may stop, and `start` says where the instruction goes on. An instruction without accesses has one position. */
#ifndef REPRISE_SIM_VECTOR_H
#define REPRISE_SIM_VECTOR_H

#include "sim/machine/softfloat.h"
#include "sim/machine/thread.h"

/* An instruction under way. */
struct vector {
  struct registers *registers;
  struct vector_registers *state;
  uint32_t bits;
  uint32_t vd, vs1, vs2;        /* numbers of registers, or what else is in their place */
  bool masked;                  /* by v0; or v0 is an operand */
  bool carry;                   /* the element's bit of v0, for those of which it is an operand */
  int group;                    /* log2 of LMUL */
  uint32_t width;               /* SEW: bits of an element */
  uint32_t width_a;             /* of vs2's */
  uint32_t width_d;             /* of the result */
  uint32_t length, start, most; /* vl, vstart, VLMAX */
  uint32_t index;               /* of the element */
  bool is_scalar;               /* the second operand is no vector … */
  uint64_t scalar;              /* … but this */
  struct float_state rounding;
};

struct vector_row;
typedef bool vector_loop(struct vector *v, const struct vector_row *row); /* false: an illegal instruction */
/* a: of vs2. b: of vs1, or the scalar. d: what the result replaces. */
typedef uint64_t vector_element(struct vector *v, uint64_t a, uint64_t b, uint64_t d);

struct vector_row {
  uint8_t forms; /* enum vector_forms */
  vector_loop *loop;
  vector_element *element;
  uint16_t flags; /* enum vector_flags */
  int8_t a, d;    /* log2 of vs2's and the result's width in SEW */
};

enum vector_forms {
  FORM_VV = 1 << 0,
  FORM_FVV = 1 << 1,
  FORM_MVV = 1 << 2,
  FORM_VI = 1 << 3,
  FORM_VX = 1 << 4,
  FORM_VF = 1 << 5,
  FORM_MVX = 1 << 6,
};

enum vector_flags {
  SIGNED_A = 1 << 0,
  SIGNED_B = 1 << 1,
  SIGNED = SIGNED_A | SIGNED_B,
  TO_MASK = 1 << 2,    /* the result is a bit of a mask */
  CARRY = 1 << 3,      /* v0 is an operand, and no mask */
  ONLY_CARRY = 1 << 4, /* … in every form */
  UNARY = 1 << 5,      /* vs1's place says which instruction it is */
  UNMASKED = 1 << 6,   /* in every form */
  UNSIGNED_IMMEDIATE = 1 << 7,
  FLOAT_A = 1 << 8,
  FLOAT_D = 1 << 9,
  FLOAT = FLOAT_A | FLOAT_D,
  FLOAT_WIDENS = 1 << 10, /* operands of one width are made two wide */
  APART = 1 << 11,        /* the result may not overlap vs2 */
  FROM_START = 1 << 12,   /* illegal unless vstart is 0 */
  MULTIPLIES = 1 << 13,
  DIVIDES = 1 << 14,
};

/* -- vector.c: operands -------------------------------------------------------------------------------------------------------- */

uint64_t vector_get(const struct vector *v, uint32_t number, uint32_t index, uint32_t width);
void vector_put(struct vector *v, uint32_t number, uint32_t index, uint32_t width, uint64_t value);
static inline bool vector_bit(const struct vector_registers *state, uint32_t number, uint32_t index) {
  return state->v[number * VECTOR_BYTES + index / 8] >> index % 8 & 1;
}
void vector_put_bit(struct vector *v, uint32_t number, uint32_t index, bool value);
static inline uint64_t vector_extend(uint64_t value, uint32_t width, bool is_signed) {
  unsigned unused = 64 - width;
  return is_signed ? (uint64_t)((int64_t)(value << unused) >> unused) : value << unused >> unused;
}
/* The element counts. */
static inline bool vector_active(const struct vector *v, uint32_t index) {
  return !v->masked || vector_bit(v->state, 0, index);
}
static inline uint32_t vector_count(int group) {
  return group > 0 ? 1u << group : 1;
}
static inline int vector_log(uint32_t value) {
  return 31 - __builtin_clz(value);
}
static inline float_format vector_format(uint32_t width) {
  return width == 64 ? &float_double : &float_single;
}
/* A group of so many registers (log2) may begin there. */
bool vector_group(uint32_t number, int group);
/* Of the groups of a result and of an operand: is their overlap one that is allowed? */
bool vector_overlap(uint32_t vd, int group_d, uint32_t width_d, uint32_t vs, int group_s, uint32_t width_s);
/* Registers and widths are such as the row can have; sets the widths. */
bool vector_fits(struct vector *v, const struct vector_row *row);
/* The state with which an instruction begins; false: vtype is not valid. */
bool vector_begin(struct vector *v, struct registers *registers, uint32_t bits);

/* -- The loops, by file ---------------------------------------------------------------------------------------------------------- */

vector_loop vector_elements, vector_reduce;                                         /* vector.c */
vector_loop vector_merge, vector_slide_up, vector_slide_down, vector_slide_up_one;  /* vector_moves.c */
vector_loop vector_slide_down_one, vector_gather, vector_gather16, vector_compress; /* and */
vector_loop vector_move_groups, vector_first_to_scalar, vector_first_from_scalar;   /* and */
vector_loop vector_first_to_float, vector_first_from_float;
vector_loop vector_mask_logic, vector_mask_count, vector_mask_first, vector_mask_edge; /* vector_mask.c */
vector_loop vector_iota, vector_identity;

/* vector_table.c: the instruction's row; NULL: there is no such instruction. */
const struct vector_row *vector_find(uint32_t bits);

struct hart;

/* vector_memory.c: a load or store. False: hart->exit says why. */
bool vector_access(struct hart *hart, uint32_t bits);

/* vector_float.c: elements. */
vector_element float_element_add, float_element_subtract, float_element_subtract_from, float_element_multiply,
    float_element_divide, float_element_divide_into, float_element_minimum, float_element_maximum,
    float_element_sign, float_element_sign_not, float_element_sign_xor, float_element_equal,
    float_element_unequal, float_element_less, float_element_less_equal, float_element_greater,
    float_element_greater_equal, float_element_macc, float_element_nmacc, float_element_msac,
    float_element_nmsac, float_element_madd, float_element_nmadd, float_element_msub, float_element_nmsub,
    float_element_root, float_element_root_estimate, float_element_reciprocal_estimate, float_element_class,
    float_element_to_unsigned, float_element_to_signed, float_element_from_unsigned,
    float_element_from_signed, float_element_cut_to_unsigned, float_element_cut_to_signed,
    float_element_convert, float_element_convert_odd;

/* -- vector_configure.c -------------------------------------------------------------------------------------------------------------- */

/* VSETVLI, VSETIVLI, VSETVL. False: there is no such instruction. */
bool vector_configure(struct registers *registers, uint32_t bits);
/* vtype and, as far as that allows it, vl. */
void vector_set(struct vector_registers *state, uint64_t type, uint64_t length);
enum { VECTOR_START = 0x008, VECTOR_CONTROL = 0x00f };
/* False: no register of the vector unit, or a read-only one. */
bool vector_read_csr(struct vector_registers *state, uint32_t number, uint64_t *value);
bool vector_write_csr(struct vector_registers *state, uint32_t number, uint64_t value);
/* One number for all of it. */
uint64_t vector_digest(const struct vector_registers *state);
/* What a system call leaves of the registers: nothing, for a thread that has used them. */
void vector_discard(struct vector_registers *state);
/* The hart's fault, which no page was missing for, is shown: vstart is where it is … */
void vector_show_fault(struct hart *hart);
/* … or the load ends there. */
void vector_trim(struct hart *hart);

#endif
