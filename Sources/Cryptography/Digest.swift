private import COpenSSL

/// A hash that is computed piece by piece.
///
///     var digest = Digest(.sha256)
///     digest.update(name.utf8)
///     digest.update(bytes)
///     let hash = digest.finish()
@safe package struct Digest: ~Copyable {
  private let algorithm: DigestAlgorithm
  private let context: OpaquePointer

  /// Starts a hash.
  package init(_ algorithm: DigestAlgorithm) {
    guard let context = unsafe EVP_MD_CTX_new() else {
      preconditionFailure(
        "Out of memory: libcrypto could not make a context for \(algorithm.rawValue).")
    }
    self.algorithm = algorithm
    unsafe self.context = unsafe context
    unsafe requireSuccess(EVP_DigestInit_ex2(context, algorithm.implementation, nil))
  }

  deinit {
    unsafe EVP_MD_CTX_free(context)
  }

  /// Adds bytes.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    guard unsafe !bytes.isEmpty else { return }
    unsafe requireSuccess(EVP_DigestUpdate(context, bytes.baseAddress, bytes.count))
  }

  /// Adds bytes.
  package mutating func update(_ bytes: [UInt8]) {
    unsafe bytes.withUnsafeBytes { unsafe update($0) }
  }

  /// Adds bytes.
  package mutating func update(_ bytes: some Sequence<UInt8>) {
    let updated: Void? = bytes.withContiguousStorageIfAvailable {
      unsafe update(UnsafeRawBufferPointer($0))
    }
    if updated == nil { update(Array(bytes)) }
  }

  /// Adds the UTF-8 bytes of a text.
  package mutating func update(_ text: String) {
    var text = text
    text.withUTF8 { unsafe update(UnsafeRawBufferPointer($0)) }
  }

  /// Ends the hash, and returns its bytes.
  package consuming func finish() -> [UInt8] {
    let (algorithm, context) = unsafe (algorithm, context)
    return unsafe [UInt8](unsafeUninitializedCapacity: algorithm.byteCount) { buffer, count in
      unsafe requireSuccess(EVP_DigestFinal_ex(context, buffer.baseAddress, nil))
      count = algorithm.byteCount
    }
  }
}

/// Stops the program if a digest failed.
///
/// libcrypto's digests fail only if memory is exhausted or a context is misused. No caller could
/// recover from either.
func requireSuccess(_ status: CInt) {
  precondition(
    status == 1, "libcrypto could not compute a digest, although the algorithm is there.")
}
