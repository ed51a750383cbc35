/* locations.c: see locations.h. Answers are cached: the same few addresses come again and again. */
#include "inspect/locations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "inspect/address_spaces.h"
#include "inspect/symbols.h"

enum { FILES = 64, KEPT = 1024, TEXT = 256 };

struct places {
  struct recording_reader *reader;
  struct spaces *spaces;
  struct {
    bool used;
    uint32_t number;
    char path[RECORDING_PATH_MAX];
    struct symbols *symbols; /* NULL: it has none */
  } files[FILES];            /* by number, which several share */
  struct {
    bool used;
    struct file_place place;
    char text[TEXT];
  } kept[KEPT];
};

struct places *places_new(struct recording_reader *reader) {
  struct places *places = calloc(1, sizeof *places);
  if (!places) return NULL;
  places->reader = reader;
  places->spaces = spaces_new();
  if (places->spaces) return places;
  free(places);
  return NULL;
}

void places_free(struct places *places) {
  if (!places) return;
  for (size_t i = 0; i < FILES; i++) symbols_close(places->files[i].symbols);
  spaces_free(places->spaces);
  free(places);
}

bool places_follow(struct places *places, const struct log_entry *entry) {
  return spaces_follow(places->spaces, entry);
}

/* The slot of a file, which holds its path and symbols then; -1 if it can't be read. */
static int load(struct places *places, uint32_t number) {
  static struct recording_file file;
  int i = (int)(number % FILES), fd;
  if (places->files[i].used && places->files[i].number == number) return i;
  if (recording_find_file(places->reader, number, &file, NULL)) return -1;
  symbols_close(places->files[i].symbols);
  places->files[i].symbols = NULL;
  places->files[i].used = true;
  places->files[i].number = number;
  snprintf(places->files[i].path, sizeof places->files[i].path, "%s", file.path);
  if (recording_open_file(places->reader, &file, &fd, NULL)) return i;
  places->files[i].symbols = symbols_open(fd, places->files[i].path);
  close(fd);
  return i;
}

const char *places_path(struct places *places, uint32_t file) {
  int i = load(places, file);
  return i < 0 ? NULL : places->files[i].path;
}

static void describe(struct places *places, const struct file_place *place, char text[TEXT]) {
  char symbol[TEXT / 2] = "";
  int i = load(places, place->file);
  *text = 0;
  if (i < 0) return;
  if (places->files[i].symbols)
    symbols_text(places->files[i].symbols, place->offset, place->image, symbol, sizeof symbol);
  const char *slash = strrchr(places->files[i].path, '/');
  snprintf(text, TEXT, "%s%s%s", symbol, *symbol ? " in " : "", slash ? slash + 1 : places->files[i].path);
}

const char *places_text(struct places *places, uint32_t thread, uint64_t address) {
  struct file_place place;
  if (!spaces_find(places->spaces, thread, address, &place)) return "";
  size_t i = (place.offset ^ (uint64_t)place.file * 2654435761) % KEPT;
  struct file_place *kept = &places->kept[i].place;
  bool same = places->kept[i].used && kept->file == place.file && kept->offset == place.offset &&
              kept->image == place.image;
  if (!same) describe(places, &place, places->kept[i].text);
  places->kept[i].used = true;
  *kept = place;
  return places->kept[i].text;
}
