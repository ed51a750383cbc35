/* kernel_sockets.c: the rows about sockets and other messages, tried on the kernel (trial.h). */
#include <fcntl.h>
#include <mqueue.h>
#include <net/if.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <linux/ethtool.h>
#include <linux/filter.h>
#include <linux/sockios.h>

#include "trial.h"

static void close_fds(struct trial *t) {
  for (unsigned i = 0; i < 8; i++)
    if (t->fds[i] > 0) close(t->fds[i]);
}

static int opened(struct trial *t, unsigned i, int fd) {
  t->fds[i] = (int)must(fd);
  t->after = close_fds;
  return fd;
}

static const struct sockaddr_in loopback = {.sin_family = AF_INET, .sin_addr.s_addr = 0x0100007f};

/* A pair of datagram sockets on the loopback; fds[1] sends to fds[0]. */
static int datagrams(struct trial *t) {
  struct sockaddr_in address = loopback;
  socklen_t length = sizeof address;
  int to = opened(t, 0, socket(AF_INET, SOCK_DGRAM, 0)), from = opened(t, 1, socket(AF_INET, SOCK_DGRAM, 0));
  must(bind(to, (const struct sockaddr *)&address, sizeof address));
  must(getsockname(to, (struct sockaddr *)&address, &length));
  must(connect(from, (const struct sockaddr *)&address, length));
  return to;
}

static int local_pair(struct trial *t, int type) {
  int ends[2];
  must(socketpair(AF_UNIX, type, 0, ends));
  opened(t, 1, ends[1]);
  return opened(t, 0, ends[0]);
}

static void sends(struct trial *t, const char *bytes) {
  must(send(t->fds[1], bytes, strlen(bytes), 0));
}

/* -- Single transfers ------------------------------------------------------------------------------------ */

static void receive_from(struct trial *t, socklen_t room, int flags, size_t bytes) {
  int fd = datagrams(t);
  sends(t, "a datagram");
  void *buffer = place(t, bytes), *name = place(t, 64);
  CALL(t, SYS_recvfrom, fd, buffer, bytes, flags, name, put(t, &room, sizeof room));
}

static void receive_name(struct trial *t) {
  t->outgoing = 4;
  receive_from(t, 64, 0, 100);
}
static void receive_name_short(struct trial *t) {
  receive_from(t, 5, 0, 100);
}
static void receive_name_none(struct trial *t) {
  receive_from(t, 0, 0, 100);
}
static void receive_truncated(struct trial *t) {
  receive_from(t, 16, MSG_TRUNC, 4);
}

static void receive_discarded(struct trial *t) {
  struct sockaddr_in address = loopback;
  socklen_t length = sizeof address;
  int listener = opened(t, 2, socket(AF_INET, SOCK_STREAM, 0));
  must(bind(listener, (const struct sockaddr *)&address, sizeof address));
  must(listen(listener, 1));
  must(getsockname(listener, (struct sockaddr *)&address, &length));
  opened(t, 1, socket(AF_INET, SOCK_STREAM, 0));
  must(connect(t->fds[1], (const struct sockaddr *)&address, length));
  opened(t, 0, accept(listener, NULL, NULL));
  sends(t, "unread");
  length = 40;
  void *buffer = place(t, 64), *name = place(t, 64);
  CALL(t, SYS_recvfrom, t->fds[0], buffer, 64, MSG_TRUNC, name, put(t, &length, sizeof length));
}

static void send_to(struct trial *t) {
  struct sockaddr_in address = loopback;
  address.sin_port = 9;
  int fd = opened(t, 0, socket(AF_INET, SOCK_DGRAM, 0));
  void *buffer = place(t, 50);
  t->outgoing = 50 + sizeof address;
  CALL(t, SYS_sendto, fd, buffer, 50, 0, put(t, &address, sizeof address), sizeof address);
}

