/* keyctl.c: the commands of keyctl and of quotactl. */
#include <linux/keyctl.h>

#include "input/row.h"

enum { TYPE_LIMIT = 32, DESCRIPTION_LIMIT = 4096 };

static size_t taken(const struct input_walk *w) {
  return w->failed ? 0 : (size_t)w->result;
}

/* A buffer and its size; the result is the size that is needed, and nothing is written where it does not fit. */
static void get_buffer(struct input_walk *w, unsigned buffer) {
  size_t room = (size_t)w->call->args[buffer + 1];
  unsigned flags = INPUT_WRITES | INPUT_PARTIAL;
  walk_piece(w, walk_argument(w, buffer), flags, room, taken(w) > room ? room : taken(w), false);
}

static void join_session(struct input_walk *w, struct place name) {
  walk_string(w, name, DESCRIPTION_LIMIT);
}

static void update(struct input_walk *w, struct place at) {
  (void)at;
  walk_in(w, walk_argument(w, 2), (size_t)w->call->args[3]);
}

static void read_out(struct input_walk *w, struct place at) {
  (void)at;
  get_buffer(w, 2);
}

static void search_ring(struct input_walk *w, struct place at) {
  (void)at;
  walk_string(w, walk_argument(w, 2), TYPE_LIMIT);
  walk_string(w, walk_argument(w, 3), DESCRIPTION_LIMIT);
}

static void instantiate_vector(struct input_walk *w, struct place at) {
  (void)at;
  walk_vector(w, walk_argument(w, 2), (uint64_t)w->call->args[3], INPUT_READS, ~0UL >> 1);
}

static void dh_compute(struct input_walk *w, struct place parameters) {
  walk_in(w, parameters, 12);
  get_buffer(w, 2);
  struct place kdf = walk_argument(w, 4);
  if (!kdf.address) return;
  uint32_t other_bytes;
  walk_in(w, kdf, 24 + 32);
  walk_string(w, walk_pointer(w, kdf, 0), DESCRIPTION_LIMIT);
  if (walk_u32(w, kdf.address + 16, &other_bytes)) walk_in(w, walk_pointer(w, kdf, 8), other_bytes);
}

static void pkey_query(struct input_walk *w, struct place at) {
  (void)at;
  walk_string(w, walk_argument(w, 3), DESCRIPTION_LIMIT);
  walk_out(w, walk_argument(w, 4), 48, 48);
}

/* struct keyctl_pkey_params: key, length in, length out (or of the second input). */
static void pkey_operation(struct input_walk *w, struct place parameters) {
  uint32_t lengths[3];
  bool verify = w->call->args[0] == KEYCTL_PKEY_VERIFY;
  walk_in(w, parameters, 40);
  walk_string(w, walk_argument(w, 2), DESCRIPTION_LIMIT);
  if (!walk_read(w, lengths, parameters.address, sizeof lengths)) return;
  walk_in(w, walk_argument(w, 3), lengths[1]);
  if (verify)
    walk_in(w, walk_argument(w, 4), lengths[2]);
  else
    walk_out(w, walk_argument(w, 4), lengths[2], taken(w));
}

static void capabilities(struct input_walk *w, struct place buffer) {
  size_t room = (size_t)w->call->args[2];
  walk_out(w, buffer, room, w->failed ? 0 : room);
}

