/* List chase: walks linked lists whose nodes lie in shuffled order. Each load gives the address of the
   next, so the loop is bound by latency. Two lists, because real ones differ: a short one that stays in
   the first-level cache, where added instructions show, and a long one that does not. */
#include "kernel.h"

struct node {
  struct node *next;
  uint64_t value;
};

/* One cycle through all nodes, in random order. */
static struct node *make_list(size_t count, uint64_t *random) {
  struct node *nodes = kernel_alloc(count * sizeof *nodes);
  size_t *order = kernel_alloc(count * sizeof *order);
  for (size_t i = 0; i < count; i++) order[i] = i;
  for (size_t i = count - 1; i > 0; i--) {
    size_t j = kernel_random(random) % (i + 1);
    size_t kept = order[i];
    order[i] = order[j];
    order[j] = kept;
  }
  for (size_t i = 0; i < count; i++) {
    nodes[order[i]].next = &nodes[order[(i + 1) % count]];
    nodes[order[i]].value = i;
  }
  free(order);
  return nodes;
}

static uint64_t chase(const struct node *node, long steps) {
  uint64_t sum = 0;
  for (long i = 0; i < steps; i++) {
    sum += node->value ^ (uint64_t)i;
    node = node->next;
  }
  return sum;
}

int main(int argc, char **argv) {
  long rounds = kernel_rounds(argc, argv, 90);
  uint64_t random = 2463534242u;
  struct node *near = make_list(1000, &random);
  struct node *far = make_list(500000, &random);

  uint64_t sum = 0;
  for (long i = 0; i < rounds; i++) {
    sum = sum * 31 + chase(near, 1500000);
    sum = sum * 31 + chase(far, 100000);
  }
  free(near);
  free(far);
  return kernel_report("list_chase", sum);
}
