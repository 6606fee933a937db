import BinaryCoding
package import CloudRecords

/// The save of a field, which the device of another one knew.
package struct KnownSave: Hashable, Sendable {
  package let field: String
  package let stamp: SealStamp

  package init(field: String, stamp: SealStamp) { (self.field, self.stamp) = (field, stamp) }
}

/// A value before sealing, with what binds it to others of its record.
package struct SealedContent: Hashable, Sendable {
  /// The value; nil for a field that the save removes.
  ///
  /// The removal is sealed, too. Otherwise it could not be told from a value that the server leaves
  /// out.
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

  var bytes: [UInt8] {
    var form = BinaryWriter()
    form.stamp(stamp)
    form.count(known.count)
    for save in known {
      form.text(save.field)
      form.stamp(save.stamp)
    }
    ValueEncoding.write(value, to: &form)
    return form.bytes
  }

  init(from form: inout BinaryReader) throws(BinaryCodingError) {
    let stamp = try form.stamp()
    let known = try form.list { (form) throws(BinaryCodingError) in
      KnownSave(field: try form.text(), stamp: try form.stamp())
    }
    self.init(try ValueEncoding.value(from: &form), stamp: stamp, known: known)
  }
}
