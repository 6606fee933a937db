package import CloudRecords

/// The sealed values of a record that the server shows.
package struct SealedFields: Sendable {
  private let place: BoundPlace
  private let fields: RecordFields
  private let values: [(field: String, value: SealedValue)]

  /// The opened fields, and the last known saves of the encrypted ones.
  package typealias Opened = (fields: RecordFields, seals: [String: SealStamp])

  /// Parses the encrypted fields.
  package init(_ fields: RecordFields, of place: RecordPlace) throws(EncryptionError) {
    (self.fields, self.place) = (fields, BoundPlace(place))
    var values: [(field: String, value: SealedValue)] = []
    for entry in fields where entry.field.isEncrypted {
      guard case .bytes(let bytes) = entry.field.value else {
        throw SealedValue.notSealed(
          entry.name, self.place, "its type is \(entry.field.value.type.name)")
      }
      values.append((entry.name, try SealedValue(bytes, field: entry.name, of: self.place)))
    }
    self.values = values
  }

  /// The keys that the values name.
  package var keys: Set<KeyReference> {
    Set(values.map { KeyReference(scope: scope(of: $0.value), key: $0.value.key) })
  }

  private func scope(of value: SealedValue) -> KeyScope {
    KeyScope(zone: place.place.record.zone, shareName: value.shareName)
  }

  /// Opens all values, or none.
  ///
  /// - Parameters:
  ///   - wanted: The fields that the request asked for; nil for all.
  ///   - rings: Finds the ring of the zone or of a share.
  ///   - verified: The signatures that were verified before.
  /// - Throws: ``EncryptionError/Code/tampered`` for values of several versions of the record, and
  ///   ``EncryptionError/Code/leftOut`` if a wanted value of the version is not there.
  package func open(
    wanted: Set<String>? = nil, rings: (KeyScope) -> KeyRing?, _ verified: inout VerifiedHashes
  ) throws(EncryptionError) -> Opened {
    var (opened, saves) = (fields, ShownSaves())
    var known: (shareName: String?, ring: KeyRing)?
    for (field, value) in values {
      // Most records have values of one ring.
      let former = known.flatMap { $0.shareName == value.shareName ? $0.ring : nil }
      guard let ring = former ?? rings(scope(of: value)), let key = ring.key(value.key) else {
        throw EncryptionError.unknown(KeyReference(scope: scope(of: value), key: value.key))
      }
      known = (value.shareName, ring)
      let found = try value.open(field: field, of: place, with: key)
      try check(found, field, value, ring, &verified)
      opened[field] = found.content.value.map { Field($0, isEncrypted: true) }
      saves.add(found.content, of: field)
    }
    return (opened, try saves.stamps(of: place, wanted: wanted))
  }

  /// Throws unless a user with permission to write here has signed a value.
  private func check(
    _ found: OpenedValue, _ field: String, _ value: SealedValue, _ ring: KeyRing,
    _ verified: inout VerifiedHashes
  ) throws(EncryptionError) {
    guard let signature = found.signature, let leaf = found.leaf else {
      throw EncryptionError.notSigned(place.name(of: field))
    }
    let people = ring.people(signingWith: signature.signer)
    guard
      let writer = people.first(where: { signature.isOf(leaf, by: $0, &verified) })
    else {
      let name = place.name(of: field)
      throw people.isEmpty
        ? EncryptionError.unknownWriter(name) : EncryptionError.wrongSignature(name)
    }
    guard ring.mayWrite(writer, under: value.key) else {
      throw EncryptionError.notWriter(writer.userRecordName, place.name(of: field))
    }
  }
}
