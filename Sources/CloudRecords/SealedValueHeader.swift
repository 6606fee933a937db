package import BinaryCoding

/// The readable beginning of a value that a device sealed: it names the key that opens the value.
///
/// Servers read it to reject values under a key that is no longer used.
package struct SealedValueHeader: Hashable, Sendable {
  /// The first byte of a sealed value.
  package static let mark: UInt8 = 0xE1
  /// The second byte.
  package static let version: UInt8 = 1

  /// The share whose key sealed the value, or nil for the zone's key.
  package let shareName: String?
  /// The identifier of the key.
  package let key: KeyIdentifier

  package init(shareName: String?, key: KeyIdentifier) {
    self.shareName = shareName
    self.key = key
  }

  /// Reads the header after the mark and the version.
  package init(from form: inout BinaryReader) throws(BinaryCodingError) {
    let name = try form.text()
    shareName = name.isEmpty ? nil : name
    key = try form.keyIdentifier()
  }

  /// Reads the header of a value; nil if the value is not sealed, or has a later version.
  package init?(of value: FieldValue) {
    guard case .bytes(let bytes) = value else { return nil }
    var form = BinaryReader(bytes)
    do throws(BinaryCodingError) {
      guard try form.byte() == Self.mark, try form.byte() == Self.version else { return nil }
      try self.init(from: &form)
    } catch {
      return nil
    }
  }

  package func write(to form: inout BinaryWriter) {
    form.text(shareName ?? "")
    form.keyIdentifier(key)
  }
}
