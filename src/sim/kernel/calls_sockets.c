/* calls_sockets.c: stream sockets between the processes of a sphere: pairs, local names, and loopback addresses.
 *
 * A connection is two pipes. Nothing leaves the simulated machine. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "sim/kernel/calls.h"
#include "sim/kernel/files.h"

call_function call_socket, call_socketpair, call_bind, call_listen, call_accept, call_accept4, call_connect,
    call_getsockname, call_getpeername, call_sendto, call_recvfrom, call_setsockopt, call_getsockopt,
    call_shutdown, call_sendmsg, call_recvmsg;

enum { BACKLOG = 64, FIRST_PORT = 40000 };

static int64_t get(struct task *task, uint64_t descriptor, struct open_file **file) {
  *file = file_get(task, descriptor);
  return !*file ? -EBADF : !(*file)->socket && !(*file)->out ? -ENOTSOCK : 0;
}

void socket_free(struct kernel *kernel, struct socket *socket) {
  for (struct socket **at = &kernel->listeners; *at; at = &(*at)->next)
    if (*at == socket) {
      *at = socket->next;
      break;
    }
  for (uint32_t n = 0; n < socket->count; n++) file_release(socket->waiting[(socket->first + n) % BACKLOG]);
  free(socket);
}

/* -- Making ---------------------------------------------------------------------------------------------------------------------------------- */

static int64_t check_kind(struct task *task, uint64_t family, uint64_t type) {
  if ((type & 15) == SOCK_STREAM && (family == AF_INET || family == AF_UNIX)) return 0;
  kernel_fail(kernel_of(task), 122,
              "%s: only stream sockets, local or IPv4, are supported by the simulator's kernel",
              task->process->path);
  return -EAFNOSUPPORT;
}

static struct socket *new_socket(struct task *task, uint32_t family) {
  struct socket *socket = calloc(1, sizeof *socket);
  if (!socket) return NULL;
  uint16_t kind = (uint16_t)family;
  socket->family = family;
  socket->sphere = task->thread.sphere;
  socket->length = family == AF_INET ? sizeof(struct sockaddr_in) : sizeof kind;
  memcpy(socket->address, &kind, sizeof kind);
  return socket;
}

static int64_t install(struct task *task, struct open_file *file, uint64_t type) {
  file->nonblocking = type & SOCK_NONBLOCK;
  return file_install(task->process, file, 0, type & SOCK_CLOEXEC);
}

int64_t call_socket(struct task *task, const uint64_t argument[6]) {
  int64_t result = check_kind(task, argument[0], argument[1]);
  if (result) return result;
  struct open_file *file = file_new(-1);
  if (!file || !(file->socket = new_socket(task, (uint32_t)argument[0]))) {
    free(file);
    return -ENOMEM;
  }
  file->kernel = kernel_of(task);
  return install(task, file, argument[1]);
}

int64_t call_socketpair(struct task *task, const uint64_t argument[6]) {
  struct open_file *ends[2];
  int32_t numbers[2];
  int64_t result = check_kind(task, argument[0], argument[1]);
  if (result) return result;
  if (!file_make_pair(kernel_of(task), ends)) return -ENOMEM;
  for (int i = 0; i < 2; i++) {
    int64_t number = install(task, ends[i], argument[1]);
    if (number < 0) return number;
    numbers[i] = (int32_t)number;
  }
  return copy_in(task, argument[3], numbers, sizeof numbers) ? -EFAULT : 0;
}

/* -- Names ----------------------------------------------------------------------------------------------------------------------------------- */

static int64_t read_address(struct task *task, uint64_t from, uint64_t length, struct socket *to) {
  if (length < 2 || length > sizeof to->address) return -EINVAL;
  memset(to->address, 0, sizeof to->address);
  if (copy_out(task, to->address, from, length)) return -EFAULT;
  struct sockaddr_in in;
  memcpy(&in, to->address, sizeof in);
  to->family = in.sin_family;
  to->length = (uint32_t)length;
  if (in.sin_family != AF_INET) return in.sin_family == AF_UNIX ? 0 : -EAFNOSUPPORT;
  uint32_t address = ntohl(in.sin_addr.s_addr);
  if (length < sizeof in) return -EINVAL;
  if (address && address >> 24 != 127) return -ENETUNREACH;
  /* All of loopback is one. */
  in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  memset(in.sin_zero, 0, sizeof in.sin_zero);
  memcpy(to->address, &in, sizeof in);
  to->length = sizeof in;
  return 0;
}

