/* image.c: reading and judging ELF headers. See image.h.
 *
 * The file is hostile: every offset and count is checked before use. The order of the checks and the errors are those
 * of the kernel, so that a program that probes them with execve sees no difference. */
#include "engine/start/image.h"

#include <linux/fcntl.h>
#include <linux/stat.h>

#include "engine/base/arch.h"
#include "engine/base/file_state.h"
#include "engine/base/lib.h"

#ifndef AT_EACCESS
#define AT_EACCESS 0x200
#endif

static long refuse(struct image *image, long error, const char *problem) {
  image->problem = problem;
  return error;
}

static bool read_all(int fd, void *to, size_t bytes, uint64_t offset) {
  for (size_t done = 0; done < bytes;) {
    long n = os_call4(__NR_pread64, fd, (char *)to + done, bytes - done, offset + done);
    if (n <= 0) return false;
    done += (size_t)n;
  }
  return true;
}

static long check_header(struct image *image) {
  const Elf64_Ehdr *h = &image->header;
  if (memcmp(h->e_ident, ELFMAG, SELFMAG)) return refuse(image, -ENOEXEC, "not an executable file format");
  if (h->e_ident[EI_CLASS] == ELFCLASS32)
    return refuse(image, -ENOEXEC, "a 32-bit program, which is not supported");
  if (h->e_ident[EI_CLASS] != ELFCLASS64) return refuse(image, -ENOEXEC, "a damaged ELF file (class)");
  if (h->e_machine != ARCH_ELF_MACHINE)
    return refuse(image, -ENOEXEC, "a program for another processor architecture");
  if (h->e_type != ET_EXEC && h->e_type != ET_DYN)
    return refuse(image, -ENOEXEC, "an ELF file that is not a program");
  if (h->e_phentsize != sizeof(Elf64_Phdr) || !h->e_phnum || h->e_phnum > IMAGE_HEADERS_MAX)
    return refuse(image, -ENOEXEC, "a damaged ELF file (program headers)");
  return 0;
}

static long read_headers(int fd, struct image *image) {
  image->fd = fd;
  image->place = 0;
  image->problem = NULL;
  image->interpreter[0] = 0;
  memset(&image->header, 0, sizeof image->header);
  if (!read_all(fd, &image->header, sizeof image->header, 0)) {
    bool elf = !memcmp(image->header.e_ident, ELFMAG, SELFMAG);
    return refuse(image, -ENOEXEC, elf ? "a truncated ELF file" : "not an executable file format");
  }
  long result = check_header(image);
  if (result) return result;
  if (!read_all(fd, image->segments, image->header.e_phnum * sizeof(Elf64_Phdr), image->header.e_phoff))
    return refuse(image, -ENOEXEC, "a truncated ELF file (program headers)");
  return 0;
}

static long read_interpreter_name(struct image *image, const Elf64_Phdr *segment) {
  if (segment->p_filesz < 2 || segment->p_filesz > ENGINE_PATH_MAX)
    return refuse(image, -ENOEXEC, "a damaged ELF file (interpreter name)");
  if (!read_all(image->fd, image->interpreter, segment->p_filesz, segment->p_offset))
    return refuse(image, -EIO, "a truncated ELF file (interpreter name)");
  if (image->interpreter[segment->p_filesz - 1])
    return refuse(image, -ENOEXEC, "a damaged ELF file (interpreter name)");
  return 0;
}

long image_read(int fd, struct image *image) {
  long result = read_headers(fd, image);
  for (unsigned i = 0; !result && i < image->header.e_phnum; i++) {
    if (image->segments[i].p_type != PT_INTERP) continue;
    return read_interpreter_name(image, &image->segments[i]);
  }
  return result;
}

long image_read_interpreter(const char *path, struct image *image) {
  long fd = image_open(AT_FDCWD, path, 0);
  if (fd < 0)
    return refuse(image, fd,
                  fd == -ENOENT ? "its interpreter is missing" : "its interpreter is not executable");
  return image_read_as_interpreter((int)fd, image);
}

long image_read_as_interpreter(int fd, struct image *image) {
  long result = read_headers(fd, image);
  if (!result) return 0;
  os_call1(__NR_close, fd);
  return refuse(image, -ELIBBAD, "its interpreter is not a program of this machine");
}

long image_check_complete(struct image *image) {
  struct statx info;
  if (file_state(image->fd, "", &info)) return 0;
  for (unsigned i = 0; i < image->header.e_phnum; i++) {
    const Elf64_Phdr *s = &image->segments[i];
    if (s->p_type == PT_LOAD && (s->p_filesz > info.stx_size || s->p_offset > info.stx_size - s->p_filesz))
      return refuse(image, -ENOEXEC, "a truncated ELF file (segments)");
  }
  return 0;
}

/* 0 if the caller may execute a file; where there is no faccessat2, by its name and for the real user. */
static long check_executable(int look, const char *name) {
  enum { EXECUTE = 1 };
  long result = os_call4(__NR_faccessat2, look, "", EXECUTE, AT_EACCESS | AT_EMPTY_PATH);
  if (result != -ENOSYS && result != -EPERM) return result;
  result = os_call3(__NR_faccessat, AT_FDCWD, name, EXECUTE);
  return result == -ENOENT ? 0 : result; /* unknown without /proc */
}

long image_open(int directory, const char *path, int flags) {
  long look = os_call4(__NR_openat, directory, path,
                       O_PATH | O_CLOEXEC | (flags & AT_SYMLINK_NOFOLLOW ? O_NOFOLLOW : 0), 0);
  if (look == -ENOENT && !path[0] && (flags & AT_EMPTY_PATH))
    look = os_call3(__NR_fcntl, directory, F_DUPFD_CLOEXEC, 0);
  if (look < 0) return look;
  struct statx info;
  long result = file_state((int)look, "", &info);
  if (!result && S_ISLNK(info.stx_mode)) result = -ELOOP;
  if (!result && !S_ISREG(info.stx_mode)) result = -EACCES;
  char self[32];
  format(self, sizeof self, "/proc/self/fd/%ld", look);
  if (!result) result = check_executable((int)look, self);
  if (!result) {
    result = os_call4(__NR_openat, AT_FDCWD, self, O_RDONLY | O_CLOEXEC, 0);
    /* Without /proc the name has to do. */
    if (result == -ENOENT) result = os_call4(__NR_openat, directory, path, O_RDONLY | O_CLOEXEC, 0);
  }
  os_call1(__NR_close, look);
  return result;
}
