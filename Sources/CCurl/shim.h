#ifndef PARHELION_CCURL_SHIM_H
#define PARHELION_CCURL_SHIM_H

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <sys/socket.h>

// Wrappers of libcurl's variadic functions, which Swift cannot call: one for each argument type.

static inline CURLcode parhelion_curl_set_number(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode parhelion_curl_set_size(CURL *handle, CURLoption option, int64_t value) {
  return curl_easy_setopt(handle, option, (curl_off_t)value);
}

/// Sets a text option. libcurl copies the text.
static inline CURLcode parhelion_curl_set_text(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}

/// Sets a pointer option. libcurl keeps the pointer.
static inline CURLcode parhelion_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
  return curl_easy_setopt(handle, option, value);
}

typedef size_t (*parhelion_curl_bytes)(char *bytes, size_t size, size_t count, void *context);

/// Sets the function that reads the request's body, or gets the response's body or header fields.
static inline CURLcode parhelion_curl_set_bytes(CURL *handle, CURLoption option,
                                                parhelion_curl_bytes function) {
  return curl_easy_setopt(handle, option, function);
}

typedef int (*parhelion_curl_progress)(void *context, curl_off_t download_total,
                                       curl_off_t downloaded, curl_off_t upload_total,
                                       curl_off_t uploaded);

static inline CURLcode parhelion_curl_set_progress(CURL *handle,
                                                   parhelion_curl_progress function) {
  curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
  return curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, function);
}

typedef int (*parhelion_curl_beginning)(void *context, char *their_address, char *our_address,
                                        int their_port, int our_port);

/// Sets the function that is called each time before the request is sent.
static inline CURLcode parhelion_curl_set_beginning(CURL *handle,
                                                    parhelion_curl_beginning function) {
  return curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, function);
}

/// Opens a socket that child processes do not inherit.
static inline curl_socket_t parhelion_curl_open_socket(void *context, curlsocktype purpose,
                                                       struct curl_sockaddr *address) {
  (void)context, (void)purpose;
#ifdef SOCK_CLOEXEC
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
#else
  return socket(address->family, address->socktype, address->protocol);
#endif
}

/// Makes a transfer open its sockets with `parhelion_curl_open_socket`.
static inline CURLcode parhelion_curl_keep_sockets(CURL *handle) {
  return curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, parhelion_curl_open_socket);
}

/// Ends a transfer without waiting for a pending name lookup (libcurl 7.87 and later).
static inline void parhelion_curl_leave_lookups(CURL *handle) {
#if LIBCURL_VERSION_NUM >= 0x075700
  curl_easy_setopt(handle, CURLOPT_QUICK_EXIT, 1L);
#else
  (void)handle;
#endif
}

static inline CURLcode parhelion_curl_get_number(CURL *handle, CURLINFO info, long *value) {
  return curl_easy_getinfo(handle, info, value);
}

static inline CURLMcode parhelion_curl_multi_set_number(CURLM *multi, CURLMoption option,
                                                        long value) {
  return curl_multi_setopt(multi, option, value);
}

static inline CURLSHcode parhelion_curl_share_sessions(CURLSH *share) {
  return curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
}

#endif
