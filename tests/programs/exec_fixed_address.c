/* A program linked at a fixed low address is loaded exactly there, its heap follows it, and data keep their
 * place. */
/* cflags: -no-pie */
#include "sys_helpers.h"
#include <link.h>
#include <sys/auxv.h>

static int data = 3;
extern char __ehdr_start[], etext[], edata[], end[];

int main(void) {
  say("start %p main inside %d data inside %d\n", (void *)__ehdr_start,
      (char *)main > __ehdr_start && (char *)main < etext, (char *)&data < edata && (char *)&data > etext);
  say("entry %d headers %d\n", getauxval(AT_ENTRY) == ((Elf64_Ehdr *)__ehdr_start)->e_entry,
      getauxval(AT_PHDR) == (unsigned long)__ehdr_start + 64);
  char *heap = sbrk(0);
  say("heap after the program %d\n", heap >= end && heap < end + (1L << 33));
  return data;
}
