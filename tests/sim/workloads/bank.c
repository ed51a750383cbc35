/* bank.c: on-line transactions: money moves between accounts, each with its lock, taken in order; branches and a journal are shared by all. */
#include "workload.h"

enum { ACCOUNTS = 400, BRANCHES = 10, JOURNAL = 1024 };
static struct {
  pthread_mutex_t lock;
  int64_t balance;
  uint32_t version;
} account[ACCOUNTS], branch[BRANCHES];
static pthread_mutex_t journal_lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
  uint32_t from, to;
  int64_t amount;
} journal[JOURNAL];
static uint64_t entries, refused;

static void transfer(uint32_t from, uint32_t to, int64_t amount) {
  uint32_t first = from < to ? from : to, second = from < to ? to : from;
  pthread_mutex_lock(&account[first].lock);
  pthread_mutex_lock(&account[second].lock);
  int good = account[from].balance >= amount;
  if (good) {
    account[from].balance -= amount, account[to].balance += amount;
    account[from].version++, account[to].version++;
  }
  pthread_mutex_unlock(&account[second].lock);
  pthread_mutex_unlock(&account[first].lock);
  pthread_mutex_lock(&branch[to % BRANCHES].lock);
  branch[to % BRANCHES].version++;
  pthread_mutex_unlock(&branch[to % BRANCHES].lock);
  pthread_mutex_lock(&journal_lock);
  if (good) {
    journal[entries % JOURNAL].from = from;
    journal[entries % JOURNAL].to = to;
    journal[entries++ % JOURNAL].amount = amount;
  } else {
    refused++;
  }
  pthread_mutex_unlock(&journal_lock);
}

/* A report reads a range of accounts, in order. */
static void report(uint32_t start) {
  int64_t sum = 0;
  for (uint32_t i = start; i < start + 20; i++) {
    pthread_mutex_lock(&account[i % ACCOUNTS].lock);
    sum += account[i % ACCOUNTS].balance;
    pthread_mutex_unlock(&account[i % ACCOUNTS].lock);
  }
  if (sum < 0) abort();
}

static void work(long me) {
  uint64_t state = (uint64_t)me * 77 + 5;
  for (long i = 0; i < 200 * scale; i++) {
    uint64_t random = next_random(&state);
    uint32_t from = (uint32_t)(random % ACCOUNTS), to = (uint32_t)(random >> 20) % ACCOUNTS;
    if (random >> 60 == 0)
      report(from);
    else if (from != to)
      transfer(from, to, (int64_t)(random >> 40 & 255));
  }
}

int main(int argc, char **argv) {
  int64_t total = 0;
  read_arguments(argc, argv);
  for (int i = 0; i < ACCOUNTS; i++) pthread_mutex_init(&account[i].lock, NULL), account[i].balance = 1000;
  for (int i = 0; i < BRANCHES; i++) pthread_mutex_init(&branch[i].lock, NULL);
  run_all();
  for (int i = 0; i < ACCOUNTS; i++) total += account[i].balance;
  printf("%ld %s\n", total, entries + refused ? "done" : "idle");
  return 0;
}
