/* files.c: files that the client reads: those of the recording under their recorded names, then those of this machine. Files in /proc of
 * the recorded processes are made up. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "debug/server.h"

/* -- Files of the recording ---------------------------------------------------------------------------------------------------- */

static bool find_recorded(struct server *server, const char *path, struct recording_file *file) {
  struct recording_error error;
  bool found = false;
  static struct recording_file next;
  for (uint32_t i = 0; !recording_find_file(server->session.reader, i, &next, &error); i++)
    if (!strcmp(next.path, path)) { /* the last of that name is the newest */
      *file = next;
      found = true;
    }
  return found;
}

static char *make_maps(struct server *server, uint32_t slot, size_t *count) {
  static struct mapping mapping;
  char *made = NULL;
  char *text = mappings_open(&server->session, slot), *rest = text;
  FILE *out = open_memstream(&made, count);
  if (!out) {
    free(text);
    return NULL;
  }
  while (mapping_next(&server->session, &rest, &mapping))
    fprintf(out, "%" PRIx64 "-%" PRIx64 " %s %08" PRIx64 " 00:00 0 %s\n", mapping.memory.start,
            mapping.memory.end, mapping.access, mapping.offset, mapping.path);
  fclose(out);
  free(text);
  return made;
}

static char *make_command_line(struct server *server, size_t *count) {
  char *made = NULL;
  const char *argument;
  FILE *out = open_memstream(&made, count);
  for (size_t i = 0; out && (argument = recording_get(server->session.reader, "argument", i)); i++) {
    fputs(argument, out);
    fputc(0, out);
  }
  if (out) fclose(out);
  return made;
}

/* -- Open files ------------------------------------------------------------------------------------------------------------------ */

static void fail(struct server *server, int error) {
  reply_clear(&server->reply);
  reply_text(&server->reply, "F-1,%x", error);
}

/* Which process of the recording the path is about; rest: the name in its folder. */
static int process_of(struct server *server, const char *path, const char **rest) {
  int pid, at = 0;
  if (sscanf(path, "/proc/%d/%n", &pid, &at) != 1 || !at) return -1;
  int slot = target_find(&server->session, pid, 0);
  if (slot < 0) slot = target_find(&server->session, 0, pid);
  *rest = path + at;
  return slot;
}

static int open_path(struct server *server, const char *path, struct served_file *file) {
  static struct recording_file recorded;
  struct recording_error error;
  const char *name = "";
  int slot = process_of(server, path, &name);
  *file = (struct served_file){.fd = -1};
  if (slot >= 0 && (!strcmp(name, "maps") || !strcmp(name, "smaps")))
    file->bytes = make_maps(server, (uint32_t)slot, &file->count);
  else if (slot >= 0 && !strcmp(name, "cmdline"))
    file->bytes = make_command_line(server, &file->count);
  else if (!strncmp(path, "/proc/", 6))
    return ENOENT;
  else if (find_recorded(server, path, &recorded)) {
    if (recording_open_file(server->session.reader, &recorded, &file->fd, &error)) return EIO;
  } else {
    file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file->fd < 0) return errno;
  }
  file->open = file->bytes || file->fd >= 0;
  return file->open ? 0 : ENOMEM;
}

static void close_file(struct served_file *file) {
  if (file->fd >= 0) close(file->fd);
  free(file->bytes);
  *file = (struct served_file){.fd = -1};
}

void files_close(struct server *server) {
  for (int i = 0; i < SERVER_FILES; i++)
    if (server->files[i].open) close_file(&server->files[i]);
}

static void open_file(struct server *server, const char *text) {
  char path[RECORDING_PATH_MAX];
  uint64_t flags = 0;
  size_t n = packet_bytes(text, path, sizeof path - 1);
  path[n] = 0;
  text += 2 * n;
  if (*text == ',') packet_number(text + 1, &flags);
  int i = 0;
  while (i < SERVER_FILES && server->files[i].open) i++;
  if (*text != ',' || flags & 3) {
    fail(server, flags & 3 && *text == ',' ? EROFS : EINVAL);
    return;
  }
  if (i == SERVER_FILES) {
    fail(server, EMFILE);
    return;
  }
  int error = open_path(server, path, &server->files[i]);
  if (error)
    fail(server, error);
  else
    reply_text(&server->reply, "F%x", i);
}

static struct served_file *file_of(struct server *server, const char **text) {
  uint64_t number;
  *text = packet_number(*text, &number);
  return number < SERVER_FILES && server->files[number].open ? &server->files[number] : NULL;
}

