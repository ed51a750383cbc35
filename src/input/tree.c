/* tree.c: walkers for calls about the tree of files (mounts, handles, extended attributes) and the system's own
 * settings, whose arguments depend on a command or on a size in the structure. */
#include "input/row.h"

enum { NAME_LIMIT = 256, PAGE_LIMIT = 4096 };

static size_t transferred(const struct input_walk *w) {
  return w->failed ? 0 : (size_t)w->result;
}

/* -- Handles --------------------------------------------------------------------------------------------- */

enum { HANDLE_HEADER = 8, HANDLE_LIMIT = 128, UNIQUE_MOUNT = 1 };

/* A handle that does not fit is answered with the size it needs, and the mount is told all the same. */
void walk_name_to_handle(struct input_walk *w) {
  struct place at = walk_argument(w, 2);
  size_t mount_bytes = w->call->args[4] & UNIQUE_MOUNT ? 8 : 4;
  uint32_t room, after;
  bool overflow = w->result == -EOVERFLOW;
  if (!walk_note(w, at.address, &room) || room > HANDLE_LIMIT || !walk_u32(w, at.address, &after)) return;
  size_t written = overflow || after > room ? HANDLE_HEADER : HANDLE_HEADER + after;
  if (w->pass == PASS_INCOMING)
    walk_piece(w, at, INPUT_WRITES, HANDLE_HEADER + room, written, overflow);
  else if (w->pass == PASS_REACH)
    walk_piece(w, at, INPUT_READS | INPUT_WRITES | INPUT_PARTIAL, HANDLE_HEADER + room, 0, false);
  else
    walk_in(w, at, HANDLE_HEADER);
  walk_piece(w, walk_argument(w, 3), INPUT_WRITES, mount_bytes, mount_bytes, overflow);
}

void walk_open_by_handle(struct input_walk *w) {
  struct place at = walk_argument(w, 1);
  uint32_t bytes;
  if (walk_u32(w, at.address, &bytes) && bytes <= HANDLE_LIMIT) walk_in(w, at, HANDLE_HEADER + bytes);
}

/* -- Mounts ---------------------------------------------------------------------------------------------- */

void walk_fsconfig(struct input_walk *w) {
  enum { SET_STRING = 1, SET_BINARY, SET_PATH, SET_PATH_EMPTY };
  struct place value = walk_argument(w, 3);
  switch ((uint32_t)w->call->args[1]) {
    case SET_STRING:
      walk_string(w, value, NAME_LIMIT);
      break;
    case SET_BINARY:
      walk_in(w, value, (uint32_t)w->call->args[4]);
      break;
    case SET_PATH:
    case SET_PATH_EMPTY:
      walk_string(w, value, PAGE_LIMIT);
      break;
    default:
      break;
  }
}

/* struct mnt_id_req and struct ns_id_req begin with their size. */
static void request(struct input_walk *w, struct place at) {
  uint32_t bytes;
  if (walk_u32(w, at.address, &bytes) && bytes <= PAGE_LIMIT) walk_in(w, at, bytes);
}

/* The answer begins with its size. */
void walk_statmount(struct input_walk *w) {
  struct place answer = walk_argument(w, 1);
  uint32_t bytes = 0;
  request(w, walk_argument(w, 0));
  if (w->pass == PASS_INCOMING && !walk_u32(w, answer.address, &bytes)) return;
  walk_out(w, answer, (size_t)w->call->args[2], bytes);
}

void walk_listmount(struct input_walk *w) {
  request(w, walk_argument(w, 0));
}

/* -- Extended attributes --------------------------------------------------------------------------------- */

/* struct xattr_args: value, its size, flags. */
void walk_xattrat(struct input_walk *w) {
  struct place at = walk_argument(w, 4);
  size_t bytes = (size_t)w->call->args[5];
  uint32_t room;
  if (bytes > PAGE_LIMIT || bytes < 16) return;
  walk_in(w, at, bytes);
  if (!walk_u32(w, at.address + 8, &room)) return;
  if (w->call->nr == __NR_setxattrat)
    walk_in(w, walk_pointer(w, at, 0), room);
  else
    walk_out(w, walk_pointer(w, at, 0), room, transferred(w));
}

/* -- Settings -------------------------------------------------------------------------------------------- */

/* The context's size comes back in any case: when it was too small, that is what was asked for. */
void walk_lsm(struct input_walk *w) {
  bool list = w->call->nr == __NR_lsm_list_modules;
  struct place buffer = walk_argument(w, list ? 0 : 1), size = walk_argument(w, list ? 1 : 2);
  uint32_t room, after;
  if (!walk_note(w, size.address, &room) || !walk_u32(w, size.address, &after)) return;
  walk_piece(w, size, INPUT_READS | INPUT_WRITES, 4, 4, w->result == -E2BIG);
  walk_piece(w, buffer, INPUT_WRITES | INPUT_PARTIAL, room, after, false);
}

void walk_syslog(struct input_walk *w) {
  enum { READ = 2, READ_ALL = 3, READ_CLEAR = 4 };
  int type = (int)w->call->args[0];
  int32_t room = (int32_t)w->call->args[2];
  if (type >= READ && type <= READ_CLEAR && room > 0)
    walk_out(w, walk_argument(w, 1), (size_t)room, transferred(w));
}

void walk_reboot(struct input_walk *w) {
  enum { RESTART2 = 0xa1b2c3d4 };
  if ((uint32_t)w->call->args[2] == RESTART2) walk_string(w, walk_argument(w, 3), NAME_LIMIT);
}

void walk_landlock_rule(struct input_walk *w) {
  enum { PATH_BENEATH = 1, NET_PORT = 2 };
  int type = (int)w->call->args[1];
  if (type == PATH_BENEATH) walk_in(w, walk_argument(w, 2), 12);
  if (type == NET_PORT) walk_in(w, walk_argument(w, 2), 16);
}

#ifdef __NR_sysfs
void walk_sysfs(struct input_walk *w) {
  enum { NAME_TO_INDEX = 1, INDEX_TO_NAME = 2 };
  if (w->call->args[0] == NAME_TO_INDEX) walk_string(w, walk_argument(w, 1), PAGE_LIMIT);
  if (w->call->args[0] == INDEX_TO_NAME)
    walk_piece(w, walk_argument(w, 2), INPUT_WRITES | INPUT_PARTIAL, NAME_LIMIT / 8, NAME_LIMIT / 8, false);
}
#endif
