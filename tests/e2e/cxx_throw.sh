# A C++ program that throws across threads, through destructors and frames of C, and in the end to nobody.
# needs: /usr/bin/g++
cat >throw.cc <<'CC'
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
static std::atomic<int> destroyed;
struct Guard {
  ~Guard() { destroyed++; }
};
static int deep(int n) {
  Guard guard;
  if (n == 0) throw std::runtime_error("bottom");
  return deep(n - 1) + 1;
}
static int compare(const void *a, const void *b) {
  if (*(const int *)a == 13) throw 13;
  return *(const int *)a - *(const int *)b;
}
int main(int argc, char **) {
  std::vector<std::thread> threads;
  std::vector<std::string> caught(8);
  for (int t = 0; t < 8; t++) {
    threads.emplace_back([t, &caught] {
      for (int i = 0; i < 300; i++) {
        try {
          deep(i % 40);
        } catch (const std::exception &e) {
          caught[t] = e.what();
        }
      }
    });
  }
  for (auto &t : threads) t.join();
  for (auto &c : caught) std::puts(c.c_str());
  std::printf("%d destroyed\n", destroyed.load());

  auto result = std::async(std::launch::async, [] { return deep(5); });
  try {
    result.get();
  } catch (const std::runtime_error &e) {
    std::printf("from another thread: %s\n", e.what());
  }
  std::exception_ptr kept;
  std::thread([&kept] {
    try {
      throw std::out_of_range("kept");
    } catch (...) {
      kept = std::current_exception();
    }
  }).join();
  try {
    std::rethrow_exception(kept);
  } catch (const std::out_of_range &e) {
    std::printf("rethrown: %s\n", e.what());
  }
  int numbers[] = {5, 2, 13, 1, 8};
  try {
    std::qsort(numbers, 5, sizeof *numbers, compare);
  } catch (int n) {
    std::printf("through qsort: %d\n", n);
  }
  std::fflush(stdout);
  if (argc > 1) std::thread([] { throw std::logic_error("nobody catches this"); }).join();
}
CC
for flags in '-O2' '-O0 -static' '-O2 -no-pie'; do
  # The flags are words.
  # shellcheck disable=SC2086
  /usr/bin/g++ $flags -pthread throw.cc -o throw
  outcome $R ./throw
  outcome $R ./throw uncaught
done
