// thread_local objects: built on first use in each thread, destroyed at its end in reverse order.
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

static std::mutex mutex;
static int built, destroyed;

struct Log {
  std::string lines;
  std::vector<std::string> *sink = nullptr;
  Log() {
    std::lock_guard<std::mutex> lock(mutex);
    built++;
  }
  ~Log() {
    std::lock_guard<std::mutex> lock(mutex);
    destroyed++;
    if (sink) sink->push_back(lines);
  }
};

struct Late {
  Log *log = nullptr;
  ~Late() {
    if (log) log->lines += "|late";  // destroyed before log, which was built earlier
  }
};

static thread_local Log log_of_thread;
static thread_local Late late;
static thread_local int plain = 5;

int main() {
  std::vector<std::string> sink;
  for (int i = 0; i < 4; i++) {
    std::thread([&sink, i] {
      if (i == 2) return;  // never touches them: nothing is built
      log_of_thread.sink = &sink;
      late.log = &log_of_thread;
      plain += i;
      log_of_thread.lines = "thread " + std::to_string(i) + " plain " + std::to_string(plain);
    }).join();
  }
  for (const auto &s : sink) std::printf("%s\n", s.c_str());
  std::printf("built %d, destroyed %d, main plain %d\n", built, destroyed, plain);
  log_of_thread.lines = "main";
  std::printf("built %d\n", built);
  return 0;
}
