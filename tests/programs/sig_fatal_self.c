/* A program that ends itself by a signal reports that signal as its own end, after writing what it had to
 * say. */
#include "sys_helpers.h"
int main(void) {
  no_core();
  say("about to end by SIGQUIT\n");
  raise(SIGQUIT);
  say("not reached\n");
  return 0;
}
