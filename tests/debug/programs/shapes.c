/* Structures, arrays and pointers to look at. */
#include <stdio.h>

struct shape {
  const char *name;
  int width, height;
  struct shape *next;
  int points[100];
};

static int area(const struct shape *shape) {
  int width = shape->width;
  return width * shape->height;
}

static int measure(const struct shape *shapes) {
  int sum = 0;
  for (const struct shape *shape = shapes; shape; shape = shape->next) {
    int more = area(shape);
    sum += more;
  }
  printf("%d\n", sum);
  return sum;
}

static void fill(struct shape *shape, const char *name, int width, struct shape *next) {
  *shape = (struct shape){.name = name, .width = width, .height = width + 1, .next = next};
  for (int i = 0; i < 100; i++) shape->points[i] = i * i;
}

int main(void) {
  static struct shape first, second, third;
  fill(&third, "third", 1, NULL);
  fill(&second, "second", 4, &third);
  fill(&first, "first", 2, &second);
  return measure(&first) != 28;
}
