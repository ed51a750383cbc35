// Rethrown, nested, captured and function-try exceptions keep type, value and lifetime.
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>

static void print_nested(const std::exception &e, int level) {
  std::printf("%d: %s\n", level, e.what());
  try {
    std::rethrow_if_nested(e);
  } catch (const std::exception &inner) {
    print_nested(inner, level + 1);
  }
}

static void wrap(int depth) {
  try {
    if (depth == 0) throw std::invalid_argument("origin");
    wrap(depth - 1);
  } catch (...) {
    std::throw_with_nested(std::runtime_error("layer " + std::to_string(depth)));
  }
}

struct Base {
  virtual ~Base() = default;
  virtual const char *name() const { return "base"; }
};
struct Derived : Base {
  const char *name() const override { return "derived"; }
};

static void function_try(int n) try {
  if (n) throw n;
  std::puts("no throw");
} catch (int value) {
  std::printf("function try %d\n", value);
}

int main() {
  try {
    wrap(3);
  } catch (const std::exception &e) {
    print_nested(e, 0);
  }
  try {
    try {
      throw Derived();
    } catch (Base &b) {
      std::printf("caught as base: %s\n", b.name());
      throw;  // the same object
    }
  } catch (Derived &d) {
    std::printf("again: %s\n", d.name());
  }
  std::exception_ptr kept;
  try {
    throw std::string("kept");
  } catch (...) {
    kept = std::current_exception();
  }
  for (int i = 0; i < 3; i++) {
    try {
      std::rethrow_exception(kept);
    } catch (const std::string &s) {
      std::printf("%s, in flight %d\n", s.c_str(), std::uncaught_exceptions());
    }
  }
  function_try(0);
  function_try(7);
  return 0;
}