static void accept_name(struct trial *t) {
  struct sockaddr_in address = loopback;
  socklen_t length = sizeof address;
  int listener = opened(t, 0, socket(AF_INET, SOCK_STREAM, 0));
  must(bind(listener, (const struct sockaddr *)&address, sizeof address));
  must(listen(listener, 1));
  must(getsockname(listener, (struct sockaddr *)&address, &length));
  opened(t, 1, socket(AF_INET, SOCK_STREAM, 0));
  must(connect(t->fds[1], (const struct sockaddr *)&address, length));
  length = 10;
  void *name = place(t, 64);
  CALL(t, SYS_accept4, listener, name, put(t, &length, sizeof length), SOCK_CLOEXEC, 0, 0);
}

static void socket_name(struct trial *t) {
  socklen_t length = 100;
  int fd = datagrams(t);
  void *name = place(t, 100);
  CALL(t, SYS_getsockname, fd, name, put(t, &length, sizeof length), 0, 0, 0);
}

static void socket_pair(struct trial *t) {
  CALL(t, SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, place(t, 8), 0, 0);
}

/* The descriptors are told before the protocol is looked at. */
static void no_socket_pair(struct trial *t) {
  CALL(t, SYS_socketpair, AF_UNIX, SOCK_STREAM, 12345, place(t, 8), 0, 0);
  t->expect = -EPROTONOSUPPORT;
}

/* -- Messages -------------------------------------------------------------------------------------------- */

static struct msghdr message(struct trial *t, size_t name, unsigned parts, size_t each, size_t control) {
  struct iovec vector[8];
  for (unsigned i = 0; i < parts; i++) vector[i] = (struct iovec){place(t, each), each};
  /* The holes of the structure keep the pattern. */
  struct msghdr header;
  memset(&header, 0x11, sizeof header);
  header.msg_name = name ? place(t, name) : NULL;
  header.msg_namelen = (socklen_t)name;
  header.msg_iov = put(t, vector, parts * sizeof *vector);
  header.msg_iovlen = parts;
  header.msg_control = control ? place(t, control) : NULL;
  header.msg_controllen = control;
  return header;
}

static void receive_message(struct trial *t) {
  int fd = datagrams(t), one = 1;
  must(setsockopt(fd, SOL_SOCKET, SO_TIMESTAMP, &one, sizeof one));
  must(setsockopt(fd, IPPROTO_IP, IP_TTL, &one, sizeof one));
  must(setsockopt(fd, IPPROTO_IP, IP_RECVTTL, &one, sizeof one));
  must(setsockopt(fd, IPPROTO_IP, IP_PKTINFO, &one, sizeof one));
  sends(t, "a message in several parts");
  struct msghdr header = message(t, 32, 4, 7, 200);
  t->outgoing = sizeof header + 4 * sizeof(struct iovec);
  CALL(t, SYS_recvmsg, fd, put(t, &header, sizeof header), 0, 0, 0, 0);
}

static void receive_message_cut(struct trial *t) {
  int fd = datagrams(t), one = 1;
  must(setsockopt(fd, SOL_SOCKET, SO_TIMESTAMP, &one, sizeof one));
  must(setsockopt(fd, IPPROTO_IP, IP_PKTINFO, &one, sizeof one));
  sends(t, "a message in several parts");
  struct msghdr header = message(t, 3, 2, 7, 40);
  CALL(t, SYS_recvmsg, fd, put(t, &header, sizeof header), 0, 0, 0, 0);
}

static void receive_message_plain(struct trial *t) {
  int fd = local_pair(t, SOCK_STREAM);
  sends(t, "x");
  struct msghdr header = message(t, 0, 2, 7, 0);
  CALL(t, SYS_recvmsg, fd, put(t, &header, sizeof header), 0, 0, 0, 0);
}

static void receive_message_error(struct trial *t) {
  struct msghdr header = message(t, 16, 2, 7, 100);
  t->expect = -EAGAIN;
  CALL(t, SYS_recvmsg, local_pair(t, SOCK_DGRAM), put(t, &header, sizeof header), MSG_DONTWAIT, 0, 0, 0);
}

/* Control data that carries two descriptors. */
static size_t two_descriptors(struct trial *t, void *control) {
  struct cmsghdr *head = control;
  int fds[2] = {t->fds[0], t->fds[1]};
  *head = (struct cmsghdr){CMSG_LEN(sizeof fds), SOL_SOCKET, SCM_RIGHTS};
  memcpy(CMSG_DATA(head), fds, sizeof fds);
  return CMSG_SPACE(sizeof fds);
}

