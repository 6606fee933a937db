#include "CHTTPOracle.h"

#include <string.h>

#if __has_include("llhttp.h")

#include "llhttp.h"

int parhelion_oracle_is_present(void) { return 1; }

static parhelion_oracle_request *request_of(llhttp_t *parser) { return parser->data; }

static void append_field_part(parhelion_oracle_request *request, const char *bytes, size_t count) {
  memcpy(request->fields + request->fields_length, bytes, count);
  request->fields_length += count;
}

static int field_part(llhttp_t *parser, const char *bytes, size_t count) {
  append_field_part(request_of(parser), bytes, count);
  return 0;
}

static int field_part_end(llhttp_t *parser) {
  parhelion_oracle_request *request = request_of(parser);
  while (request->fields_length > 0 && (request->fields[request->fields_length - 1] == ' ' ||
                                        request->fields[request->fields_length - 1] == '\t'))
    request->fields_length -= 1;
  append_field_part(request, "", 1);
  return 0;
}

static int name_end(llhttp_t *parser) {
  request_of(parser)->field_count += 1;
  return field_part_end(parser);
}

static int body_part(llhttp_t *parser, const char *bytes, size_t count) {
  parhelion_oracle_request *request = request_of(parser);
  memcpy(request->body + request->body_length, bytes, count);
  request->body_length += count;
  return 0;
}

static int head_end(llhttp_t *parser) {
  parhelion_oracle_request *request = request_of(parser);
  request->reason = parser->upgrade ? "upgrade" : NULL;
  request->end = 1;
  return 0;
}

static int message_end(llhttp_t *parser) {
  (void)parser;
  return HPE_PAUSED;
}

/// Whether a place is after a semicolon in its line.
static int is_in_extension(const char *bytes, const char *place) {
  while (place > bytes && place[-1] != '\n') {
    if (*--place == ';') return 1;
  }
  return 0;
}

static int is_about_framing(llhttp_errno_t error) {
  return error == HPE_INVALID_TRANSFER_ENCODING || error == HPE_INVALID_CONTENT_LENGTH ||
         error == HPE_UNEXPECTED_CONTENT_LENGTH;
}

void parhelion_oracle_read(const uint8_t *bytes, size_t count, parhelion_oracle_request *request) {
  llhttp_settings_t settings;
  llhttp_settings_init(&settings);
  settings.on_header_field = field_part;
  settings.on_header_field_complete = name_end;
  settings.on_header_value = field_part;
  settings.on_header_value_complete = field_part_end;
  settings.on_headers_complete = head_end;
  settings.on_body = body_part;
  settings.on_message_complete = message_end;

  llhttp_t parser;
  llhttp_init(&parser, HTTP_REQUEST, &settings);
  parser.data = request;
  llhttp_errno_t error = llhttp_execute(&parser, (const char *)bytes, count);
  int is_upgrade = parser.upgrade || request->reason != NULL;
  request->reason = error == HPE_OK ? "" : llhttp_get_error_reason(&parser);
  if (request->reason == NULL) request->reason = "";
  if (error == HPE_OK) {
    request->verdict = PARHELION_ORACLE_NEEDS_MORE;
  } else if (request->end && error != HPE_PAUSED &&
             (is_about_framing(error) ||
              is_in_extension((const char *)bytes, llhttp_get_error_pos(&parser)))) {
    // Our parser checks where extensions and trailers end, and discards their contents.
    request->verdict = PARHELION_ORACLE_ABSTAINS;
  } else if (is_upgrade || error == HPE_INVALID_METHOD || error == HPE_INVALID_URL ||
             error == HPE_PAUSED_UPGRADE) {
    request->verdict = PARHELION_ORACLE_ABSTAINS;
  } else if (error == HPE_PAUSED) {
    request->verdict = PARHELION_ORACLE_COMPLETE;
    request->end = (size_t)(llhttp_get_error_pos(&parser) - (const char *)bytes);
  } else {
    request->verdict = PARHELION_ORACLE_REFUSED;
  }
}

#else

int parhelion_oracle_is_present(void) { return 0; }

void parhelion_oracle_read(const uint8_t *bytes, size_t count, parhelion_oracle_request *request) {
  (void)bytes, (void)count;
  request->verdict = PARHELION_ORACLE_ABSTAINS;
  request->reason = "";
}

#endif
