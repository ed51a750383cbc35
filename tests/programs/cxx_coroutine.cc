// C++20 coroutines: resumed many times, resumed on another thread, with an exception through a resume.
/* cflags: -std=c++20 */
#include <coroutine>
#include <cstdio>
#include <exception>
#include <thread>

struct Generator {
  struct promise_type {
    long value = 0;
    std::exception_ptr error;
    Generator get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(long v) {
      value = v;
      return {};
    }
    void return_void() {}
    void unhandled_exception() { error = std::current_exception(); }
  };
  std::coroutine_handle<promise_type> handle;
  bool next() {
    handle.resume();
    if (handle.promise().error) std::rethrow_exception(handle.promise().error);
    return !handle.done();
  }
};

static Generator numbers(long n) {
  long a = 0, b = 1;
  for (long i = 0; i < n; i++) {
    co_yield a;
    long c = (a + b) % 1000007;
    a = b;
    b = c;
  }
  throw n;
}

int main() {
  long sum = 0;
  Generator g = numbers(20000);
  try {
    while (g.next()) sum += g.handle.promise().value;
  } catch (long n) {
    std::printf("threw %ld after sum %ld\n", n, sum);
  }
  g.handle.destroy();
  Generator h = numbers(100);
  for (int i = 0; i < 20; i++) std::thread([&h] { h.next(); }).join();
  h.next();
  std::printf("after threads %ld\n", h.handle.promise().value);
  h.handle.destroy();
  return 0;
}
