/* poison.c: stored code (the code cache that lasts) that was damaged, and what a program does with it.
 *
 *     poison REPRISE FOLDER FROM TO PROGRAM [ARGUMENT]…
 *
 * FOLDER has code that a run of the PROGRAM has stored. For each seed from FROM up to TO (not included) one of the files is damaged, in one of these ways: bytes, its length, a
 * piece copied over another, the table, a field of the header with the digest put right, another file under its name. The program runs with that; it must
 * print what it prints without stored code, and end alike. What fails is told with its seed. The last line is "N passed, N failed". */
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "input/digest.h"

enum { FILES = 64, OUTPUT = 1 << 16 };

/* As in engine/code/lasting_format.h. */
struct header {
  uint64_t digest, magic, maker, file, bytes;
  uint32_t records, slots;
};

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

static void change_header(uint8_t *bytes) {
  struct header header;
  memcpy(&header, bytes, sizeof header);
  uint64_t seed = header.maker, value = draw(2) ? draw(UINT64_MAX) : draw(1 << 20);
  switch (draw(6)) {
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

static void damage(const struct file *file) {
  uint8_t *bytes = malloc(2 * file->length);
  size_t length = file->length;
  struct header header;
  memcpy(bytes, file->bytes, length);
  memcpy(&header, bytes, sizeof header);
  size_t table = header.slots * 8UL;
  switch (draw(7)) {
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
      change_header(bytes);
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
  static char expected[OUTPUT], output[OUTPUT], *line[64];
  if (argc < 6 || argc > 60) return 2;
  unsigned passed = 0, failed = 0, n = 0;
  line[n++] = argv[1], line[n++] = "run", line[n++] = "--no-cache", line[n++] = "--";
  for (int i = 5; i < argc; i++) line[n++] = argv[i];
  size_t wanted = run(line, expected);
  line[2] = "--check=none"; /* as without it */
  setenv("REPRISE_CACHE", argv[2], 1);
  read_folder(argv[2]);
  for (long seed = atol(argv[3]); seed < atol(argv[4]); seed++) {
    state = (uint64_t)seed * 0x9e3779b97f4a7c15 + 88172645463325252;
    struct file *file = &files[draw(file_count)];
    damage(file);
    if (run(line, output) != wanted || memcmp(output, expected, wanted)) {
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
