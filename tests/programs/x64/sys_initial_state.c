/* What a program starts with: stack alignment and layout, float controls, direction flag, constructors'
 * arguments. */
#include "sys_helpers.h"
#include <elf.h>
#include <sys/auxv.h>

extern char **environ;
static int seen_count;
static char **seen_arguments, **seen_environment;

__attribute__((constructor(200))) static void early(int argc, char **argv, char **envp) {
  seen_count = argc, seen_arguments = argv, seen_environment = envp;
}

int main(int argc, char **argv, char **envp) {
  unsigned mxcsr;
  unsigned short control;
  long flags;
  __asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
  __asm__ volatile("fnstcw %0" : "=m"(control));
  __asm__ volatile("pushf\n pop %0" : "=r"(flags));
  say("mxcsr %x control %x direction %ld trap %ld alignment check %ld\n", mxcsr, control, flags >> 10 & 1,
      flags >> 8 & 1, flags >> 18 & 1);
  say("constructor saw the same %d\n",
      seen_count == argc && seen_arguments == argv && seen_environment == envp);
  say("the count is below the arguments %d\n", ((long *)argv)[-1] == argc);
  say("the stack started aligned %d\n", ((long)argv - 8) % 16 == 0);
  say("environment follows %d\n", environ == argv + argc + 1 && argv[argc] == NULL);
  char **end = environ;
  while (*end) end++;
  Elf64_auxv_t *vector = (Elf64_auxv_t *)(end + 1);
  int found = 0;
  for (; vector->a_type != AT_NULL; vector++)
    if (vector->a_type == AT_PAGESZ) found = vector->a_un.a_val == 4096;
  say("vector follows %d\n", found);
  int packed = 1;
  for (int i = 0; i + 1 < argc; i++) packed &= argv[i + 1] == argv[i] + strlen(argv[i]) + 1;
  for (char **p = environ; *p && p[1]; p++) packed &= p[1] == *p + strlen(*p) + 1;
  say("strings packed in order %d, above the vector %d\n", packed, argv[0] > (char *)vector);
  char *name = (char *)getauxval(AT_EXECFN), *top = name + strlen(name) + 1;
  say("file name last, eight zero bytes end the stack %d\n",
      memcmp(top, "\0\0\0\0\0\0\0", 8) == 0 && (long)(top + 8) % 4096 == 0);
  unsigned char *random = (unsigned char *)getauxval(AT_RANDOM);
  int different = 0;
  for (int i = 1; i < 16; i++) different |= random[i] != random[0];
  say("random bytes %d\n", different);
  return 0;
}
