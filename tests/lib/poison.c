/* poison.c: stored code (the code cache that lasts) that was damaged, and what a program does with it.
 *
 *     poison FOLDER FROM TO COMMAND [ARGUMENT]…
 *
 * FOLDER has code that COMMAND, which runs, records or replays a program, has stored or can use. For each seed from FROM up to TO (not included) one of the files
 * is damaged, in one of these ways in turn: bytes, its length, more at its end, a piece copied over another, the table, a field of the header with the digest
 * put right, another file under its name. The command is executed with that; it must print what it prints without stored code, and end alike, within a minute. What
 * fails is told with its seed. The last line is "N passed, N failed". */
#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "contract/stored_code.h"
#include "input/digest.h"

enum { FILES = 64, OUTPUT = 1 << 16, SECONDS = 60, WAYS = 7, FIELDS = 6 };

static struct file {
  char path[4096];
  uint8_t *bytes;
  size_t length;
} files[FILES];
static unsigned file_count;
static uint64_t state;

static uint64_t draw(uint64_t below) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return state % below;
}

static void stop(const char *what) {
  perror(what);
  exit(2);
}

static void read_file(struct file *file) {
  FILE *from = fopen(file->path, "r");
  struct stat info;
  if (!from || fstat(fileno(from), &info)) stop(file->path);
  file->length = (size_t)info.st_size;
  file->bytes = malloc(file->length);
  if (!file->bytes || fread(file->bytes, 1, file->length, from) != file->length) stop(file->path);
  fclose(from);
}

static void read_folder(const char *path) {
  DIR *folder = opendir(path);
  if (!folder) stop(path);
  for (const struct dirent *entry; (entry = readdir(folder)) && file_count < FILES;) {
    if (entry->d_name[0] == '.') continue;
    struct file *file = &files[file_count++];
    snprintf(file->path, sizeof file->path, "%s/%s", path, entry->d_name);
    read_file(file);
  }
  closedir(folder);
  if (!file_count) exit((fprintf(stderr, "poison: no code is stored in %s\n", path), 2));
}

static void write_file(const struct file *file, const uint8_t *bytes, size_t length) {
  unlink(file->path); /* the engine may have put another one there */
  int fd = open(file->path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (fd < 0 || write(fd, bytes, length) != (ssize_t)length || close(fd)) stop(file->path);
}

static void change_header(uint8_t *bytes, unsigned field, bool large) {
  struct lasting_header header;
  memcpy(&header, bytes, sizeof header);
  uint64_t seed = header.maker, value = large ? ~draw(1 << 20) : draw(1 << 20);
  switch (field) {
    case 0:
      header.magic = value;
      break;
    case 1:
      header.maker = value;
      break;
    case 2:
      header.file = value;
      break;
    case 3:
      header.bytes = value;
      break;
    case 4:
      header.records = (uint32_t)value;
      break;
    default:
      header.slots = draw(2) ? (uint32_t)value : 1u << draw(32);
  }
  header.digest = input_digest(seed, &header.magic, sizeof header - sizeof header.digest);
  memcpy(bytes, &header, sizeof header);
}

static void damage(const struct file *file, unsigned number) {
  uint8_t *bytes = malloc(2 * file->length);
  size_t length = file->length;
  struct lasting_header header;
  memcpy(bytes, file->bytes, length);
  memcpy(&header, bytes, sizeof header);
  size_t table = header.slots * 8UL;
  switch (number % WAYS) {
    case 0:
      for (uint64_t n = 1 + draw(200); n; n--) bytes[draw(length)] ^= (uint8_t)(1 + draw(255));
      break;
    case 1:
      length = draw(length);
      break;
    case 2:
      for (size_t i = 0; i < 4096; i++) bytes[length + i % length] = (uint8_t)draw(256);
      length += 1 + draw(length < 4096 ? length : 4096);
      break;
    case 3: {
      size_t piece = 1 + draw(length / 2);
      memmove(bytes + draw(length - piece), bytes + draw(length - piece), piece);
      break;
    }
    case 4:
      for (uint64_t n = 1 + draw(1000); n; n--) bytes[sizeof header + draw(table)] = (uint8_t)draw(256);
      break;
    case 5:
      change_header(bytes, number / WAYS % FIELDS, number / WAYS / FIELDS % 2);
      break;
    default: {
      const struct file *other = &files[draw(file_count)];
      free(bytes);
      write_file(file, other->bytes, other->length);
      return;
    }
  }
  write_file(file, bytes, length);
  free(bytes);
}

/* The program's output, and its status at the end. */
static size_t run(char **argv, char *output) {
  int ends[2], status;
  size_t length = 0;
  if (pipe(ends)) stop("pipe");
  pid_t child = fork();
  if (!child) {
    alarm(SECONDS);
    dup2(ends[1], 1), dup2(ends[1], 2);
    close(ends[0]), close(ends[1]);
    execv(argv[0], argv);
    _exit(127);
  }
  close(ends[1]);
  for (ssize_t n; (n = read(ends[0], output + length, OUTPUT - 32 - length)) > 0;) length += (size_t)n;
  close(ends[0]);
  if (waitpid(child, &status, 0) < 0) stop("waitpid");
  return length + (size_t)sprintf(output + length, " status %x", (unsigned)status);
}

int main(int argc, char **argv) {
  static char expected[OUTPUT], output[OUTPUT];
  if (argc < 5) return 2;
  unsigned passed = 0, failed = 0;
  setenv("REPRISE_CACHE", "off", 1);
  size_t wanted = run(argv + 4, expected);
  setenv("REPRISE_CACHE", argv[1], 1);
  read_folder(argv[1]);
  for (long seed = atol(argv[2]); seed < atol(argv[3]); seed++) {
    state = (uint64_t)seed * 0x9e3779b97f4a7c15 + 88172645463325252;
    struct file *file = &files[draw(file_count)];
    damage(file, (unsigned)seed);
    if (run(argv + 4, output) != wanted || memcmp(output, expected, wanted)) {
      printf("seed %ld (%s): %.*s\n", seed, file->path, (int)sizeof output, output);
      failed++;
    } else {
      passed++;
    }
    write_file(file, file->bytes, file->length);
  }
  printf("%u passed, %u failed\n", passed, failed);
  return failed != 0;
}
