#ifndef PARHELION_HTTP_ORACLE_H
#define PARHELION_HTTP_ORACLE_H

#include <stddef.h>
#include <stdint.h>

// What llhttp, the parser of Node.js, makes of a request. It is only compared with; nothing but the fuzzing program has it.

typedef enum {
  PARHELION_ORACLE_COMPLETE,
  PARHELION_ORACLE_NEEDS_MORE,
  PARHELION_ORACLE_REFUSED,
  /// It has no opinion: a method it does not know, a target it wants to be encoded, what is within
  /// a chunk's extensions or trailers, a change of protocols.
  PARHELION_ORACLE_ABSTAINS,
} parhelion_oracle_verdict;

typedef struct {
  parhelion_oracle_verdict verdict;
  /// Where the request ends.
  size_t end;
  const char *reason;
  size_t field_count;
  /// Names and values without white space around them, each with a zero behind it.
  uint8_t *fields;
  size_t fields_length;
  uint8_t *body;
  size_t body_length;
} parhelion_oracle_request;

/// Whether llhttp's sources were there when the program was built.
int parhelion_oracle_is_present(void);

/// Reads one request. The buffers are the caller's, with room for twice the input's bytes and 64 more.
void parhelion_oracle_read(const uint8_t *bytes, size_t count, parhelion_oracle_request *request);

#endif
