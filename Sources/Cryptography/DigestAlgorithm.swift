private import COpenSSL

/// A hash function of libcrypto.
package enum DigestAlgorithm: String, CaseIterable, Sendable {
  /// SHA-2 with 32 bytes, as in the version hashes of models.
  case sha256 = "SHA256"
  /// SHA-2 with 64 bytes, as in the digest of all version hashes.
  case sha512 = "SHA512"
  /// MD5 with 16 bytes, which is not secure.
  ///
  /// The Swift compiler uses it in the names of private declarations.
  case md5 = "MD5"

  /// The length of the algorithm's digests, in bytes.
  package var byteCount: Int {
    switch self {
    case .sha256: 32
    case .sha512: 64
    case .md5: 16
    }
  }

  /// libcrypto's implementation, fetched once because fetching costs more than hashing a small
  /// value.
  var implementation: OpaquePointer {
    switch self {
    case .sha256: unsafe Self.fetchedSHA256
    case .sha512: unsafe Self.fetchedSHA512
    case .md5: unsafe Self.fetchedMD5
    }
  }

  // An EVP_MD never changes after it is fetched, and these are never freed.
  private nonisolated(unsafe) static let fetchedSHA256 = unsafe fetch(.sha256)
  private nonisolated(unsafe) static let fetchedSHA512 = unsafe fetch(.sha512)
  private nonisolated(unsafe) static let fetchedMD5 = unsafe fetch(.md5)

  private static func fetch(_ algorithm: DigestAlgorithm) -> OpaquePointer {
    guard let implementation = unsafe EVP_MD_fetch(nil, algorithm.rawValue, nil) else {
      preconditionFailure(
        "The libcrypto of this system offers no \(algorithm.rawValue). Its configuration may allow approved algorithms only; enable the default provider."
      )
    }
    return unsafe implementation
  }
}
