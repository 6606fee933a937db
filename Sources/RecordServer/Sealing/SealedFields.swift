import BinaryCoding
package import CloudRecords

/// A field whose value a client marked as encrypted, as the server keeps it: its name and type can
/// be read, its value cannot.
package struct SealedField: Hashable, Sendable {
  package let name: String
  package let type: FieldType
  /// The client wrote it as `ENCRYPTED_BYTES`.
  package var isOpaqueCiphertext = false
  /// What `RecordSealing` made of the value.
  package let bytes: [UInt8]
}

/// The sealed fields of a record, by name and in the order of their names.
///
/// They lie apart from the record's other fields. So nothing that looks into a record, as indexes,
/// questions, notifications and links do, comes across them.
package struct SealedFields: Hashable, Sendable {
  /// In strictly rising order of the names' bytes.
  package private(set) var entries: [SealedField] = []

  package init() {}

  package var isEmpty: Bool { entries.isEmpty }

  /// Puts a field in, over the one of its name.
  mutating func set(_ field: SealedField) {
    remove(field.name)
    let place = entries.firstIndex { Self.comesBefore(field.name, $0.name) } ?? entries.count
    entries.insert(field, at: place)
  }

  mutating func remove(_ name: String) { entries.removeAll { $0.name == name } }

  /// The fields of these names.
  func keeping(_ names: Set<String>) -> SealedFields {
    var kept = self
    kept.entries.removeAll { !names.contains($0.name) }
    return kept
  }

  private static func comesBefore(_ one: String, _ other: String) -> Bool {
    one.utf8.lexicographicallyPrecedes(other.utf8)
  }
}

extension SealedFields: Sequence {
  package func makeIterator() -> IndexingIterator<[SealedField]> { entries.makeIterator() }
}

// MARK: - The form

extension SealedFields {
  /// Beside a field's type: that the value was written as `ENCRYPTED_BYTES`.
  private static let opaque: UInt8 = 0x80

  func write(to form: inout BinaryWriter) {
    form.count(entries.count)
    for field in entries {
      form.text(field.name)
      form.byte(field.type.rawValue | (field.isOpaqueCiphertext ? Self.opaque : 0))
      form.data(field.bytes)
    }
  }

  init(from form: inout BinaryReader) throws(BinaryCodingError) {
    for _ in 0..<(try form.count()) {
      let name = try form.text()
      let mark = try form.byte()
      guard let type = FieldType(rawValue: mark & ~Self.opaque) else {
        throw form.damage("an unknown type of field")
      }
      if let last = entries.last, !Self.comesBefore(last.name, name) {
        throw form.damage("fields out of order")
      }
      entries.append(
        SealedField(
          name: name, type: type, isOpaqueCiphertext: mark & Self.opaque != 0,
          bytes: try form.data()))
    }
  }
}
