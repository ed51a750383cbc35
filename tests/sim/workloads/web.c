/* web.c: a web server with a task per request: one thread accepts, workers take requests from a queue, look pages up in a common cache, and log. */
#include <string.h>

#include "workload.h"

enum { QUEUE = 64, PAGES = 256, BYTES = 512 };
static struct { uint32_t page, client; } queue[QUEUE];
static long head, tail;
static int closing;
static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER, log_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;
static struct page {
  pthread_rwlock_t lock;
  int filled;
  unsigned char bytes[BYTES];
} cache[PAGES];
static uint64_t served, checksum;

static void accept_all(void) {
  uint64_t state = 99;
  for (long i = 0; i < 150 * scale; i++) {
    pthread_mutex_lock(&queue_lock);
    while (tail - head == QUEUE) pthread_cond_wait(&not_full, &queue_lock);
    /* Some pages are much wanted. */
    uint32_t page = (uint32_t)(next_random(&state) % PAGES);
    queue[tail % QUEUE].page = next_random(&state) % 4 ? page % 16 : page;
    queue[tail++ % QUEUE].client = (uint32_t)i;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&queue_lock);
  }
  pthread_mutex_lock(&queue_lock);
  closing = 1;
  pthread_cond_broadcast(&not_empty);
  pthread_mutex_unlock(&queue_lock);
}

static void fill(struct page *page, uint32_t number) {
  pthread_rwlock_wrlock(&page->lock);
  if (!page->filled)
    for (int i = 0; i < BYTES; i++) page->bytes[i] = (unsigned char)(number * 7 + (uint32_t)i);
  page->filled = 1;
  pthread_rwlock_unlock(&page->lock);
}

static void serve(uint32_t number, uint32_t client) {
  struct page *page = &cache[number];
  char answer[BYTES + 64];
  uint64_t sum = client;
  pthread_rwlock_rdlock(&page->lock);
  if (!page->filled) {
    pthread_rwlock_unlock(&page->lock);
    fill(page, number);
    pthread_rwlock_rdlock(&page->lock);
  }
  int length = snprintf(answer, 64, "HTTP/1.0 200 OK\r\nlength: %d\r\n\r\n", BYTES);
  memcpy(answer + length, page->bytes, BYTES);
  pthread_rwlock_unlock(&page->lock);
  for (int i = 0; i < length + BYTES; i++) sum = sum * 31 + (unsigned char)answer[i];
  pthread_mutex_lock(&log_lock);
  served++;
  checksum += sum;
  pthread_mutex_unlock(&log_lock);
}

static void work(long me) {
  if (me == 0) {
    accept_all();
    if (threads > 1) return;
  }
  for (;;) {
    pthread_mutex_lock(&queue_lock);
    while (head == tail && !closing) pthread_cond_wait(&not_empty, &queue_lock);
    if (head == tail) break;
    uint32_t page = queue[head % QUEUE].page, client = queue[head % QUEUE].client;
    head++;
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&queue_lock);
    serve(page, client);
  }
  pthread_mutex_unlock(&queue_lock);
}

int main(int argc, char **argv) {
  read_arguments(argc, argv);
  if (threads < 2) threads = 2;
  for (int i = 0; i < PAGES; i++) pthread_rwlock_init(&cache[i].lock, NULL);
  run_all();
  printf("%lu %016lx\n", served, checksum);
  return 0;
}
