import BinaryCoding
package import CloudRecords

/// The catalogue's entry of a file.
package struct AssetEntry: Hashable, Sendable {
  package var size: Int64
  /// The unique name of the file with the contents.
  package var fileName: String
  /// The end of the last receipt for the file, or the time of its last release if that is later.
  package var neededUntil: Timestamp
  /// The time to examine whether the file is needed; nil if none is scheduled.
  ///
  /// An examination that finds a record with the file schedules none. The release of the file or a
  /// new receipt schedules one again.
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
      throw form.error("an unknown form of a file's entry")
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
