import BinaryCoding
package import CloudRecords

/// An encrypted field as stored by the server: its name and type are readable, its value is sealed.
package struct SealedField: Hashable, Sendable {
  package let name: String
  package let type: FieldType
  /// Whether the client wrote it as `ENCRYPTED_BYTES`.
  package var isOpaqueCiphertext = false
  /// The value as sealed by `RecordSealing`.
  package let bytes: [UInt8]
}

/// The sealed fields of a record, in the order of their names.
///
/// They are separate from the other fields, so that indexes, queries, notifications and links never
/// see them.
package struct SealedFields: Hashable, Sendable {
  /// In strictly ascending order of the names' bytes.
  package private(set) var entries: [SealedField] = []

  package init() {}

  package var isEmpty: Bool { entries.isEmpty }

  /// Sets a field, and replaces one of the same name.
  mutating func set(_ field: SealedField) {
    remove(field.name)
    let place = entries.firstIndex { Self.comesBefore(field.name, $0.name) } ?? entries.count
    entries.insert(field, at: place)
  }

  mutating func remove(_ name: String) { entries.removeAll { $0.name == name } }

  /// The fields with these names.
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

// MARK: - Encoding

extension SealedFields {
  /// A flag in a field's type: the value was written as `ENCRYPTED_BYTES`.
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
        throw form.error("an unknown type of field")
      }
      if let last = entries.last, !Self.comesBefore(last.name, name) {
        throw form.error("fields out of order")
      }
      entries.append(
        SealedField(
          name: name, type: type, isOpaqueCiphertext: mark & Self.opaque != 0,
          bytes: try form.data()))
    }
  }
}
