import CloudWire

/// The server's name for contents: their SHA-256.
///
/// On the wire it is base64 of a version and the hash. Clients take it as it is; it proves nothing,
/// since everybody can compute it of what they have.
package struct AssetChecksum: Hashable, Sendable {
  /// The bytes of a hash.
  package static let byteCount = 32
  private static let version: UInt8 = 1

  /// The hash.
  package let digest: [UInt8]

  /// The name of contents with a hash; nil where it has another length.
  package init?(digest: [UInt8]) {
    guard digest.count == Self.byteCount else { return nil }
    self.digest = digest
  }

  /// Reads what a client sent; nil for everything that this server cannot have given to anybody.
  package init?(text: String) {
    // Three times eleven bytes: no padding, so that one name has one text.
    guard text.utf8.count == (Self.byteCount + 1) / 3 * 4, let bytes = Base64Text.bytes(text),
      bytes.first == Self.version
    else { return nil }
    self.init(digest: Array(bytes.dropFirst()))
  }

  package var text: String { Base64Text.text([Self.version] + digest) }
}
