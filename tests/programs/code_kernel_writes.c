/* System calls that write into executable memory: read, readv, pread, recv and writes to the own process. */
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "jit.h"

int main(void) {
  int pipe_fd[2], pair[2], file = memfd_create("code", 0), mem = open("/proc/self/mem", O_RDWR);
  CHECK(pipe(pipe_fd) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0 && file >= 0 && mem >= 0);
  byte *p = jit_map(2 * JIT_PAGE), f[JIT_CONSTANT_SIZE];
  uint32_t sum = 0;
  for (uint32_t i = 0; i < 300; i++) {
    byte *at = p + i % 5 * 1023 / JIT_ALIGN * JIT_ALIGN; /* one of the places lies across the two pages */
    struct iovec in[2] = {{at, 2}, {at + 2, sizeof f - 2}}, out = {f, sizeof f}, whole = {at, sizeof f};
    ssize_t n = sizeof f;
    jit_constant(f, i * 6 + 0);
    CHECK(write(pipe_fd[1], f, sizeof f) == n && read(pipe_fd[0], at, sizeof f) == n);
    CHECK(jit_call_new(at) == i * 6);
    jit_constant(f, i * 6 + 1);
    CHECK(write(pipe_fd[1], f, sizeof f) == n && readv(pipe_fd[0], in, 2) == n);
    CHECK(jit_call_new(at) == i * 6 + 1);
    jit_constant(f, i * 6 + 2);
    CHECK(pwrite(file, f, sizeof f, 0) == n && pread(file, at, sizeof f, 0) == n);
    CHECK(jit_call_new(at) == i * 6 + 2);
    jit_constant(f, i * 6 + 3);
    CHECK(send(pair[0], f, sizeof f, 0) == n && recv(pair[1], at, sizeof f, 0) == n);
    CHECK(jit_call_new(at) == i * 6 + 3);
    jit_constant(f, i * 6 + 4);
    if (process_vm_writev(getpid(), &out, 1, &whole, 1, 0) != n) /* not in every kernel */
      CHECK(errno == ENOSYS && pwrite(mem, f, sizeof f, (off_t)(uintptr_t)at) == n);
    CHECK(jit_call_new(at) == i * 6 + 4);
    jit_constant(f, i * 6 + 5);
    CHECK(pwrite(mem, f, sizeof f, (off_t)(uintptr_t)at) == n);
    CHECK(jit_call_new(at) == i * 6 + 5);
    sum += jit_call(at);
  }
  printf("sum %u\n", sum);
  return 0;
}