static void send_message(struct trial *t) {
  int fd = local_pair(t, SOCK_STREAM);
  struct msghdr header = message(t, 0, 3, 5, 64);
  header.msg_controllen = two_descriptors(t, header.msg_control);
  header.msg_flags = 0;
  t->outgoing = sizeof header + 3 * sizeof(struct iovec) + 15 + header.msg_controllen;
  CALL(t, SYS_sendmsg, fd, put(t, &header, sizeof header), 0, 0, 0, 0);
}

static void receive_descriptors(struct trial *t) {
  uint8_t control[64];
  int fd = local_pair(t, SOCK_STREAM);
  struct iovec part = {"fds", 3};
  struct msghdr sent = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control};
  sent.msg_controllen = two_descriptors(t, control);
  must(sendmsg(t->fds[1], &sent, 0));
  struct msghdr header = message(t, 16, 2, 7, 100);
  CALL(t, SYS_recvmsg, fd, put(t, &header, sizeof header), 0, 0, 0, 0);
}

static struct mmsghdr *messages(struct trial *t, unsigned count) {
  struct mmsghdr headers[4];
  memset(headers, 0x11, sizeof headers);
  for (unsigned i = 0; i < count; i++) headers[i].msg_hdr = message(t, 10, 2, 4, 64);
  return put(t, headers, count * sizeof *headers);
}

static void receive_messages(struct trial *t) {
  struct timespec time = {1, 0};
  int fd = datagrams(t);
  sends(t, "first"), sends(t, "2nd");
  void *headers = messages(t, 4);
  t->outgoing = 4 * (sizeof(struct mmsghdr) + 2 * sizeof(struct iovec)) + 16;
  CALL(t, SYS_recvmmsg, fd, headers, 4, MSG_DONTWAIT, put(t, &time, sizeof time), 0);
}

static void send_messages(struct trial *t) {
  struct mmsghdr headers[3];
  int fd = local_pair(t, SOCK_DGRAM);
  memset(headers, 0x11, sizeof headers);
  for (unsigned i = 0; i < 3; i++) headers[i].msg_hdr = message(t, 0, 2, 4, 0);
  t->outgoing = 3 * (sizeof(struct mmsghdr) + 2 * sizeof(struct iovec) + 8);
  CALL(t, SYS_sendmmsg, fd, put(t, headers, sizeof headers), 3, 0, 0, 0);
}

/* -- Options --------------------------------------------------------------------------------------------- */

static void option(struct trial *t, int level, int name, socklen_t room) {
  int fd = local_pair(t, SOCK_STREAM);
  void *value = place(t, 64);
  t->outgoing = 4;
  CALL(t, SYS_getsockopt, fd, level, name, value, put(t, &room, sizeof room), 0);
}

static void option_int(struct trial *t) {
  option(t, SOL_SOCKET, SO_SNDBUF, 4);
}
static void option_larger(struct trial *t) {
  option(t, SOL_SOCKET, SO_TYPE, 20);
}
static void option_smaller(struct trial *t) {
  option(t, SOL_SOCKET, SO_TYPE, 2);
}
static void option_peer(struct trial *t) {
  option(t, SOL_SOCKET, SO_PEERCRED, 12);
}
static void option_unknown(struct trial *t) {
  option(t, SOL_SOCKET, 9999, 12);
  t->expect = -ENOPROTOOPT;
}

static void option_tcp(struct trial *t) {
  socklen_t room = 64;
  int fd = opened(t, 0, socket(AF_INET, SOCK_STREAM, 0));
  void *value = place(t, 64);
  CALL(t, SYS_getsockopt, fd, IPPROTO_TCP, 11 /* TCP_INFO */, value, put(t, &room, sizeof room), 0);
}

