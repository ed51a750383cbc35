// std::async, promises, packaged tasks: values and exceptions cross from one thread to another.
#include <cstdio>
#include <future>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

static long fibonacci(int n) {
  if (n < 0) throw std::domain_error("negative");
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

int main() {
  std::vector<std::future<long>> futures;
  for (int n = -2; n < 20; n += 3) futures.push_back(std::async(std::launch::async, fibonacci, n));
  for (auto &f : futures) {
    try {
      std::printf("%ld\n", f.get());
    } catch (const std::domain_error &e) {
      std::printf("%s\n", e.what());
    }
  }
  std::promise<int> promise;
  std::shared_future<int> shared = promise.get_future().share();
  std::vector<std::thread> waiters;
  std::vector<int> got(5);
  for (int i = 0; i < 5; i++) waiters.emplace_back([&got, shared, i] { got[i] = shared.get() + i; });
  promise.set_value(100);
  for (auto &t : waiters) t.join();
  std::printf("%d\n", std::accumulate(got.begin(), got.end(), 0));
  try {
    std::promise<int> broken;
    auto f = broken.get_future();
    broken = std::promise<int>();
    f.get();
  } catch (const std::future_error &e) {
    std::printf("broken promise %d\n", e.code() == std::future_errc::broken_promise);
  }
  std::packaged_task<int(int)> task([](int x) -> int { throw x; });
  auto result = task.get_future();
  std::thread(std::move(task), 42).join();
  try {
    result.get();
  } catch (int x) {
    std::printf("task threw %d\n", x);
  }
  return 0;
}
