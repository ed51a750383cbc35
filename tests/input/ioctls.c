/* ioctls.c: the tables and rules of ioctl against all numbers in the kernel's headers (tools/ioctls.sh), and the rule for numbers that nobody
 * knows. */
#include "input/ioctl.h"

#include <asm/ioctl.h>
#include <sys/syscall.h>

#include "trial.h"

enum { LEAST = 1500 }; /* numbers that any kernel's headers have */

/* A number without a size is in the table, or of a family that looks through no address. One by which the kernel only writes declares no
 * pointer, or is in the table. In what any other gives to the kernel addresses are looked for, all over. */
static bool is_covered(uint32_t number, const char *kind) {
  bool pointer = strstr(kind, "-pointer");
  if (ioctl_command(number)) return true;
  if (!_IOC_SIZE(number)) return !pointer && ioctl_is_plain(number);
  if (!(_IOC_DIR(number) & _IOC_WRITE)) return !pointer;
  return ioctl_suspicious(number) == _IOC_SIZE(number);
}

static unsigned check_headers(void) {
  char line[1024], kind[32], name[128], header[128], what[400];
  unsigned number, seen = 0;
  FILE *lines = popen("\"${SOURCES:-src}\"/../tools/ioctls.sh", "r");
  while (lines && fgets(line, sizeof line, lines)) {
    if (sscanf(line, "%x %31s %127s %127s", &number, kind, name, header) != 4) continue;
    snprintf(what, sizeof what, "%s of %s, 0x%x, %s: a row or a rule", name, header, number, kind);
    trial_check(what, is_covered(number, kind));
    seen++;
  }
  if (lines) pclose(lines);
  return seen;
}

static long read_own(void *context, void *to, uintptr_t from, size_t bytes) {
  extern char __executable_start, end;
  bool here = from >= (uintptr_t)context && from + bytes <= (uintptr_t)context + 4096;
  bool there = from >= (uintptr_t)&__executable_start && from + bytes <= (uintptr_t)&end;
  if (!here && !there) return -EFAULT;
  memcpy(to, (const void *)from, bytes);
  return 0;
}

static long ignore(void *visitor, const struct input_piece *piece) {
  (void)visitor, (void)piece;
  return 0;
}

/* Whether an address at that offset of what a number is given is noticed. */
static bool is_noticed(uint32_t number, size_t offset, uint64_t word) {
  static struct input_call call;
  static _Alignas(4096) uint8_t memory[4096];
  memset(memory, 0, sizeof memory);
  memcpy(memory + offset, &word, sizeof word);
  input_begin(&call, SYS_ioctl, (long[6]){3, (long)number, (long)memory}, read_own, memory);
  input_outgoing(&call, ignore, NULL);
  return call.addressed;
}

static void check_rule(void) {
  static int variable;
  uint64_t address = (uintptr_t)&variable;
  const uint32_t both = _IOC(_IOC_READ | _IOC_WRITE, 0xe7, 1, 40), sent = _IOC(_IOC_WRITE, 0xe7, 2, 40),
                 received = _IOC(_IOC_READ, 0xe7, 3, 40), unsized = _IOC(_IOC_NONE, 0xe7, 4, 0);
  trial_check("an address first", is_noticed(both, 0, address) && is_noticed(sent, 0, address));
  trial_check("an address last", is_noticed(both, 32, address) && is_noticed(sent, 32, address));
  trial_check("an address in a packed structure", is_noticed(both, 20, address));
  trial_check("an address behind the structure", !is_noticed(both, 40, address));
  trial_check("no address", !is_noticed(both, 0, 12345) && !is_noticed(sent, 0, UINT64_MAX));
  trial_check("an address where the kernel only writes", !is_noticed(received, 0, address));
  trial_check("an address without a size", is_noticed(unsized, 8, address));
  trial_check("an address given to a number of the table", !is_noticed(0x5401, 0, address));
  trial_check("turned down",
              input_ioctl_failed(-ENOTTY) && !input_ioctl_failed(0) && !input_ioctl_failed(-EAGAIN));
}

int main(void) {
  check_rule();
  trial_check("the headers' numbers were seen", check_headers() >= LEAST);
  return trial_end();
}