static void option_filter(struct trial *t) {
  struct sock_filter filter[2] = {{0x06, 0, 0, 0xffff}, {0x06, 0, 0, 0xffff}};
  struct sock_fprog program = {2, put(t, filter, sizeof filter)};
  int fd = local_pair(t, SOCK_DGRAM);
  t->outgoing = sizeof program + sizeof filter;
  CALL(t, SYS_setsockopt, fd, SOL_SOCKET, SO_ATTACH_FILTER, put(t, &program, sizeof program), sizeof program,
       0);
}

static void filter_get(struct trial *t) {
  struct sock_filter filter[2] = {{0x06, 0, 0, 0xffff}, {0x06, 0, 0, 0xffff}};
  struct sock_fprog program = {2, filter};
  socklen_t room = 5;
  int fd = local_pair(t, SOCK_DGRAM);
  must(setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program));
  void *value = place(t, 5 * sizeof *filter);
  CALL(t, SYS_getsockopt, fd, SOL_SOCKET, SO_GET_FILTER, value, put(t, &room, sizeof room), 0);
}

static void interfaces(struct trial *t) {
  struct ifconf request = {.ifc_len = 400, .ifc_buf = place(t, 400)};
  int fd = datagrams(t);
  CALL(t, SYS_ioctl, fd, SIOCGIFCONF, put(t, &request, sizeof request), 0, 0, 0);
}

static void interface_index(struct trial *t) {
  struct ifreq request = {.ifr_name = "lo"};
  int fd = datagrams(t);
  t->outgoing = sizeof request;
  CALL(t, SYS_ioctl, fd, SIOCGIFINDEX, put(t, &request, sizeof request), 0, 0, 0);
}

/* A request of the network device: as many strings as the kernel has. */
static void device_strings(struct trial *t) {
  uint32_t command[] = {ETHTOOL_GSTRINGS, ETH_SS_FEATURES, 0};
  struct ifreq request = {.ifr_name = "lo"};
  int fd = datagrams(t);
  request.ifr_data = put(t, command, sizeof command);
  place(t, 8192);
  t->outgoing = 24 + 4;
  CALL(t, SYS_ioctl, fd, SIOCETHTOOL, put(t, &request, sizeof request), 0, 0, 0);
}

static void device_driver(struct trial *t) {
  uint32_t command = ETHTOOL_GDRVINFO;
  struct ifreq request = {.ifr_name = "lo"};
  int fd = datagrams(t);
  t->expect = ANY_RESULT;
  request.ifr_data = put(t, &command, sizeof command);
  place(t, 300);
  CALL(t, SYS_ioctl, fd, SIOCETHTOOL, put(t, &request, sizeof request), 0, 0, 0);
}

static void bridge_list(struct trial *t) {
  unsigned long request[] = {1, (unsigned long)place(t, 64), 16};
  int fd = datagrams(t);
  t->expect = ANY_RESULT;
  CALL(t, SYS_ioctl, fd, SIOCGIFBR, put(t, request, sizeof request), 0, 0, 0);
}

/* The filter of a multicast group is asked for in the buffer that it comes back in. */
static void option_request(struct trial *t) {
  struct ip_msfilter filter = {
      .imsf_multiaddr.s_addr = 0x010000e0, .imsf_interface.s_addr = 0x0100007f, .imsf_numsrc = 4};
  struct ip_mreq group = {.imr_multiaddr.s_addr = 0x010000e0, .imr_interface.s_addr = 0x0100007f};
  socklen_t room = 64;
  int fd = datagrams(t);
  must(setsockopt(fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &group, sizeof group));
  void *value = put(t, &filter, sizeof filter);
  place(t, 64);
  CALL(t, SYS_getsockopt, fd, IPPROTO_IP, IP_MSFILTER, value, put(t, &room, sizeof room), 0);
}

/* -- System V and message queues ------------------------------------------------------------------------- */

static int queue, semaphores, segment;

static void message_receive(struct trial *t) {
  struct {
    long type;
    char text[12];
  } sent = {3, "eleven chars"};
  must(msgsnd(queue, &sent, 12, 0));
  CALL(t, SYS_msgrcv, queue, place(t, 108), 100, 0, 0, 0);
}

static void message_send(struct trial *t) {
  struct {
    long type;
    char text[16];
  } sent = {3, "text"};
  t->outgoing = 8 + 16;
  CALL(t, SYS_msgsnd, queue, put(t, &sent, sizeof sent), 16, 0, 0, 0);
}

