/* Double-checked locking without a barrier: who makes the object, and who finds it half made. */
#include "race.h"

enum { OBJECTS = 512 };
struct object {
  volatile uint32_t fields[3];
};
static struct object objects[OBJECTS];
static struct object *volatile made[OBJECTS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct object *get(unsigned which, unsigned me) {
  struct object *found = made[which];
  if (found) return found;
  pthread_mutex_lock(&lock);
  found = made[which];
  if (!found) {
    made[which] = found = &objects[which];
    for (unsigned i = 0; i < 3; i++) found->fields[i] = me + 1;
  }
  pthread_mutex_unlock(&lock);
  return found;
}

static void run(unsigned me) {
  for (unsigned i = 0; i < race_rounds; i++) {
    const struct object *object = get(i % OBJECTS, me);
    race_note(me, object->fields[2] * 9 + object->fields[1] * 3 + object->fields[0]);
  }
}

int main(int argc, char **argv) {
  return race_run(argc, argv, OBJECTS * 4, run, NULL);
}
