#ifndef PARHELION_HTTP_ORACLE_H
#define PARHELION_HTTP_ORACLE_H

#include <stddef.h>
#include <stdint.h>

// Parses requests with llhttp, the parser of Node.js. Only the fuzzing program uses it, to compare
// results.

typedef enum {
  PARHELION_ORACLE_COMPLETE,
  PARHELION_ORACLE_NEEDS_MORE,
  PARHELION_ORACLE_REFUSED,
  /// Not to be compared: a method that llhttp does not know, a target that it wants encoded, the
  /// contents of a chunk's extensions or of trailers, or an upgrade of the protocol.
  PARHELION_ORACLE_ABSTAINS,
} parhelion_oracle_verdict;

typedef struct {
  parhelion_oracle_verdict verdict;
  /// The offset of the request's end.
  size_t end;
  const char *reason;
  size_t field_count;
  /// Names and values without surrounding white space, each followed by a zero byte.
  uint8_t *fields;
  size_t fields_length;
  uint8_t *body;
  size_t body_length;
} parhelion_oracle_request;

/// Whether the program was built with llhttp.
int parhelion_oracle_is_present(void);

/// Parses one request. The caller owns the buffers, whose size is twice that of the input plus 64
/// bytes.
void parhelion_oracle_read(const uint8_t *bytes, size_t count, parhelion_oracle_request *request);

#endif
