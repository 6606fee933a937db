private import COpenSSL

/// Unpredictable random bytes.
package enum SecureRandom {
  /// Returns random bytes from libcrypto's generator, which the system seeds.
  package static func bytes(_ count: Int) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialised in
      precondition(
        unsafe RAND_bytes(buffer.baseAddress, CInt(count)) == 1,
        "The system gives no random bytes: without them nothing that this process makes would be secret."
      )
      initialised = count
    }
  }
}
