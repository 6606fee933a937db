private import COpenSSL

extension DigestAlgorithm {
  /// Returns the hash of bytes.
  package func hash(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    let input: (UnsafeRawPointer?, Int) = (bytes.baseAddress, bytes.count)
    return unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
      unsafe requireSuccess(
        EVP_Digest(input.0, input.1, buffer.baseAddress, nil, implementation, nil))
      count = byteCount
    }
  }

  /// Returns the hash of bytes.
  package func hash(_ bytes: [UInt8]) -> [UInt8] {
    unsafe bytes.withUnsafeBytes { unsafe hash($0) }
  }

  /// Returns the hash of bytes.
  package func hash(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    bytes.withContiguousStorageIfAvailable { unsafe hash(UnsafeRawBufferPointer($0)) }
      ?? hash(Array(bytes))
  }
}