static void read_file(struct server *server, const char *text) {
  static uint8_t bytes[PACKET_MAX / 2];
  uint64_t count = 0, offset = 0;
  const struct served_file *file = file_of(server, &text);
  if (!file) {
    fail(server, EBADF);
    return;
  }
  if (*text == ',') text = packet_number(text + 1, &count);
  if (*text == ',') packet_number(text + 1, &offset);
  if (count > sizeof bytes - 32) count = sizeof bytes - 32;
  ssize_t n = 0;
  if (offset > INT64_MAX - count)
    n = 0;
  else if (file->fd >= 0)
    n = pread(file->fd, bytes, count, (off_t)offset);
  else if (offset < file->count) {
    n = (ssize_t)(file->count - offset < count ? file->count - offset : count);
    memcpy(bytes, file->bytes + offset, (size_t)n);
  }
  if (n < 0) {
    fail(server, errno);
    return;
  }
  reply_text(&server->reply, "F%zx;", (size_t)n);
  reply_binary(&server->reply, bytes, (size_t)n);
}

static void put_number(uint8_t **at, uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; i++) *(*at)++ = (uint8_t)(value >> 8 * (bytes - 1 - i));
}

/* The protocol's struct stat, big-endian. */
static void describe_file(struct server *server, const char *text) {
  enum { STAT = 64, REGULAR = 0100444 };
  uint8_t bytes[STAT], *at = bytes;
  struct stat info = {0};
  const struct served_file *file = file_of(server, &text);
  if (!file) {
    fail(server, EBADF);
    return;
  }
  info.st_mode = REGULAR;
  info.st_size = (off_t)file->count;
  if (file->fd >= 0) fstat(file->fd, &info);
  put_number(&at, 0, 4);
  put_number(&at, (uint64_t)info.st_ino, 4);
  put_number(&at, info.st_mode, 4);
  put_number(&at, 1, 4);
  put_number(&at, info.st_uid, 4);
  put_number(&at, info.st_gid, 4);
  put_number(&at, 0, 4);
  put_number(&at, (uint64_t)info.st_size, 8);
  put_number(&at, 4096, 8);
  put_number(&at, (uint64_t)info.st_blocks, 8);
  for (int i = 0; i < 3; i++) put_number(&at, (uint64_t)info.st_mtime, 4);
  reply_text(&server->reply, "F%x;", STAT);
  reply_binary(&server->reply, bytes, sizeof bytes);
}

static void read_link(struct server *server, const char *text) {
  char path[RECORDING_PATH_MAX], to[RECORDING_PATH_MAX];
  const char *name = "";
  size_t n = packet_bytes(text, path, sizeof path - 1);
  path[n] = 0;
  int slot = process_of(server, path, &name);
  ssize_t length = -1;
  errno = ENOENT;
  if (slot >= 0 && !strcmp(name, "exe")) {
    char *program = target_program(&server->session, (uint32_t)slot);
    if (program) length = snprintf(to, sizeof to, "%s", program);
    free(program);
  } else if (slot >= 0 && !strcmp(name, "cwd")) {
    const char *directory = recording_get(server->session.reader, "directory", 0);
    if (directory) length = snprintf(to, sizeof to, "%s", directory);
  } else if (strncmp(path, "/proc/", 6)) {
    length = readlink(path, to, sizeof to);
  }
  if (length < 0) {
    fail(server, errno);
    return;
  }
  reply_text(&server->reply, "F%zx;", (size_t)length);
  reply_binary(&server->reply, to, (size_t)length);
}

void files_answer(struct server *server, const char *packet) {
  static const struct {
    const char *name;
    void (*answer)(struct server *, const char *);
  } operations[] = {
      {"open:", open_file}, {"pread:", read_file}, {"fstat:", describe_file}, {"readlink:", read_link}};
  for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
    size_t n = strlen(operations[i].name);
    if (strncmp(packet, operations[i].name, n)) continue;
    operations[i].answer(server, packet + n);
    return;
  }
  if (!strncmp(packet, "setfs:", 6)) {
    reply_text(&server->reply, "F0");
  } else if (!strncmp(packet, "close:", 6)) {
    packet += 6;
    struct served_file *file = file_of(server, &packet);
    if (file) close_file(file);
    if (file)
      reply_text(&server->reply, "F0");
    else
      fail(server, EBADF);
  } else if (!strncmp(packet, "pwrite:", 7) || !strncmp(packet, "unlink:", 7)) {
    fail(server, EROFS);
  }
}
