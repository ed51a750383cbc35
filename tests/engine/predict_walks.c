/* predict_walks.c: walks over memory are found by their strides, and bring further steps. */
#include "engine/predict/predict.h"

#include "expect.h"

enum { END = 1 << 20 };

static struct walks walks;

static void begin(void) {
  walks = (struct walks){0};
}

/* A miss in the page; what the walk brings. */
static unsigned page(uint32_t number) {
  return walk_further(walk_by_pages(&walks, number, 0), END);
}

static void test_further_steps_double(void) {
  uint32_t at = 1000, brought = 0;
  begin();
  EXPECT(page(at) == 0);
  EXPECT(page(at += 1) == 0); /* may be chance */
  for (unsigned expected = 1; expected < WALK_MOST; expected = 2 * expected + 1) {
    brought = page(at += brought + 1);
    EXPECT(brought == expected);
  }
  EXPECT(page(at += brought + 1) == WALK_MOST);
  EXPECT(page(at += WALK_MOST + 1) == WALK_MOST);
}

static void test_strides(void) {
  static const int strides[] = {3, -1, -7, 16};
  for (unsigned i = 0; i < sizeof strides / sizeof *strides; i++) {
    begin();
    uint32_t at = 1000;
    page(at);
    for (unsigned n = 0; n < 2; n++) page(at += (uint32_t)strides[i]);
    const struct walk *walk = walk_by_pages(&walks, at + (uint32_t)strides[i], 0);
    EXPECT(walk->stride == strides[i]);
    EXPECT(walk_further(walk, END) == 1);
  }
}

static void test_other_places_are_not_on_the_way(void) {
  begin();
  for (uint32_t at = 1000; at < 1012; at += 4) page(at);
  EXPECT(page(1012) == 1);
  EXPECT(page(1018) == 0); /* between two steps */
}

static void test_misses_within_bring_less(void) {
  uint32_t at = 1000;
  begin();
  for (unsigned i = 0; i < 2; i++) page(at++);
  EXPECT(page(at) == 1);
  EXPECT(page(at += 2) == 3);
  EXPECT(page(at + 2) == 1); /* of the three the second was needed anew */
}

static void test_chance_brings_nothing(void) {
  static const uint32_t pages[] = {1000, 50, 90000, 300, 7000, 44, 1300, 600};
  begin();
  for (unsigned i = 0; i < 64; i++) EXPECT(page(pages[i % 8] + i / 8 * 100000) == 0);
}

static void test_walks_side_by_side(void) {
  begin();
  for (uint32_t i = 0; i < 3; i++) {
    page(1000 + 3 * i);
    page(5000 + 2 * i);
  }
  EXPECT(page(1009) == 1);
  EXPECT(page(5006) == 1);
}

static void test_memory_ends(void) {
  begin();
  struct walk walk = {.at = 95, .stride = 2, .further = 10};
  EXPECT(walk_further(&walk, 100) == 2);
  walk.stride = -30;
  EXPECT(walk_further(&walk, 100) == 3);
  walk.further = 0;
  EXPECT(walk_further(&walk, 100) == 0);
}

static void test_known_pages(void) {
  begin();
  const struct walk *walk = walk_by_pages(&walks, 1000, 5);
  EXPECT(walk->stride == 1);
  EXPECT(walk_further(walk, END) == 5);
  EXPECT(walk_further(walk_by_pages(&walks, 9000, 200), END) == WALK_MOST);
  begin();
  for (uint32_t at = 1000; at < 1009; at += 3) page(at);
  EXPECT(walk_by_pages(&walks, 1009, 1)->stride == 1); /* rather than what it is used to */
}

static void test_blocks_make_it_wider(void) {
  begin();
  EXPECT(walk_by_blocks(&walks, 6400)->width == 1);
  EXPECT(!walk_by_blocks(&walks, 6401)); /* the same step */
  EXPECT(walk_by_blocks(&walks, 6400)->width == 2);
  EXPECT(!walk_by_blocks(&walks, 6402));
  EXPECT(walk_by_blocks(&walks, 6400)->width == 4);
}

static void test_rows_of_a_tile(void) {
  const struct walk *walk;
  begin();
  for (unsigned row = 0; row < 3; row++) {
    walk = walk_by_blocks(&walks, 6400 + row * 160);
    EXPECT(walk);
    if (!row) EXPECT(!walk_by_blocks(&walks, 6401));
  }
  EXPECT(walk->sure);
  walk = walk_by_blocks(&walks, 6400 + 3 * 160);
  EXPECT(walk->stride == 160 && walk->width == 2);
  EXPECT(walk_further(walk, END) == 1);
}

int main(void) {
  test_further_steps_double();
  test_strides();
  test_other_places_are_not_on_the_way();
  test_misses_within_bring_less();
  test_chance_brings_nothing();
  test_walks_side_by_side();
  test_memory_ends();
  test_known_pages();
  test_blocks_make_it_wider();
  test_rows_of_a_tile();
  return expect_end();
}
