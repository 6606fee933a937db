#ifndef PARHELION_CTLS_SHIM_H
#define PARHELION_CTLS_SHIM_H

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// Wrappers of OpenSSL's macros and variadic functions, which Swift cannot use.

static inline long parhelion_tls_set_minimum_version(SSL_CTX *context) {
  return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
}

/// Lets idle connections release their buffers, and allows partial writes that continue from
/// another buffer.
static inline void parhelion_tls_set_modes(SSL_CTX *context) {
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
}

/// Disables the server's session cache: clients keep their sessions in tickets.
static inline void parhelion_tls_keep_no_sessions(SSL_CTX *context) {
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}

static inline int parhelion_tls_ticket_key_length(SSL_CTX *context) {
  return (int)SSL_CTX_get_tlsext_ticket_keys(context, NULL, 0);
}

static inline int parhelion_tls_get_ticket_keys(SSL_CTX *context, unsigned char *keys, int length) {
  return (int)SSL_CTX_get_tlsext_ticket_keys(context, keys, length);
}

static inline int parhelion_tls_set_ticket_keys(SSL_CTX *context, unsigned char *keys, int length) {
  return (int)SSL_CTX_set_tlsext_ticket_keys(context, keys, length);
}

/// Fails for a key with a passphrase, instead of asking for it on the terminal.
static inline int parhelion_tls_no_passphrase(char *buffer, int size, int writing, void *data) {
  (void)buffer, (void)size, (void)writing, (void)data;
  return -1;
}

static inline void parhelion_tls_refuse_passphrases(SSL_CTX *context) {
  SSL_CTX_set_default_passwd_cb(context, parhelion_tls_no_passphrase);
}

static inline int parhelion_tls_select_http11(SSL *session, const unsigned char **out,
                                              unsigned char *length, const unsigned char *in,
                                              unsigned int in_length, void *data) {
  (void)session, (void)data;
  static const unsigned char protocols[] = "\x08http/1.1";
  unsigned char *chosen = NULL;
  int result =
      SSL_select_next_proto(&chosen, length, protocols, sizeof protocols - 1, in, in_length);
  if (result != OPENSSL_NPN_NEGOTIATED) return SSL_TLSEXT_ERR_ALERT_FATAL;
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

/// Offers HTTP/1.1 alone to clients that negotiate a protocol.
static inline void parhelion_tls_offer_http11(SSL_CTX *context) {
  SSL_CTX_set_alpn_select_cb(context, parhelion_tls_select_http11, NULL);
}

static inline EVP_PKEY *parhelion_tls_make_p256_key(void) { return EVP_EC_gen("P-256"); }

/// Returns the number of bytes in a memory buffer, and sets `bytes` to them. The buffer owns them.
static inline long parhelion_tls_written_bytes(BIO *buffer, char **bytes) {
  return BIO_get_mem_data(buffer, bytes);
}

#endif
