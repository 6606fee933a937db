#ifndef PARHELION_WATCHED_DISK_H
#define PARHELION_WATCHED_DISK_H

#include <stdint.h>

/* Records the operations on SQLite's files of this process, so that a test can create the files
 * that a loss of power would leave. */

enum {
  WATCHED_WRITE,    /* `count` bytes at `place` */
  WATCHED_TRUNCATE, /* to `place` bytes */
  WATCHED_SYNC,     /* everything before the event with the number `place` is on the disk */
  WATCHED_NOTE      /* inserted by the test, with its number in `place` */
};

typedef struct {
  int32_t kind;
  /* The number of the file in the order of first opening, or -1 for a note. */
  int32_t file;
  int64_t place;
  int64_t count;
  const uint8_t *bytes;
} watched_event;

/* Watches all database files and logs that this process opens from now on. Works once for each
 * process. Returns SQLite's result code. */
int watched_disk_install(void);

/* Stops watching newly opened files and recording operations. */
void watched_disk_remove(void);

/* Inserts a number into the events. */
void watched_disk_note(int64_t number);

/* The recorded events and the paths of their files. These functions may be called during recording:
 * the numbers only grow, and recorded events, bytes and paths stay. */
int64_t watched_disk_event_count(void);
watched_event watched_disk_event(int64_t number);
int32_t watched_disk_file_count(void);
const char *watched_disk_path(int32_t file);

#endif
