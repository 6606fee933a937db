import BinaryCoding
package import CloudRecords

/// A value before sealing, with the stamps that bind it to other values of its record.
package struct SealedContent: Hashable, Sendable {
  /// The value; nil for a field that the save removes.
  ///
  /// The removal is sealed, too. Otherwise a reader could not distinguish it from a value that the
  /// server leaves out.
  package let value: FieldValue?
  /// The save in which the value was sealed.
  package let stamp: SealStamp
  /// The saves of other fields that the device knew.
  package let known: [KnownSave]

  package init(_ value: FieldValue?, stamp: SealStamp, known: [KnownSave] = []) {
    self.value = value
    self.stamp = stamp
    self.known = known
  }

  // MARK: Bytes

  func write(to form: inout BinaryWriter) {
    form.stamp(stamp)
    form.count(known.count)
    for save in known {
      form.text(save.field)
      // Most fields were saved with this one.
      if save.stamp == stamp {
        form.byte(0)
      } else {
        form.byte(1)
        form.stamp(save.stamp)
      }
    }
    ValueEncoding.write(value, to: &form)
  }

  init(from form: inout BinaryReader) throws(BinaryCodingError) {
    let stamp = try form.stamp()
    // Generic functions of another module would double the time here.
    let count = try form.count()
    var known: [KnownSave] = []
    for _ in 0..<count {
      let field = try form.text()
      switch try form.byte() {
      case 0: known.append(KnownSave(field: field, stamp: stamp))
      case 1:
        known.append(KnownSave(field: field, stamp: try form.stamp()))
        guard known.last?.stamp != stamp else { throw form.error("a save is named twice") }
      default: throw form.error("a mark of presence is neither 0 nor 1")
      }
    }
    self.init(try ValueEncoding.value(from: &form), stamp: stamp, known: known)
  }

  /// A number of bytes that is enough for most contents.
  var capacity: Int {
    let size =
      switch value {
      case .string(let text): text.utf8.count
      case .bytes(let bytes): bytes.count
      default: 64
      }
    return known.reduce(size + 48) { $0 + $1.field.utf8.count + 3 }
  }
}
