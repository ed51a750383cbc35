/* How AddressSanitizer behaves in the command that is built with it (make SANITIZE=1): tests start it with next to no environment. */

const char *__asan_default_options(void);

/* Tests preload libraries of their own, and look at core files. The command leaves its memory to the kernel when it ends. */
const char *__asan_default_options(void) {
  return "verify_asan_link_order=0:detect_leaks=0:disable_coredump=0";
}
