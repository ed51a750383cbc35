/* proc_path.h: recognising the files of /proc that show a process's engine (proc_path.c). */
#ifndef REPRISE_ENGINE_PROC_PATH_H
#define REPRISE_ENGINE_PROC_PATH_H

#include <stdbool.h>

enum proc_file { PROC_EXE, PROC_MAPS, PROC_SMAPS, PROC_AUXV, PROC_STATUS };
enum { PROC_FOLDER_MAX = 64 };

struct proc_path {
  char folder[PROC_FOLDER_MAX]; /* "/proc/self", "/proc/<pid>/task/<tid>", … */
  enum proc_file file;
  bool own;   /* of the calling process */
  int thread; /* id of the thread whose folder it is; 0: the calling one's */
};

/* True if path, relative to directory, names such a file; symbolic links other than /proc's own are not followed. */
bool proc_path_parse(int directory, const char *path, struct proc_path *out);
/* True if a process or thread, given by its folder, runs under the engine. */
bool proc_runs_engine(const char *folder);

#endif
