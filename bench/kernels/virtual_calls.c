/* Virtual calls: objects of eight classes in random order, each with a table of methods, as C++ compiles
   them. The call site sees every class, so its target is hard to predict. */
#include "kernel.h"

struct shape;

struct methods {
  uint64_t (*area)(const struct shape *);
  void (*grow)(struct shape *, uint32_t by);
};

struct shape {
  const struct methods *methods;
  uint32_t width, height;
};

#define SHAPE(name, area_of, wider, higher)               \
  static uint64_t name##_area(const struct shape *s) {    \
    return (area_of);                                     \
  }                                                       \
  static void name##_grow(struct shape *s, uint32_t by) { \
    s->width = (wider)&0xffff;                            \
    s->height = (higher)&0xffff;                          \
  }                                                       \
  static const struct methods name = {name##_area, name##_grow};

SHAPE(square, (uint64_t)s->width * s->width, s->width + by, s->height + by)
SHAPE(rectangle, (uint64_t)s->width * s->height, s->width + by, s->height + 2 * by)
SHAPE(triangle, (uint64_t)s->width * s->height / 2, s->width + 3 * by, s->height)
SHAPE(circle, (uint64_t)s->width * s->width * 355 / 113, s->width + by, s->width)
SHAPE(ellipse, (uint64_t)s->width * s->height * 355 / 452, s->height + by, s->width)
SHAPE(cross, (uint64_t)s->width * 4 + s->height, s->width ^ by, s->height + by)
SHAPE(ring, (uint64_t)s->height * s->height - s->width, s->width, s->height + by)
SHAPE(point, s->width | 1, s->width + 1, s->height ^ by)

static const struct methods *const classes[] = {&square,  &rectangle, &triangle, &circle,
                                                &ellipse, &cross,     &ring,     &point};

int main(int argc, char **argv) {
  enum { COUNT = 4096 };
  long rounds = kernel_rounds(argc, argv, 18000);
  static struct shape shapes[COUNT];
  uint64_t random = 123456789u;
  for (int i = 0; i < COUNT; i++) {
    uint64_t r = kernel_random(&random);
    shapes[i] = (struct shape){classes[r & 7], (uint32_t)(r >> 8) & 255, (uint32_t)(r >> 16) & 255};
  }

  uint64_t sum = 0;
  for (long i = 0; i < rounds; i++) {
    for (int j = 0; j < COUNT; j++) {
      struct shape *shape = &shapes[j];
      sum += shape->methods->area(shape);
      if ((i & 7) == 0) shape->methods->grow(shape, (uint32_t)i & 15);
    }
  }
  return kernel_report("virtual_calls", sum);
}
