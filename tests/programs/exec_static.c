/* A statically linked program runs, sees its own image and headers, uses threads, and executes others. */
/* cflags: -static */
#include "exec_helpers.h"
#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <sys/auxv.h>

static __thread int private = 7;
extern const char __ehdr_start[];

static void *thread(void *argument) {
  private += (int)(long)argument;
  return (void *)(long)private;
}

int main(int argc, char **argv) {
  if (argc > 1) return 12;
  const Elf64_Ehdr *header = (const Elf64_Ehdr *)__ehdr_start;
  unsigned long base = header->e_type == ET_DYN ? (unsigned long)__ehdr_start : 0;
  say("type %d entry matches %d headers match %d no interpreter %d\n", header->e_type,
      getauxval(AT_ENTRY) == base + header->e_entry,
      getauxval(AT_PHDR) == (unsigned long)__ehdr_start + header->e_phoff, getauxval(AT_BASE) == 0);
  void *result;
  pthread_t worker;
  CHECK(pthread_create(&worker, NULL, thread, (void *)5L) == 0 && pthread_join(worker, &result) == 0);
  say("thread's own %ld, ours %d\n", (long)result, private);
  char *arguments[] = {argv[0], "again", NULL}, *environment[] = {NULL};
  execute("static executes static", "/proc/self/exe", arguments, environment);
  char *shell[] = {"sh", "-c", "echo dynamic; exit 13", NULL};
  execute("static executes dynamic", "/bin/sh", shell, environment);
  return 0;
}