static bool same_address(const struct socket *a, const struct socket *b) {
  return a->sphere == b->sphere && a->length == b->length && !memcmp(a->address, b->address, a->length);
}

static struct socket *find_listener(struct kernel *kernel, const struct socket *address) {
  for (struct socket *s = kernel->listeners; s; s = s->next)
    if (same_address(s, address)) return s;
  return NULL;
}

/* The lowest port that nobody listens at. */
static void choose_port(struct kernel *kernel, struct socket *socket) {
  struct sockaddr_in in;
  memcpy(&in, socket->address, sizeof in);
  if (socket->family != AF_INET || in.sin_port) return;
  for (uint16_t port = FIRST_PORT; port; port++) {
    in.sin_port = htons(port);
    memcpy(socket->address, &in, sizeof in);
    if (!find_listener(kernel, socket)) return;
  }
}

int64_t call_bind(struct task *task, const uint64_t argument[6]) {
  struct open_file *file;
  struct socket wanted = {.sphere = task->thread.sphere};
  int64_t result = get(task, argument[0], &file);
  if (!result) result = file->out ? -EINVAL : read_address(task, argument[1], argument[2], &wanted);
  if (result) return result;
  if (find_listener(kernel_of(task), &wanted)) return -EADDRINUSE;
  choose_port(kernel_of(task), &wanted);
  memcpy(file->socket->address, wanted.address, sizeof wanted.address);
  file->socket->length = wanted.length;
  file->socket->bound = true;
  return 0;
}

int64_t call_listen(struct task *task, const uint64_t argument[6]) {
  struct open_file *file;
  int64_t result = get(task, argument[0], &file);
  if (result || file->out) return result ? result : -EINVAL;
  if (file->socket->listens) return 0;
  if (!file->socket->bound) choose_port(kernel_of(task), file->socket);
  file->socket->listens = true;
  file->socket->next = kernel_of(task)->listeners;
  kernel_of(task)->listeners = file->socket;
  return 0;
}

static int64_t tell_address(struct task *task, const struct socket *socket, uint64_t to, uint64_t length_at) {
  uint32_t room;
  uint16_t local = AF_UNIX;
  const uint8_t *address = socket ? socket->address : (const uint8_t *)&local;
  uint32_t length = socket ? socket->length : sizeof local;
  if (!to) return 0;
  if (copy_out(task, &room, length_at, sizeof room)) return -EFAULT;
  if (copy_in(task, to, address, room < length ? room : length)) return -EFAULT;
  return copy_in(task, length_at, &length, sizeof length) ? -EFAULT : 0;
}

int64_t call_getsockname(struct task *task, const uint64_t argument[6]) {
  struct open_file *file;
  int64_t result = get(task, argument[0], &file);
  return result ? result : tell_address(task, file->socket, argument[1], argument[2]);
}

int64_t call_getpeername(struct task *task, const uint64_t argument[6]) {
  struct open_file *file;
  int64_t result = get(task, argument[0], &file);
  if (!result && !file->out) result = -ENOTCONN;
  return result ? result : tell_address(task, file->socket, argument[1], argument[2]);
}

/* -- Connections ----------------------------------------------------------------------------------------------------------------------------- */

int64_t call_connect(struct task *task, const uint64_t argument[6]) {
  struct open_file *file, *ends[2];
  struct kernel *kernel = kernel_of(task);
  struct socket wanted = {.sphere = task->thread.sphere};
  int64_t result = get(task, argument[0], &file);
  if (!result && file->out) result = -EISCONN;
  if (!result) result = read_address(task, argument[1], argument[2], &wanted);
  if (result) return result;
  struct socket *listener = find_listener(kernel, &wanted);
  if (!listener) return wanted.family == AF_UNIX ? -ENOENT : -ECONNREFUSED;
  if (listener->count == BACKLOG) return -EAGAIN;
  if (!file_make_pair(kernel, ends)) return -ENOMEM;
  ends[1]->socket = new_socket(task, listener->family);
  if (!ends[1]->socket) return -ENOMEM;
  memcpy(ends[1]->socket->address, listener->address, sizeof listener->address);
  ends[1]->socket->length = listener->length;
  /* The first end becomes the file that asks. */
  file->pipe = ends[0]->pipe;
  file->out = ends[0]->out;
  free(ends[0]);
  listener->waiting[(listener->first + listener->count++) % BACKLOG] = ends[1];
  wake_queue(&listener->can_accept, 1, 0);
  wake_queue(&kernel->pollers, UINT32_MAX, 0);
  return 0;
}

