// Virtual calls, std::function, dynamic_cast, member pointers, static initialisation guards in threads.
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

struct Shape {
  virtual ~Shape() = default;
  virtual long area() const = 0;
};
struct Square : Shape {
  long side;
  explicit Square(long s) : side(s) {}
  long area() const override { return side * side; }
};
struct Named {
  virtual ~Named() = default;
  virtual std::string name() const { return "named"; }
};
struct Box : Shape, virtual Named {
  long w, h;
  Box(long a, long b) : w(a), h(b) {}
  long area() const override { return w * h; }
  std::string name() const override { return "box"; }
  long circumference() const { return 2 * (w + h); }
};

static int &guarded() {
  static int value = [] { return 7; }();  // __cxa_guard_acquire
  return value;
}

int main() {
  std::vector<std::unique_ptr<Shape>> shapes;
  for (long i = 0; i < 1000; i++) {
    if (i % 3)
      shapes.push_back(std::make_unique<Square>(i));
    else
      shapes.push_back(std::make_unique<Box>(i, i + 1));
  }
  long area = 0, boxes = 0, around = 0;
  long (Box::*member)() const = &Box::circumference;
  for (const auto &s : shapes) {
    area += s->area();
    if (auto *b = dynamic_cast<const Box *>(s.get())) around += (b->*member)();
    if (auto *n = dynamic_cast<const Named *>(s.get())) boxes += n->name() == "box";
  }
  std::printf("area %ld, boxes %ld, around %ld\n", area, boxes, around);
  std::map<std::string, std::function<long(long)>> table;
  for (int k = 0; k < 20; k++) table["f" + std::to_string(k)] = [k](long x) { return x * k + 1; };
  long chained = 1;
  for (int round = 0; round < 50; round++)
    for (const auto &[name, f] : table) chained = f(chained) % 1000003;
  std::printf("chained %ld\n", chained);
  std::vector<std::thread> threads;
  std::vector<int *> seen(4);
  for (int i = 0; i < 4; i++) threads.emplace_back([&seen, i] { seen[i] = &guarded(); });
  for (auto &t : threads) t.join();
  int same = 0;
  for (int *p : seen) same += p == &guarded();
  std::printf("one static: %d, value %d\n", same, guarded());
  return 0;
}
