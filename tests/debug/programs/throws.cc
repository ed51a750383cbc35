/* An exception that is thrown and caught. */
#include <stdexcept>

class Box {
 public:
  int count = 1;
  explicit Box(int most) : limit(most) {}
  bool full() const { return count > limit; }

 private:
  int limit;
};

static void refuse(const Box &box) {
  if (!box.full()) throw std::runtime_error("there is room");
}

int main() {
  Box box(3);
  try {
    refuse(box);
  } catch (const std::exception &) {
    return box.count - 1;
  }
  return 1;
}
