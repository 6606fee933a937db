package import CloudRecords

/// Seals and opens the encrypted fields of records with available keys.
///
/// Plain fields are unchanged. The server sees sealed values of any type as `BYTES`.
package enum RecordSealing {
  /// Seals the encrypted fields.
  ///
  /// - Parameters:
  ///   - save: Binds the values to each other.
  ///   - makeNonce: Returns 24 random bytes.
  package static func seal(
    _ fields: RecordFields, of place: RecordPlace, under ring: KeyRing, in save: SaveBinding,
    makeNonce: () -> [UInt8]
  ) throws(EncryptionError) -> RecordFields {
    var sealed = fields
    let known = save.known(for: fields.filter(\.field.isEncrypted).map(\.name))
    for entry in fields where entry.field.isEncrypted {
      let value = try SealedValue(
        sealing: SealedContent(
          entry.field.value, stamp: save.stamp, known: known[entry.name] ?? [:]),
        field: entry.name, of: place, under: ring.newest,
        shareName: ring.scope.shareName,
        nonce: makeNonce())
      sealed[entry.name] = Field(.bytes(value.bytes), isEncrypted: true)
    }
    return sealed
  }

  /// Opens the encrypted fields: all of them, or none.
  ///
  /// - Parameter keys: Finds the key of an identifier, in the ring of the zone or of a share.
  /// - Returns: Also the last known saves of the fields.
  /// - Throws: ``EncryptionError/Code/tampered`` for values of several versions of the record.
  package static func open(
    _ fields: RecordFields, of place: RecordPlace,
    keys: (KeyScope, KeyIdentifier) throws(EncryptionError) -> ZoneKey
  ) throws(EncryptionError) -> (fields: RecordFields, seals: [String: SealStamp]) {
    var (opened, saves) = (fields, ShownSaves())
    for entry in fields where entry.field.isEncrypted {
      let sealed = try sealedValue(entry, place)
      let key = try keys(KeyScope(zone: place.record.zone, shareName: sealed.shareName), sealed.key)
      let content = try sealed.open(field: entry.name, of: place, with: key)
      opened[entry.name] = Field(content.value, isEncrypted: true)
      saves.add(content, of: entry.name)
    }
    return (opened, try saves.stamps(of: place))
  }

  /// The keys that the encrypted fields name, without opening any field.
  package static func keys(
    of fields: RecordFields, _ place: RecordPlace
  ) throws(EncryptionError) -> Set<KeyReference> {
    var references: Set<KeyReference> = []
    for entry in fields where entry.field.isEncrypted {
      let sealed = try sealedValue(entry, place)
      references.insert(
        KeyReference(
          scope: KeyScope(zone: place.record.zone, shareName: sealed.shareName), key: sealed.key))
    }
    return references
  }

  private static func sealedValue(
    _ entry: RecordFields.Entry, _ place: RecordPlace
  ) throws(EncryptionError) -> SealedValue {
    guard case .bytes(let bytes) = entry.field.value else {
      throw SealedValue.notSealed(entry.name, place, "its type is \(entry.field.value.type.name)")
    }
    return try SealedValue(bytes, field: entry.name, of: place)
  }
}
