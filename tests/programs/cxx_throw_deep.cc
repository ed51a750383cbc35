// An exception through 1,000 frames with destructors, through a C callback, and out of constructors.
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.h"

static int alive, destroyed;

struct Counted {
  Counted() { alive++; }
  Counted(const Counted &) { alive++; }
  ~Counted() { alive--, destroyed++; }
};

static long dive(int depth, int limit) {
  Counted guard;
  if (depth == limit) throw std::runtime_error("bottom " + std::to_string(depth));
  return dive(depth + 1, limit) + alive;
}

static int compare(const void *a, const void *b) {
  if (*static_cast<const int *>(a) == 13 || *static_cast<const int *>(b) == 13) throw 13;
  return *static_cast<const int *>(a) - *static_cast<const int *>(b);
}

struct Half {
  Counted first;
  Half() {
    Counted second;
    throw std::string("constructor");
  }
};

int main() {
  for (int limit : {0, 1, 10, 1000}) {
    try {
      dive(0, limit);
    } catch (const std::exception &e) {
      std::printf("%s, alive %d, destroyed %d\n", e.what(), alive, destroyed);
    }
  }
  int values[] = {5, 2, 13, 7, 1};
  try {
    std::qsort(values, 5, sizeof values[0], compare);  // the C library has unwind tables, too
    std::puts("not reached");
  } catch (int n) {
    std::printf("through qsort: %d\n", n);
  }
  try {
    std::vector<Half> v(3);
  } catch (const std::string &s) {
    std::printf("from a %s, alive %d\n", s.c_str(), alive);
  }
  int caught = 0;
  for (int i = 0; i < 2000; i++) {
    try {
      if (i % 2)
        throw i;
      else
        throw std::out_of_range("even");
    } catch (int) {
      caught++;
    } catch (const std::logic_error &) {
      caught += 1000;
    }
  }
  std::printf("caught %d\n", caught);
  return 0;
}