int64_t call_accept4(struct task *task, const uint64_t argument[6]) {
  struct open_file *file;
  int64_t result = get(task, argument[0], &file);
  if (result) return result;
  struct socket *socket = file->socket;
  if (!socket || !socket->listens) return -EINVAL;
  while (!socket->count) {
    if (file->nonblocking) return -EAGAIN;
    if (wait_on(task, &socket->can_accept, UINT64_MAX, true) == -EINTR) return -RESTART;
  }
  struct open_file *connection = socket->waiting[socket->first];
  socket->first = (socket->first + 1) % BACKLOG;
  socket->count--;
  const struct socket *about = connection->socket;
  file_hold(task, connection);
  int64_t number = install(task, connection, argument[3]);
  if (number < 0) return number;
  result = tell_address(task, about, argument[1], argument[2]);
  return result ? result : number;
}

int64_t call_accept(struct task *task, const uint64_t argument[6]) {
  const uint64_t all[6] = {argument[0], argument[1], argument[2], 0};
  return call_accept4(task, all);
}

/* -- Data ------------------------------------------------------------------------------------------------------------------------------------ */

enum { MOST_BYTES = 1 << 20, MOST_PARTS = 1024 };

/* Without waiting if the flags say so. */
static int64_t send_bytes(struct task *task, struct open_file *file, const void *bytes, uint64_t count,
                          uint64_t flags) {
  if (!file->out->readers && flags & MSG_NOSIGNAL) return -EPIPE;
  bool waits = file->nonblocking;
  file->nonblocking = waits || flags & MSG_DONTWAIT;
  int64_t result = file_write(task, file, bytes, count);
  file->nonblocking = waits;
  return result;
}

static int64_t receive_bytes(struct task *task, struct open_file *file, uint8_t *bytes, uint64_t count,
                             uint64_t flags) {
  if (flags & ~(uint64_t)(MSG_DONTWAIT | MSG_NOSIGNAL | MSG_WAITALL | MSG_PEEK | MSG_CMSG_CLOEXEC))
    return -EOPNOTSUPP;
  bool waits = file->nonblocking;
  file->nonblocking = waits || flags & MSG_DONTWAIT;
  uint64_t done = 0;
  int64_t result;
  do {
    result = flags & MSG_PEEK ? file_peek(task, file, bytes, count)
                              : file_read(task, file, bytes + done, count - done);
    if (result > 0) done += (uint64_t)result;
  } while (result > 0 && done < count && flags & MSG_WAITALL && !(flags & MSG_PEEK));
  file->nonblocking = waits;
  return done ? (int64_t)done : result;
}

static int64_t get_connected(struct task *task, uint64_t descriptor, struct open_file **file) {
  int64_t result = get(task, descriptor, file);
  return result ? result : (*file)->out ? 0 : -ENOTCONN;
}

int64_t call_sendto(struct task *task, const uint64_t argument[6]) {
  struct open_file *file;
  int64_t result = get_connected(task, argument[0], &file);
  if (result) return result;
  uint64_t count = argument[2] < MOST_BYTES ? argument[2] : MOST_BYTES;
  uint8_t *bytes = malloc(count + 1);
  if (!bytes) return -ENOMEM;
  result =
      copy_out(task, bytes, argument[1], count) ? -EFAULT : send_bytes(task, file, bytes, count, argument[3]);
  free(bytes);
  return result;
}

int64_t call_recvfrom(struct task *task, const uint64_t argument[6]) {
  struct open_file *file;
  int64_t result = get_connected(task, argument[0], &file);
  if (result) return result;
  uint64_t count = argument[2] < MOST_BYTES ? argument[2] : MOST_BYTES;
  uint8_t *bytes = malloc(count + 1);
  if (!bytes) return -ENOMEM;
  result = receive_bytes(task, file, bytes, count, argument[3]);
  if (result > 0 && copy_in(task, argument[1], bytes, (uint64_t)result)) result = -EFAULT;
  free(bytes);
  return result;
}

/* -- Messages -------------------------------------------------------------------------------------------------------------------------------- */

