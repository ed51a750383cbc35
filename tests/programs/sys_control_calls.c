/* Control calls whose numbers do not tell what the kernel writes: requests with a pointer in them, lists as long as only the kernel
 * knows, structures that are written back though they are only handed over. All memory around them is looked at afterwards. */
#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/if.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <termios.h>

#include "sys_helpers.h"

enum { AREA = 8192, SEMAPHORES = 7, ROUNDS = 20, BRIDGE_VERSION = 0, BRIDGE_LIST = 1 };

static _Alignas(64) unsigned char area[AREA];

static void fill(unsigned char pattern) {
  memset(area, pattern, sizeof area);
}

static unsigned long digest(const void *bytes, size_t count) {
  unsigned long sum = 14695981039346656037UL;
  for (size_t i = 0; i < count; i++) sum = (sum ^ ((const unsigned char *)bytes)[i]) * 1099511628211UL;
  return sum;
}

static void tell(const char *what, int result, const void *request, size_t bytes) {
  say("%s: %d, memory %lx, request %lx\n", what, result, digest(area, sizeof area), digest(request, bytes));
}

/* -- Semaphores ------------------------------------------------------------------------------------------------------------------ */

union semaphore_argument {
  int value;
  unsigned short *array;
};

static void semaphores(int id) {
  unsigned short values[SEMAPHORES + 2], wanted[SEMAPHORES];
  for (int i = 0; i < SEMAPHORES; i++) wanted[i] = (unsigned short)(i * 3 + 1);
  memset(values, 0xee, sizeof values);
  CHECK(!semctl(id, 0, SETALL, (union semaphore_argument){.array = wanted}));
  CHECK(!semctl(id, 0, GETALL, (union semaphore_argument){.array = values}));
  for (int i = 0; i < SEMAPHORES; i++) CHECK(values[i] == wanted[i]);
  CHECK(values[SEMAPHORES] == 0xeeee && values[SEMAPHORES + 1] == 0xeeee);
  say("semaphores: %d to %d\n", values[0], values[SEMAPHORES - 1]);
}

/* Another thread changes the values meanwhile: whatever is seen is seen again. */
static void *changes(void *id) {
  struct sembuf up = {0, 1, 0};
  for (int i = 0; i < ROUNDS; i++) CHECK(!semop(*(int *)id, &up, 1));
  return NULL;
}

static void races(int id) {
  pthread_t thread;
  unsigned short values[SEMAPHORES] = {0};
  CHECK(!semctl(id, 0, SETALL, (union semaphore_argument){.array = values}));
  CHECK(!pthread_create(&thread, NULL, changes, &id));
  while (values[0] < ROUNDS) CHECK(!semctl(id, 0, GETALL, (union semaphore_argument){.array = values}));
  CHECK(!pthread_join(thread, NULL));
  say("raced to %d\n", values[0]);
}

/* -- Network devices ------------------------------------------------------------------------------------------------------------- */

static void device_request(int fd, const char *what, unsigned command) {
  struct ifreq request;
  memset(&request, 0xff, sizeof request);
  strcpy(request.ifr_name, "lo");
  memcpy(area + 64, &command, sizeof command);
  request.ifr_data = (void *)(area + 64);
  int result = ioctl(fd, SIOCETHTOOL, &request);
  memset(&request.ifr_data, 0, sizeof request.ifr_data);
  tell(what, result, &request, sizeof request);
}

/* As many strings as the kernel has, whatever the program says. */
static void strings(int fd) {
  struct ethtool_gstrings *request = (void *)(area + 64);
  fill(0x5a);
  request->string_set = ETH_SS_FEATURES;
  request->len = 0;
  device_request(fd, "strings", ETHTOOL_GSTRINGS);
  CHECK(request->len > 10 && memchr(request->data, 0, ETH_GSTRING_LEN));
}

static void devices(int fd) {
  static const unsigned commands[] = {ETHTOOL_GDRVINFO, ETHTOOL_GLINK,   ETHTOOL_GTSO,     ETHTOOL_GFLAGS,
                                      ETHTOOL_GSET,     ETHTOOL_GTXCSUM, ETHTOOL_GCHANNELS};
  strings(fd);
  for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
    fill((unsigned char)i);
    device_request(fd, "device", commands[i]);
  }
}

static void interfaces(int fd) {
  static const struct {
    const char *name;
    unsigned long command;
  } requests[] = {{"index", SIOCGIFINDEX},  {"flags", SIOCGIFFLAGS},     {"address", SIOCGIFADDR},
                  {"mtu", SIOCGIFMTU},      {"map", SIOCGIFMAP},         {"hardware", SIOCGIFHWADDR},
                  {"queue", SIOCGIFTXQLEN}, {"set nothing", SIOCSIFLINK}};
  for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
    struct ifreq request;
    memset(&request, 0xff, sizeof request);
    strcpy(request.ifr_name, "lo");
    int result = ioctl(fd, requests[i].command, &request);
    tell(requests[i].name, result, &request, sizeof request);
  }
}

static void bridges(int fd) {
  unsigned long request[] = {BRIDGE_LIST, (unsigned long)(area + 128), 16};
  fill(0x77);
  int result = ioctl(fd, SIOCGIFBR, request);
  say("bridges: %s\n", result >= 0 || errno == ENOPKG || errno == EPERM ? "as natively" : strerror(errno));
}

/* A number that no table has: nothing is known but what it says itself. */
static void terminals(void) {
  int fd = posix_openpt(O_RDWR | O_NOCTTY);
  unsigned long unknown = _IOC(_IOC_READ | _IOC_WRITE, 'T', 0xee, 24);
  CHECK(fd >= 0);
  fill(0x11);
  int result = ioctl(fd, unknown, area + 100);
  tell("unknown", result, &unknown, sizeof unknown);
  fill(0x22);
  CHECK(!ioctl(fd, TIOCGEXCL, area + 100)); /* known by what its number says alone */
  tell("exclusive", 0, &unknown, sizeof unknown);
  close(fd);
}

int main(void) {
  int id = semget(IPC_PRIVATE, SEMAPHORES, 0600), fd = socket(AF_INET, SOCK_DGRAM, 0);
  CHECK(id >= 0 && fd >= 0);
  semaphores(id);
  races(id);
  CHECK(!semctl(id, 0, IPC_RMID));
  devices(fd);
  interfaces(fd);
  bridges(fd);
  terminals();
  return 0;
}