#define COMMAND(name) \
  { name, INPUT_EMULATE, 0, INPUT_VALUE, 0, #name, NULL }
#define COMMAND_WALK(name, walk) \
  { name, INPUT_EMULATE, 0, INPUT_POINTER, 0, #name, walk }

static const struct input_command commands[] = {
    COMMAND(KEYCTL_GET_KEYRING_ID),
    COMMAND_WALK(KEYCTL_JOIN_SESSION_KEYRING, join_session),
    COMMAND_WALK(KEYCTL_UPDATE, update),
    COMMAND(KEYCTL_REVOKE),
    COMMAND(KEYCTL_CHOWN),
    COMMAND(KEYCTL_SETPERM),
    COMMAND_WALK(KEYCTL_DESCRIBE, read_out),
    COMMAND(KEYCTL_CLEAR),
    COMMAND(KEYCTL_LINK),
    COMMAND(KEYCTL_UNLINK),
    COMMAND_WALK(KEYCTL_SEARCH, search_ring),
    COMMAND_WALK(KEYCTL_READ, read_out),
    COMMAND_WALK(KEYCTL_INSTANTIATE, update),
    COMMAND(KEYCTL_NEGATE),
    COMMAND(KEYCTL_SET_REQKEY_KEYRING),
    COMMAND(KEYCTL_SET_TIMEOUT),
    COMMAND(KEYCTL_ASSUME_AUTHORITY),
    COMMAND_WALK(KEYCTL_GET_SECURITY, read_out),
    COMMAND(KEYCTL_SESSION_TO_PARENT),
    COMMAND(KEYCTL_REJECT),
    COMMAND_WALK(KEYCTL_INSTANTIATE_IOV, instantiate_vector),
    COMMAND(KEYCTL_INVALIDATE),
    COMMAND(KEYCTL_GET_PERSISTENT),
    COMMAND_WALK(KEYCTL_DH_COMPUTE, dh_compute),
    COMMAND_WALK(KEYCTL_PKEY_QUERY, pkey_query),
    COMMAND_WALK(KEYCTL_PKEY_ENCRYPT, pkey_operation),
    COMMAND_WALK(KEYCTL_PKEY_DECRYPT, pkey_operation),
    COMMAND_WALK(KEYCTL_PKEY_SIGN, pkey_operation),
    COMMAND_WALK(KEYCTL_PKEY_VERIFY, pkey_operation),
    COMMAND_WALK(KEYCTL_RESTRICT_KEYRING, search_ring),
    COMMAND(KEYCTL_MOVE),
    COMMAND_WALK(KEYCTL_CAPABILITIES, capabilities),
    COMMAND(KEYCTL_WATCH_KEY),
};

const struct input_command *keyctl_command(uint32_t command) {
  return input_find_command(commands, sizeof commands / sizeof *commands, command);
}

void walk_keyctl(struct input_walk *w) {
  walk_command(w, keyctl_command((uint32_t)w->call->args[0]), 1);
}

/* -- quotactl -------------------------------------------------------------------------------------------- */

/* The numbers of linux/quota.h and linux/dqblk_xfs.h: what each writes or reads at its address. */
static const struct input_command quota_commands[] = {
    {0x800001, INPUT_EMULATE, 0, INPUT_NONE, 0, "Q_SYNC", NULL},
    {0x800002, INPUT_EMULATE, 0, INPUT_IN, STRING_SIZE, "Q_QUOTAON", NULL},
    {0x800003, INPUT_EMULATE, 0, INPUT_NONE, 0, "Q_QUOTAOFF", NULL},
    {0x800004, INPUT_EMULATE, 0, INPUT_OUT, 4, "Q_GETFMT", NULL},
    {0x800005, INPUT_EMULATE, 0, INPUT_OUT, 24, "Q_GETINFO", NULL},
    {0x800006, INPUT_EMULATE, 0, INPUT_IN, 24, "Q_SETINFO", NULL},
    {0x800007, INPUT_EMULATE, 0, INPUT_OUT, 72, "Q_GETQUOTA", NULL},
    {0x800008, INPUT_EMULATE, 0, INPUT_IN, 72, "Q_SETQUOTA", NULL},
    {0x800009, INPUT_EMULATE, 0, INPUT_OUT, 72, "Q_GETNEXTQUOTA", NULL},
    {0x5801, INPUT_EMULATE, 0, INPUT_IN, 4, "Q_XQUOTAON", NULL},
    {0x5802, INPUT_EMULATE, 0, INPUT_IN, 4, "Q_XQUOTAOFF", NULL},
    {0x5803, INPUT_EMULATE, 0, INPUT_OUT, 112, "Q_XGETQUOTA", NULL},
    {0x5804, INPUT_EMULATE, 0, INPUT_IN, 112, "Q_XSETQLIM", NULL},
    {0x5805, INPUT_EMULATE, 0, INPUT_OUT, 80, "Q_XGETQSTAT", NULL},
    {0x5806, INPUT_EMULATE, 0, INPUT_IN, 4, "Q_XQUOTARM", NULL},
    {0x5807, INPUT_EMULATE, 0, INPUT_NONE, 0, "Q_XQUOTASYNC", NULL},
    {0x5808, INPUT_EMULATE, 0, INPUT_INOUT, 168, "Q_XGETQSTATV", NULL},
    {0x5809, INPUT_EMULATE, 0, INPUT_OUT, 112, "Q_XGETNEXTQUOTA", NULL},
};

const struct input_command *quota_command(uint32_t command) {
  return input_find_command(quota_commands, sizeof quota_commands / sizeof *quota_commands, command >> 8);
}

void walk_quotactl(struct input_walk *w) {
  walk_command(w, quota_command((uint32_t)w->call->args[0]), 3);
}

void walk_quotactl_fd(struct input_walk *w) {
  walk_command(w, quota_command((uint32_t)w->call->args[1]), 3);
}