struct target_message { /* struct msghdr of 64-bit Linux */
  uint64_t name;
  uint32_t name_length, pad;
  uint64_t parts, part_count, control, control_length;
  uint32_t flags, pad2;
};

struct message {
  struct target_message head;
  uint64_t part[MOST_PARTS][2], count; /* count: bytes in all parts */
  uint8_t *bytes;
};

static int64_t read_message(struct task *task, uint64_t from, struct message *message) {
  if (copy_out(task, &message->head, from, sizeof message->head)) return -EFAULT;
  if (message->head.part_count > MOST_PARTS) return -EMSGSIZE;
  if (copy_out(task, message->part, message->head.parts, message->head.part_count * sizeof *message->part))
    return -EFAULT;
  for (uint64_t i = 0; i < message->head.part_count; i++) {
    uint64_t room = MOST_BYTES - message->count;
    if (message->part[i][1] > room) message->part[i][1] = room;
    message->count += message->part[i][1];
  }
  message->bytes = malloc(message->count + 1);
  return message->bytes ? 0 : -ENOMEM;
}

/* Each part of the message and its bytes; until so many have been moved. */
static int64_t scatter(struct task *task, const struct message *message, uint64_t count, bool in) {
  uint8_t *at = message->bytes;
  for (uint64_t i = 0; i < message->head.part_count && count; i++) {
    uint64_t part = message->part[i][1] < count ? message->part[i][1] : count, address = message->part[i][0];
    if (part && (in ? copy_in(task, address, at, part) : copy_out(task, at, address, part))) return -EFAULT;
    at += part;
    count -= part;
  }
  return 0;
}

static int64_t refuse_control(struct task *task) {
  kernel_fail(
      kernel_of(task), 122,
      "%s: messages with descriptors or other control data are not supported by the simulator's kernel",
      task->process->path);
  return -EINVAL;
}

static int64_t move_message(struct task *task, const uint64_t argument[6], struct message *message, bool in) {
  struct open_file *file;
  int64_t result = get_connected(task, argument[0], &file);
  if (!result) result = read_message(task, argument[1], message);
  if (result) return result;
  if (!in) {
    if (message->head.control_length) return refuse_control(task);
    result = scatter(task, message, message->count, false);
    return result ? result : send_bytes(task, file, message->bytes, message->count, argument[2]);
  }
  result = receive_bytes(task, file, message->bytes, message->count, argument[2]);
  if (result < 0) return result;
  if (scatter(task, message, (uint64_t)result, true)) return -EFAULT;
  message->head.name_length = 0;
  message->head.control_length = 0;
  message->head.flags = 0;
  return copy_in(task, argument[1], &message->head, sizeof message->head) ? -EFAULT : result;
}

static int64_t with_message(struct task *task, const uint64_t argument[6], bool in) {
  struct message *message = calloc(1, sizeof *message);
  if (!message) return -ENOMEM;
  int64_t result = move_message(task, argument, message, in);
  free(message->bytes);
  free(message);
  return result;
}

int64_t call_sendmsg(struct task *task, const uint64_t argument[6]) {
  return with_message(task, argument, false);
}

int64_t call_recvmsg(struct task *task, const uint64_t argument[6]) {
  return with_message(task, argument, true);
}

/* -- Options --------------------------------------------------------------------------------------------------------------------------------- */

/* Accepted and without effect: there is no network to tune. */
int64_t call_setsockopt(struct task *task, const uint64_t argument[6]) {
  struct open_file *file;
  return get(task, argument[0], &file);
}

int64_t call_getsockopt(struct task *task, const uint64_t argument[6]) {
  struct open_file *file;
  int32_t value = 0;
  uint32_t length = sizeof value;
  int64_t result = get(task, argument[0], &file);
  if (result) return result;
  if (argument[1] == SOL_SOCKET && argument[2] == SO_TYPE) value = SOCK_STREAM;
  if (copy_in(task, argument[3], &value, sizeof value)) return -EFAULT;
  return copy_in(task, argument[4], &length, sizeof length) ? -EFAULT : 0;
}

int64_t call_shutdown(struct task *task, const uint64_t argument[6]) {
  struct open_file *file;
  int64_t result = get(task, argument[0], &file);
  if (!result && !file->out) result = -ENOTCONN;
  if (result) return result;
  if (argument[1] != SHUT_RD) file_end_output(file);
  return 0;
}