static void message_status(struct trial *t) {
  CALL(t, SYS_msgctl, queue, IPC_STAT, place(t, 200), 0, 0, 0);
}
static void message_limits(struct trial *t) {
  CALL(t, SYS_msgctl, 0, IPC_INFO, place(t, 200), 0, 0, 0);
}
static void semaphore_status(struct trial *t) {
  CALL(t, SYS_semctl, semaphores, 0, IPC_STAT, place(t, 200), 0, 0);
}
static void semaphore_all(struct trial *t) {
  t->semaphores = 5;
  CALL(t, SYS_semctl, semaphores, 0, GETALL, place(t, 100), 0, 0);
}
static void semaphore_limits(struct trial *t) {
  CALL(t, SYS_semctl, 0, 0, SEM_INFO, place(t, 200), 0, 0);
}
static void segment_status(struct trial *t) {
  CALL(t, SYS_shmctl, segment, IPC_STAT, place(t, 200), 0, 0, 0);
}
static void segment_limits(struct trial *t) {
  CALL(t, SYS_shmctl, 0, IPC_INFO, place(t, 200), 0, 0, 0);
}
static void segment_info(struct trial *t) {
  CALL(t, SYS_shmctl, 0, SHM_INFO, place(t, 200), 0, 0, 0);
}

static void semaphore_operation(struct trial *t) {
  struct sembuf operation[2] = {{0, 1, 0}, {1, 1, 0}};
  t->outgoing = sizeof operation;
  CALL(t, SYS_semop, semaphores, put(t, operation, sizeof operation), 2, 0, 0, 0);
}

static void queue_receive(struct trial *t) {
  struct mq_attr attributes = {.mq_maxmsg = 4, .mq_msgsize = 50};
  mq_unlink("/reprise-input");
  int fd = opened(t, 0, mq_open("/reprise-input", O_CREAT | O_RDWR, 0600, &attributes));
  must(mq_send(fd, "hello", 5, 7));
  void *buffer = place(t, 50);
  CALL(t, SYS_mq_timedreceive, fd, buffer, 50, place(t, 4), 0, 0);
}

static void queue_attributes(struct trial *t) {
  int fd = opened(t, 0, mq_open("/reprise-input", O_RDWR));
  CALL(t, SYS_mq_getsetattr, fd, 0, place(t, 64), 0, 0, 0);
}

int main(void) {
  signal(SIGPIPE, SIG_IGN);
  TRY(receive_name), TRY(receive_name_short), TRY(receive_name_none), TRY(receive_truncated);
  TRY(receive_discarded), TRY(send_to), TRY(accept_name), TRY(socket_name), TRY(socket_pair),
      TRY(no_socket_pair);
  TRY(receive_message), TRY(receive_message_cut), TRY(receive_message_plain), TRY(receive_message_error);
  TRY(send_message), TRY(receive_descriptors), TRY(receive_messages), TRY(send_messages);
  TRY(option_int), TRY(option_larger), TRY(option_smaller), TRY(option_peer), TRY(option_unknown);
  TRY(option_tcp), TRY(option_filter), TRY(filter_get), TRY(interfaces), TRY(interface_index);
  TRY(device_strings), TRY(device_driver), TRY(bridge_list), TRY(option_request);
  queue = (int)must(msgget(IPC_PRIVATE, 0600));
  semaphores = (int)must(semget(IPC_PRIVATE, 5, 0600));
  segment = (int)must(shmget(IPC_PRIVATE, 4096, 0600));
  TRY(message_receive), TRY(message_send), TRY(message_status), TRY(message_limits);
  TRY(semaphore_status), TRY(semaphore_all), TRY(semaphore_limits), TRY(semaphore_operation);
  TRY(segment_status), TRY(segment_limits), TRY(segment_info);
  TRY(queue_receive), TRY(queue_attributes);
  mq_unlink("/reprise-input");
  msgctl(queue, IPC_RMID, NULL), semctl(semaphores, 0, IPC_RMID), shmctl(segment, IPC_RMID, NULL);
  return trial_end();
}
