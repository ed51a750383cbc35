/* image.h: the headers of an ELF file, read and judged before anything is mapped (image.c). */
#ifndef REPRISE_ENGINE_IMAGE_H
#define REPRISE_ENGINE_IMAGE_H

#include <linux/elf.h>

#include "engine/base/config.h"
#include "engine/base/os.h"

enum { IMAGE_HEADERS_MAX = 65536 / sizeof(Elf64_Phdr) }; /* the kernel's limit */

struct image {
  int fd;
  Elf64_Ehdr header;
  Elf64_Phdr segments[IMAGE_HEADERS_MAX]; /* header.e_phnum of them */
  char interpreter[ENGINE_PATH_MAX];      /* PT_INTERP, or "" */
  uintptr_t place; /* where it must be mapped, 0: anywhere; then where it was, and how much */
  size_t extent;
  const char *problem; /* why it was refused, for the user */
};

/* Fills image from an open file, judging it as the kernel's loader does before the point of no return: 0, or the
 * error execve would have given, with image->problem set. */
long image_read(int fd, struct image *image);
/* The same for an open file that is to be an interpreter. */
long image_read_as_interpreter(int fd, struct image *image);
/* The same for the file named by PT_INTERP; opens it (image->fd) and leaves it open on success. */
long image_read_interpreter(const char *path, struct image *image);

/* Refuses a file that lacks some of its segments. The kernel does not check, and such a program dies half-way. */
long image_check_complete(struct image *image);

/* Opens a file as execve does: regular, executable, on a file system that allows it. Also readable, which the
 * kernel would not ask for. The descriptor is close-on-exec. -errno on failure. */
long image_open(int directory, const char *path, int flags);

#endif
