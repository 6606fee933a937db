private import COpenSSL

/// The state of libcrypto in this process.
package enum CryptographyLibrary {
  /// Keeps libcrypto usable until the process has ended.
  ///
  /// Otherwise `exit` frees libcrypto's tables while background tasks still use them, and the
  /// process crashes. This call must precede any other use of libcrypto or libssl.
  package static func prepare() { _ = isReady }

  private static let isReady =
    OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1
}
