private import COpenSSL

/// The state of libcrypto in this process.
package enum CryptographyLibrary {
  /// Keeps libcrypto usable until the process has ended.
  ///
  /// Otherwise it frees its tables when `exit` is called, under tasks that still compute in the
  /// background, and the process crashes. Call it before anything else uses libcrypto or libssl.
  package static func prepare() { _ = isReady }

  private static let isReady =
    OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1
}
