// std::thread, mutex, condition_variable; exceptions thrown and caught in all threads at once.
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "check.h"

static long parse(const std::string &s, int depth) {
  std::string copy = s + "x";  // something to unwind
  if (depth > 0) return parse(s, depth - 1) + static_cast<long>(copy.size());
  return std::stol(s);  // throws std::invalid_argument
}

static long work(int id) {
  long sum = 0;
  for (int i = 0; i < 300; i++) {
    try {
      sum += parse(i % 3 ? std::to_string(i * id) : "bad", i % 20);
    } catch (const std::invalid_argument &) {
      sum += 1000000;
    }
  }
  return sum;
}

int main() {
  std::vector<std::thread> threads;
  std::vector<long> results(4);
  for (int i = 0; i < 4; i++) threads.emplace_back([&results, i] { results[i] = work(i); });
  for (auto &t : threads) t.join();
  for (long r : results) std::printf("%ld\n", r);

  std::mutex mutex;
  std::condition_variable changed;
  int turn = 0;
  std::string log;
  threads.clear();
  for (int i = 0; i < 3; i++)
    threads.emplace_back([&, i] {
      for (int round = 0; round < 5; round++) {
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, [&] { return turn % 3 == i; });
        log += static_cast<char>('a' + i);
        turn++;
        changed.notify_all();
      }
    });
  for (auto &t : threads) t.join();
  std::printf("%s\n", log.c_str());
  return 0;
}
