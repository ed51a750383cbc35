/* kernel.c: the kernel as a whole, and the start of a program. */
#include "sim/kernel/kernel.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/kernel/disk.h"
#include "sim/kernel/file_locks.h"
#include "sim/kernel/input_log.h"
#include "sim/kernel/mapped_files.h"
#include "sim/kernel/shared_memory.h"
#include "sim/kernel/timers.h"

enum { FIRST_PID = 1000 };

static struct kernel *kernel_new(struct machine *machine) {
  struct kernel *kernel = calloc(1, sizeof *kernel);
  if (!kernel) return NULL;
  kernel->machine = machine;
  kernel->next_tid = FIRST_PID;
  return kernel;
}

static void kernel_free(struct kernel *kernel) {
  /* Files that are closed wake those that wait for them: nobody does any more. */
  for (struct process *process = kernel->processes; process; process = process->next)
    for (struct task *task = process->tasks; task; task = task->next) wait_forget(task);
  for (struct process *process = kernel->processes, *next; process; process = next) {
    next = process->next;
    while (process->tasks) task_free(process->tasks);
    if (process->space) {
      timers_free(process, true);
      files_close_all(process, false);
      directory_enter(process, AT_FDCWD);
      space_release(process->space);
    }
    signals_forget(&process->queued);
    free(process->path);
    free(process->directory_path);
    free(process);
  }
  shared_memory_end(kernel);
  mapped_files_end(kernel);
  file_locks_end(kernel);
  free(kernel->error);
  free(kernel);
}

static uint64_t translate(struct hart *hart, uint64_t vaddr, unsigned permission) {
  return space_translate(hart->port.thread->process->space, vaddr, permission);
}

struct machine *kernel_machine_new(const struct sim_config *config, const char **error) {
  static const struct supervisor supervisor = {
      .turn = kernel_hart_turn, .counter = kernel_counter, .translate = translate};
  struct machine *machine = machine_new(config, &supervisor, error);
  if (!machine) return NULL;
  machine->kernel = kernel_new(machine);
  if (machine->kernel && disk_begin(machine)) return machine;
  *error = "no memory for the simulated machine";
  kernel_machine_free(machine);
  return NULL;
}

void kernel_machine_free(struct machine *machine) {
  machine_halt(machine);
  if (machine->kernel) kernel_free(machine->kernel);
  disk_end(machine);
  machine_free(machine);
}

void kernel_fail(struct kernel *kernel, int status, const char *pattern, ...) {
  va_list arguments;
  if (kernel->error) return;
  va_start(arguments, pattern);
  if (vasprintf(&kernel->error, pattern, arguments) < 0) kernel->error = strdup("no memory");
  va_end(arguments);
  kernel->error_status = status;
}

struct process *kernel_start(struct kernel *kernel, struct sphere *sphere, const char *path, char **argv,
                             char **envp) {
  struct machine *machine = kernel->machine;
  struct space *space = space_new(machine);
  struct registers registers;
  uint8_t random[16];
  for (int i = 0; i < 16; i++) random[i] = (uint8_t)(i * 37 + 11);
  char file[PATH_BYTES];
  const char *error = !space ? "has no memory"
                      : !input_log_find_image(sphere, path, file)
                          ? "is not the program of the recording"
                          : image_load(space, file, path, argv, envp, random, &registers);
  if (error) {
    kernel_fail(kernel, 126, "%s: %s", path, error);
    if (space) space_release(space);
    return NULL;
  }
  struct process *process = process_new(kernel, sphere, space, 1);
  process->path = strdup(path);
  files_begin(process);
  struct task *task = task_new(process, NULL);
  process->pid = task->thread.tid = kernel->next_tid++;
  task->thread.number = sphere->threads++;
  task->thread.registers = registers;
  if (machine->watcher && machine->watcher->born) machine->watcher->born(machine, NULL, &task->thread);
  task_start(task);
  return process;
}
