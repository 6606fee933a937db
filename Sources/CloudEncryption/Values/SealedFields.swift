package import CloudRecords

/// The sealed values of a record as the server shows them.
package struct SealedFields: Sendable {
  private let place: BoundPlace
  private let fields: RecordFields
  /// The encrypted values, in the order of the fields.
  private let values: [SealedValue]

  /// The opened fields, and the last known saves of the encrypted ones.
  package typealias Opened = (fields: RecordFields, seals: SealStamps)

  /// Parses the encrypted fields.
  package init(_ fields: RecordFields, of place: RecordPlace) throws(EncryptionError) {
    (self.fields, self.place) = (fields, BoundPlace(place))
    var values: [SealedValue] = []
    values.reserveCapacity(fields.count)
    for entry in fields where entry.field.isEncrypted {
      guard case .bytes(let bytes) = entry.field.value else {
        throw SealedValue.notSealed(
          entry.name, self.place, "its type is \(entry.field.value.type.name)")
      }
      values.append(try SealedValue(bytes, field: entry.name, of: self.place))
    }
    self.values = values
  }

  /// The keys that the values name.
  package var keys: Set<KeyReference> {
    var (keys, last) = (Set<KeyReference>(), SealedValue?.none)
    for value in values where last?.key != value.key || last?.shareName != value.shareName {
      keys.insert(KeyReference(scope: scope(of: value), key: value.key))
      last = value
    }
    return keys
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
    wanted: Set<String>? = nil, rings: (KeyScope) -> KeyRing?,
    _ verified: inout VerifiedSignatures
  ) throws(EncryptionError) -> Opened {
    var (opened, saves) = ([RecordFields.Entry](), ShownSaves(capacity: values.count))
    opened.reserveCapacity(fields.count)
    guard let first = values.first else { return (fields, [:]) }
    var (next, known) = (0, try key(of: first, rings))
    for entry in fields {
      guard entry.field.isEncrypted else {
        opened.append(entry)
        continue
      }
      let value = values[next]
      next += 1
      // Most records have values under one key.
      if !known.isOf(value) { known = try key(of: value, rings) }
      let found = try value.open(field: entry.name, of: place, with: known.key, &verified.hasher)
      try check(found, entry.name, &known, &verified)
      if let value = found.content.value {
        opened.append(RecordFields.Entry(name: entry.name, field: Field(value, isEncrypted: true)))
      }
      saves.add(found.content, of: entry.name)
    }
    return (RecordFields(sorted: opened), try saves.stamps(of: place, wanted: wanted))
  }

  /// A key with its ring, and the signer of the last value that was checked under the key.
  private struct KnownKey {
    let shareName: String?
    let key: ZoneKey
    let ring: KeyRing
    var writer: PublicIdentity?

    func isOf(_ value: SealedValue) -> Bool {
      key.identifier == value.key && shareName == value.shareName
    }
  }

  private func key(
    of value: SealedValue, _ rings: (KeyScope) -> KeyRing?
  ) throws(EncryptionError) -> KnownKey {
    let scope = scope(of: value)
    guard let ring = rings(scope), let key = ring.key(value.key) else {
      throw EncryptionError.unknown(KeyReference(scope: scope, key: value.key))
    }
    return KnownKey(shareName: value.shareName, key: key, ring: ring)
  }

  /// Throws unless a user who may write under the value's key has signed the value.
  private func check(
    _ found: OpenedValue, _ field: String, _ known: inout KnownKey,
    _ verified: inout VerifiedSignatures
  ) throws(EncryptionError) {
    guard let signature = found.signature, let leaf = found.leaf else {
      throw EncryptionError.notSigned(place.name(of: field))
    }
    if let writer = known.writer, verified.verify(signature, of: leaf, by: writer) { return }
    let found = known.ring.firstPerson(signingWith: signature.signer) {
      verified.verify(signature, of: leaf, by: $0)
    }
    guard let writer = found.person else {
      let name = place.name(of: field)
      throw found.isKnown
        ? EncryptionError.wrongSignature(name) : EncryptionError.unknownWriter(name)
    }
    guard known.ring.mayWrite(writer, under: known.key.identifier) else {
      throw EncryptionError.notWriter(writer.userRecordName, place.name(of: field))
    }
    known.writer = writer
  }
}
