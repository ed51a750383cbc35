/* run.c: a simulation from beginning to end. */
#include "sim/run.h"

#include <stdlib.h>
#include <string.h>

#include "sim/caches.h"
#include "sim/input_log.h"
#include "sim/kernel.h"

static void fail(struct sim_outcome *outcome, int status, const char *line) {
  outcome->status = status;
  snprintf(outcome->error, sizeof outcome->error, "%s", line);
}

static struct sphere *make_sphere(struct kernel *kernel, enum sphere_mode mode) {
  struct sphere *sphere = calloc(1, sizeof *sphere);
  if (!sphere) return NULL;
  sphere->number = kernel->sphere_count;
  sphere->mode = mode;
  if (mode != SPHERE_PLAIN) sphere->input = input_log_new();
  return kernel->spheres[kernel->sphere_count++] = sphere;
}

static void free_spheres(struct kernel *kernel) {
  for (uint32_t i = 0; i < kernel->sphere_count; i++) {
    input_log_free(kernel->spheres[i]->input);
    free(kernel->spheres[i]);
  }
}

/* The simulated programs see nothing of the host's environment: it would be input. */
static char path[] = "PATH=/usr/bin:/bin", home[] = "HOME=/", language[] = "LANG=C";
static char *environment[] = {path, home, language, NULL};

static struct process *start(struct machine *machine, const struct sim_program *program) {
  struct sphere *sphere = make_sphere(machine->kernel, program->mode);
  return sphere ? kernel_start(machine->kernel, sphere, program->argv[0], program->argv, environment) : NULL;
}

static int shell_status(int status) {
  return status & 127 ? 128 + (status & 127) : status >> 8;
}

static void collect(struct machine *machine, struct sim_outcome *outcome) {
  struct kernel *kernel = machine->kernel;
  outcome->cycles = 0;
  for (uint32_t i = 0; i < machine->config.harts; i++)
    if (machine->harts[i].port.cycle > outcome->cycles) outcome->cycles = machine->harts[i].port.cycle;
  outcome->instructions = kernel->count.instructions;
  outcome->calls = kernel->count.calls;
  outcome->page_faults = kernel->count.page_faults;
  outcome->switches = kernel->count.switches;
  outcome->interrupts = kernel->count.interrupts;
  outcome->signals = kernel->count.signals;
  for (uint32_t i = 0; i < kernel->sphere_count; i++) {
    outcome->register_digest += kernel->spheres[i]->register_digest;
    outcome->memory_digest += kernel->spheres[i]->memory_digest;
    if (kernel->spheres[i]->input) outcome->input_bytes += input_log_bytes(kernel->spheres[i]->input);
  }
}

static void run_machine(struct machine *machine, const struct sim_program *programs, uint32_t count,
                        struct sim_outcome *outcome) {
  struct kernel *kernel = machine->kernel;
  struct process *first = NULL;
  for (uint32_t i = 0; i < count && !kernel->error; i++) {
    struct process *process = start(machine, &programs[i]);
    if (!i) first = process;
  }
  if (!kernel->error && !machine_run(machine))
    kernel_fail(kernel, 125, "all simulated threads wait for each other");
  collect(machine, outcome);
  if (kernel->error)
    fail(outcome, kernel->error_status, kernel->error);
  else
    outcome->status = shell_status(first->status);
}

void sim_run(const struct sim_config *config, struct sim_program *programs, uint32_t count,
             struct sim_outcome *outcome) {
  const char *error;
  memset(outcome, 0, sizeof *outcome);
  struct machine *machine = machine_new(config, &error);
  if (!machine) {
    fail(outcome, 2, error);
    return;
  }
  if (!config->flat) caches_begin(machine);
  run_machine(machine, programs, count, outcome);
  free_spheres(machine->kernel);
  machine_free(machine);
}

/* -- Statistics -------------------------------------------------------------------------------------------------------------------------------- */

void sim_print(FILE *to, const struct sim_config *config, const struct sim_outcome *outcome, double seconds,
               bool json) {
  const struct {
    const char *name;
    uint64_t value;
  } rows[] = {{"harts", config->harts},
              {"seed", config->seed},
              {"cycles", outcome->cycles},
              {"instructions", outcome->instructions},
              {"system_calls", outcome->calls},
              {"page_faults", outcome->page_faults},
              {"context_switches", outcome->switches},
              {"timer_interrupts", outcome->interrupts},
              {"signals", outcome->signals},
              {"input_log_bytes", outcome->input_bytes}};
  fputs(json ? "{" : "", to);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    fprintf(to, json ? "\"%s\": %lu, " : "%-18s %lu\n", rows[i].name, (unsigned long)rows[i].value);
  fprintf(to,
          json ? "\"registers\": \"%016lx\", \"memory\": \"%016lx\", "
               : "registers          %016lx\nmemory             %016lx\n",
          (unsigned long)outcome->register_digest, (unsigned long)outcome->memory_digest);
  double mips = seconds > 0 ? (double)outcome->instructions / seconds / 1e6 : 0;
  fprintf(
      to,
      json ? "\"seconds\": %.3f, \"mips\": %.2f}\n" : "seconds            %.3f\nmips               %.2f\n",
      seconds, mips);
}
