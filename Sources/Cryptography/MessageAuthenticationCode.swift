private import COpenSSL

/// HMAC with SHA-256: a code that only a holder of the key can compute.
package enum MessageAuthenticationCode {
  package static let byteCount = 32

  /// Returns the code of a message.
  package static func make(of message: [UInt8], key: [UInt8]) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
      let code = unsafe HMAC(
        DigestAlgorithm.sha256.implementation, key, CInt(key.count), message, message.count,
        buffer.baseAddress, nil)
      precondition(
        unsafe code != nil, "libcrypto could not compute a code, although the algorithm is there.")
      count = byteCount
    }
  }
}
