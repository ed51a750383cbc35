/* Floating point: bodies that attract each other, integrated step by step. Long chains of multiplications,
   divisions and square roots in registers, few branches. */
#include <math.h>
#include <string.h>

#include "kernel.h"

enum { BODIES = 8 };

struct body {
  double position[3];
  double velocity[3];
  double mass;
};

static void attract(struct body *a, struct body *b, double step) {
  double delta[3], squared = 0.01; /* softened: bodies that meet do not fly apart */
  for (int i = 0; i < 3; i++) {
    delta[i] = a->position[i] - b->position[i];
    squared += delta[i] * delta[i];
  }
  double pull = step / (squared * sqrt(squared));
  for (int i = 0; i < 3; i++) {
    a->velocity[i] -= delta[i] * b->mass * pull;
    b->velocity[i] += delta[i] * a->mass * pull;
  }
}

static void advance(struct body *bodies, double step) {
  for (int i = 0; i < BODIES; i++) {
    for (int j = i + 1; j < BODIES; j++) attract(&bodies[i], &bodies[j], step);
  }
  for (int i = 0; i < BODIES; i++) {
    for (int k = 0; k < 3; k++) bodies[i].position[k] += step * bodies[i].velocity[k];
  }
}

int main(int argc, char **argv) {
  long steps = kernel_rounds(argc, argv, 3000000);
  static struct body bodies[BODIES];
  uint64_t random = 314159265u;
  for (int i = 0; i < BODIES; i++) {
    for (int k = 0; k < 3; k++) {
      bodies[i].position[k] = (double)(kernel_random(&random) % 2000) / 100.0 - 10.0;
      bodies[i].velocity[k] = (double)(kernel_random(&random) % 200) / 1000.0 - 0.1;
    }
    bodies[i].mass = 1.0 + (double)i / 8.0;
  }

  for (long i = 0; i < steps; i++) advance(bodies, 0.001);

  uint64_t sum = 0;
  for (int i = 0; i < BODIES; i++) {
    for (int k = 0; k < 3; k++) {
      uint64_t bits;
      memcpy(&bits, &bodies[i].position[k], sizeof bits);
      sum = sum * 31 + bits;
    }
  }
  return kernel_report("nbody", sum);
}
