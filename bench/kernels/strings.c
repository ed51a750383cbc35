/* String functions: the C library's strlen, strchr, strcmp, memcpy, memchr and strstr on lines of the length
   that configuration files and logs have. Each call goes through the dynamic linker's table and a function
   chosen at run time. */
#include <string.h>

#include "kernel.h"

enum { LINES = 2000, LINE_MAX_SIZE = 160 };

static char lines[LINES][LINE_MAX_SIZE];

static void make_lines(void) {
  uint64_t random = 777767777u;
  for (int i = 0; i < LINES; i++) {
    int key_length = 4 + (int)(kernel_random(&random) % 20);
    int value_length = 4 + (int)(kernel_random(&random) % 110);
    char *p = lines[i];
    for (int j = 0; j < key_length; j++) *p++ = (char)('a' + kernel_random(&random) % 6);
    *p++ = '=';
    for (int j = 0; j < value_length; j++) *p++ = (char)(' ' + kernel_random(&random) % 90);
    *p = '\0';
  }
}

/* Splits one line into key and value, compares it with its neighbour, looks for a word and a separator. */
static uint64_t use_line(const char *line, const char *neighbour) {
  char key[LINE_MAX_SIZE], value[LINE_MAX_SIZE];
  size_t length = strlen(line);
  const char *equals = strchr(line, '=');
  size_t key_length = (size_t)(equals - line);
  memcpy(key, line, key_length);
  key[key_length] = '\0';
  memcpy(value, equals + 1, length - key_length);

  uint64_t sum = length * 3 + key_length;
  int order = strcmp(key, neighbour);
  sum += order < 0 ? 5 : 7;
  const char *space = memchr(value, '#', length - key_length - 1);
  if (space) sum += (uint64_t)(space - value);
  if (strstr(key, "abc")) sum += 11;
  if (strncmp(line, neighbour, 2) == 0) sum += 13;
  return sum + strlen(key) * strlen(value);
}

int main(int argc, char **argv) {
  long rounds = kernel_rounds(argc, argv, 5000);
  make_lines();
  uint64_t sum = 0;
  for (long i = 0; i < rounds; i++) {
    for (int j = 0; j < LINES; j++) sum = sum * 31 + use_line(lines[j], lines[(j + i) % LINES]);
  }
  return kernel_report("strings", sum);
}
