#ifndef PARHELION_WATCHED_DISK_H
#define PARHELION_WATCHED_DISK_H

#include <stdint.h>

/* Writes down what SQLite's files of this process are told, so that a test can make the disk that a loss of power would have left. */

enum {
  WATCHED_WRITE,    /* `count` bytes at `place` */
  WATCHED_TRUNCATE, /* to `place` bytes */
  WATCHED_SYNC,     /* everything before the event with the number `place` is on the disk */
  WATCHED_NOTE      /* the test's own, with its number in `place` */
};

typedef struct {
  int32_t kind;
  /* The number of the file, in the order in which files were opened first; of a note, -1. */
  int32_t file;
  int64_t place;
  int64_t count;
  const uint8_t *bytes;
} watched_event;

/* Watches all database files and logs that are opened from now on by this process. Once for each process. Returns a code of SQLite. */
int watched_disk_install(void);

/* Files that are opened from now on are not watched, and nothing more is written down. */
void watched_disk_remove(void);

/* Puts a number among the events. */
void watched_disk_note(int64_t number);

/* How many events there are, each of them, and the path of a file. For when nothing is written down any more. */
int64_t watched_disk_event_count(void);
watched_event watched_disk_event(int64_t number);
int32_t watched_disk_file_count(void);
const char *watched_disk_path(int32_t file);

#endif
