/* files.c: files of the host: written, read in pieces and at places, mapped, renamed descriptors, vectors; what does not exist. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "program.h"

int main(void) {
  static char buffer[20000], again[20000];
  struct stat about;
  uint64_t state = 5;
  int file = open("made", O_RDWR | O_CREAT | O_TRUNC, 0600);
  CHECK(file >= 3);
  for (size_t i = 0; i < sizeof buffer; i++) buffer[i] = (char)next_random(&state);
  CHECK(write(file, buffer, sizeof buffer) == sizeof buffer);
  CHECK(lseek(file, 0, SEEK_SET) == 0 && read(file, again, 7777) == 7777);
  CHECK(read(file, again + 7777, sizeof again - 7777) == (ssize_t)sizeof again - 7777);
  CHECK(!memcmp(buffer, again, sizeof buffer) && read(file, again, 1) == 0);
  CHECK(pread(file, again, 100, 19950) == 50 && !memcmp(again, buffer + 19950, 50));
  CHECK(!fstat(file, &about) && S_ISREG(about.st_mode) && about.st_size == 20000);
  char *mapped = mmap(NULL, 20000, PROT_READ, MAP_PRIVATE, file, 4096);
  CHECK(mapped != MAP_FAILED && !memcmp(mapped, buffer + 4096, 20000 - 4096));
  int other = dup(file);
  CHECK(other > file && dup2(other, 30) == 30 && fcntl(30, F_GETFD) == 0 && !close(other));
  struct iovec parts[3] = {{buffer, 10}, {NULL, 0}, {buffer + 10, 20}};
  CHECK(writev(30, parts, 3) == 30 && lseek(file, 0, SEEK_CUR) == 20030);
  CHECK(!ftruncate(file, 5) && !fstat(file, &about) && about.st_size == 5);
  CHECK(open("absent", O_RDONLY) == -1 && errno == ENOENT);
  CHECK(read(99, buffer, 1) == -1 && errno == EBADF);
  void *volatile nowhere = (void *)8;
  CHECK(write(1, nowhere, 10) == -1 && errno == EFAULT);
  CHECK(!fsync(file) && !fdatasync(file) && fsync(99) == -1 && errno == EBADF);
  CHECK(!mkdir("folder", 0700) && !rename("made", "folder/moved") && access("made", R_OK) == -1);
  DIR *folder = opendir("folder");
  unsigned entries = 0, moved = 0;
  for (struct dirent *entry; folder && (entry = readdir(folder)); entries++)
    moved += !strcmp(entry->d_name, "moved");
  CHECK(folder && !closedir(folder) && entries == 3 && moved == 1);
  CHECK(!rename("folder/moved", "made") && !rmdir("folder"));
  CHECK(!access("made", R_OK) && !unlink("made") && access("made", R_OK) == -1);
  CHECK(getcwd(buffer, sizeof buffer) && buffer[0] == '/');
  CHECK(readlink("/proc/self/exe", buffer, sizeof buffer) > 0);
  FILE *stream = fopen("/proc/self/nothing", "r");
  CHECK(!stream);
  puts("good");
  return 0;
}
