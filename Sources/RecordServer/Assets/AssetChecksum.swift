import CloudWire

/// The identity of contents: their SHA-256 hash.
///
/// On the wire it is the Base64 of a version and the hash. Clients treat it as opaque; it
/// authenticates nothing, since any program can compute it.
package struct AssetChecksum: Hashable, Sendable {
  /// The size of a hash.
  package static let byteCount = 32
  private static let version: UInt8 = 1

  /// The hash.
  package let digest: [UInt8]

  /// Creates a checksum from a hash; nil if its length is wrong.
  package init?(digest: [UInt8]) {
    guard digest.count == Self.byteCount else { return nil }
    self.digest = digest
  }

  /// Parses a checksum from a client; nil if this server cannot have issued it.
  package init?(text: String) {
    // The 33 bytes of version and hash need no padding in Base64, so each checksum has exactly one
    // text.
    guard text.utf8.count == (Self.byteCount + 1) / 3 * 4, let bytes = Base64Text.bytes(text),
      bytes.first == Self.version
    else { return nil }
    self.init(digest: Array(bytes.dropFirst()))
  }

  package var text: String { Base64Text.text([Self.version] + digest) }
}
