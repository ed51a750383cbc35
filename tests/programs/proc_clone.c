/* clone's flags one by one: shared memory, shared descriptors, shared directory, tid words, another end
 * signal, clone3. */
#include "sys_helpers.h"
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/mman.h>
#include <sys/syscall.h>

static volatile int value, child_word, parent_word;
static volatile int opened;
static char *stack_top;

static int body(void *argument) {
  value += (int)(long)argument;
  opened = open("/dev/null", O_RDONLY);
  CHECK(chdir("/usr") == 0);
  umask(0);
  CHECK(child_word == 0 || child_word == gettid());
  return 10 + (int)(long)argument;
}

static void run(const char *what, int flags, int add) {
  char here[4096];
  value = 100, child_word = parent_word = 0, opened = -1;
  CHECK(chdir("/") == 0);
  pid_t child = clone(body, stack_top, flags, (void *)(long)add, &parent_word, NULL, &child_word);
  CHECK(child > 0);
  int status = 0;
  CHECK(waitpid(child, &status, __WALL) == child);
  say("%s: exit %d value %d", what, WEXITSTATUS(status), value);
  say(" its descriptor %s directory %s parent's word %d\n",
      opened < 0 ? "unseen" : outcome(fcntl(opened, F_GETFD)), getcwd(here, sizeof here),
      flags & CLONE_PARENT_SETTID ? parent_word == child : parent_word == 0);
}

static void on_signal(int sig, siginfo_t *info, void *context) {
  (void)context;
  say("end signal SIG%s code %d status %d\n", sigabbrev_np(sig), info->si_code, info->si_status);
}

int main(void) {
  stack_top = (char *)mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) + 65536;
  run("plain", SIGCHLD, 1);
  run("CLONE_VM", SIGCHLD | CLONE_VM, 2);
  run("CLONE_FILES", SIGCHLD | CLONE_FILES, 3);
  run("CLONE_FS", SIGCHLD | CLONE_FS, 4);
  run("VM FILES FS", SIGCHLD | CLONE_VM | CLONE_FILES | CLONE_FS, 5);
  run("VM VFORK", SIGCHLD | CLONE_VM | CLONE_VFORK, 6);
  run("PARENT_SETTID", SIGCHLD | CLONE_PARENT_SETTID, 7);
  run("CHILD_SETTID", SIGCHLD | CLONE_CHILD_SETTID, 8);
  run("CHILD_CLEARTID in shared memory", SIGCHLD | CLONE_VM | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID, 9);
  say("cleared word %d\n", child_word);
  handle(SIGUSR1, on_signal, SA_RESTART);
  run("another end signal", SIGUSR1, 10);
  run("no end signal", 0, 11);
  struct clone_args arguments = {
      .exit_signal = SIGCHLD, .flags = CLONE_PARENT_SETTID, .parent_tid = (unsigned long)&parent_word};
  pid_t child = (pid_t)syscall(SYS_clone3, &arguments, sizeof arguments);
  if (child == 0) _exit(44);
  if (child > 0)
    say("word %d ", parent_word == child), say_status("clone3", reap(child));
  else
    say("clone3: %s\n", strerrorname_np(errno));
  say("sighand without vm: %s\n", outcome(syscall(SYS_clone, CLONE_SIGHAND | SIGCHLD, 0, 0, 0, 0)));
  say("thread without sighand: %s\n",
      outcome(syscall(SYS_clone, CLONE_THREAD | CLONE_VM | SIGCHLD, 0, 0, 0, 0)));
  return 0;
}
