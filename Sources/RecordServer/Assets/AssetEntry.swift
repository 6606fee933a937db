import BinaryCoding
package import CloudRecords

/// What the server knows of a file whose contents it has.
package struct AssetEntry: Hashable, Sendable {
  package var size: Int64
  /// Where the contents are, by a name that is never used for a second file.
  package var fileName: String
  /// The last moment at which somebody may bring a receipt for it, or has just let go of it.
  package var neededUntil: Timestamp
  /// When it is looked at whether the file is still needed; nil where somebody holds it, and
  /// letting go asks for it.
  package var due: Timestamp?

  private static let version: UInt8 = 1

  init(size: Int64, fileName: String, neededUntil: Timestamp, due: Timestamp? = nil) {
    self.size = size
    self.fileName = fileName
    self.neededUntil = neededUntil
    self.due = due
  }

  init(bytes: [UInt8]) throws {
    var form = BinaryReader(bytes)
    guard try form.byte() == Self.version else {
      throw form.damage("an unknown form of a file's entry")
    }
    size = try form.signed()
    fileName = try form.text()
    neededUntil = Timestamp(milliseconds: try form.signed())
    due = try form.optional { (form) throws(BinaryCodingError) in try form.signed() }.map(
      Timestamp.init)
  }

  var bytes: [UInt8] {
    var form = BinaryWriter(capacity: 128)
    form.byte(Self.version)
    form.signed(size)
    form.text(fileName)
    form.signed(neededUntil.milliseconds)
    form.optional(due) { $0.signed($1.milliseconds) }
    return form.bytes
  }
}
