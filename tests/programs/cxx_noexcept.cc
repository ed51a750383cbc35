// An exception that leaves a noexcept function ends in std::terminate: handler, stderr text, SIGABRT.
#include <sys/resource.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <thread>

#include "check.h"

__attribute__((noinline)) static void thrower(int x) {
  if (x) throw std::runtime_error("escaped");
}

static void sealed() noexcept {
  thrower(1);
}

static void with_handler() {
  std::set_terminate([] {
    try {
      std::rethrow_exception(std::current_exception());
    } catch (const std::exception &e) {
      std::printf("terminate handler: %s\n", e.what());
    }
    std::fflush(stdout);
    std::_Exit(5);
  });
  sealed();
}

static void in_thread() {
  std::thread([] { thrower(1); }).join();
}

static void child_of(void (*body)()) {
  std::fflush(stdout);
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    body();
    std::_Exit(0);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child);
  std::printf("exited %d, signal %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1,
              WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

int main() {
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  child_of(with_handler);
  child_of(sealed);
  child_of(in_thread);
  child_of([] { throw 3; });
  std::fflush(stdout);
  sealed();
}
