/* Code generated before and after fork: private pages part ways, shared pages carry over to the parent. */
#include <sys/wait.h>

#include "jit.h"

int main(void) {
  byte *own = jit_map(JIT_PAGE);
  byte *shared = mmap(NULL, JIT_PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(shared != MAP_FAILED);
  jit_constant(own, 1);
  jit_constant(shared, 1);
  CHECK(jit_call(own) == 1 && jit_call(shared) == 1);
  for (uint32_t i = 0; i < 10; i++) {
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      CHECK(jit_call(own) == 1 + i && jit_call(shared) == (i ? 99 + i : 1));
      jit_constant(own, 50);
      jit_constant(shared, 100 + i);
      _exit((int)(jit_call(own) + (jit_call(shared) == 100 + i)));
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 51);
    jit_serialize();
    printf("own %u, shared %u\n", jit_call(own), jit_call(shared));
    fflush(stdout);
    jit_constant(own, 2 + i);
    CHECK(jit_call(own) == 2 + i);
  }
  return 0;
}
