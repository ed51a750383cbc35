/* emulated.c: part of the command in a cross build: the engine is started under qemu-user, because the kernel could not.
 *
 * Everything else of the command is the ordinary one of this machine, so its manager records and replays what
 * runs in the emulator. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int __real_execve(const char *path, char *const argv[], char *const envp[]);
int __wrap_execve(const char *path, char *const argv[], char *const envp[]);

int __wrap_execve(const char *path, char *const argv[], char *const envp[]) {
  size_t count = 0, options = 0;
  while (argv[count]) count++;
  char **with_emulator = calloc(count + 6, sizeof *with_emulator);
  if (!with_emulator) {
    errno = ENOMEM;
    return -1;
  }
  static char emulator[] = "/usr/bin/" EMULATOR, library[] = "-L", root[] = TARGET_ROOT, name[] = "-0";
  with_emulator[options++] = emulator;
  with_emulator[options++] = library;
  with_emulator[options++] = root;
  with_emulator[options++] = name;
  with_emulator[options++] = count ? argv[0] : emulator;
  with_emulator[options] = strdup(path);
  for (size_t i = 1; i < count; i++) with_emulator[options + i] = argv[i];
  return __real_execve(emulator, with_emulator, envp);
}
