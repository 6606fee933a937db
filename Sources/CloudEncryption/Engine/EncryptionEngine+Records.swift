package import CloudRecords

/// Sealing and opening the values of records.
extension EncryptionEngine {
  /// Seals the encrypted fields of a record.
  ///
  /// Other fields are unchanged.
  ///
  /// The first value of a zone or share creates its first key.
  ///
  /// - Parameters:
  ///   - shareName: The share that the record belongs to through its parents, or nil if only the
  ///     whole zone is shared, or nothing.
  ///   - base: The saves of the version that is changed; empty for a new record, nil for a save
  ///     over any version.
  ///   - cleared: The encrypted fields that the save removes.
  /// - Returns: Also the stamps of the save.
  package func seal(
    _ fields: RecordFields, of record: RecordIdentifier, recordType: String,
    shareName: String? = nil, over base: [String: SealStamp]? = nil, clearing cleared: [String] = []
  ) async throws -> (fields: RecordFields, stamps: [String: SealStamp]) {
    let names = fields.filter(\.field.isEncrypted).map(\.name)
    guard !names.isEmpty else { return (fields, [:]) }
    let ring = try await ring(of: KeyScope(zone: record.zone, shareName: shareName))
    let save = SaveBinding(
      name: dependencies.randomBytes(SealStamp.nameByteCount), over: base, clearing: cleared,
      at: dependencies.now())
    let sealed = try RecordSealing.seal(
      fields, of: place(record, recordType), under: ring, in: save
    ) {
      dependencies.randomBytes(24)
    }
    var stamps: [String: SealStamp] = [:]
    for field in names + cleared { stamps[field] = save.stamp }
    return (sealed, stamps)
  }

  /// Records that the server has a save of this device.
  package func noteSaved(_ stamps: [String: SealStamp], of record: RecordIdentifier) {
    _ = seenSaves.note(stamps, of: named(record))
  }

  /// Opens the encrypted fields of a fetched record: all of them, or none.
  package func open(_ record: CloudRecord) async throws -> CloudRecord {
    guard record.fields.contains(where: \.field.isEncrypted) else { return record }
    let place = place(named(record.identifier), record.recordType)
    try await fetchKeys(RecordSealing.keys(of: record.fields, place))
    let rings = try stored().rings
    var opened = record
    (opened.fields, opened.seals) = try RecordSealing.open(record.fields, of: place) {
      (scope, key) throws(EncryptionError) in
      guard let found = rings[scope]?.key(key) else {
        throw EncryptionError.unknown(KeyReference(scope: scope, key: key))
      }
      return found
    }
    if !seenSaves.note(opened.seals, of: place.record) { older.insert(place.record) }
    return opened
  }

  /// Removes and returns the records that the server has shown in an earlier version than before.
  package func takeOlderRecords() -> Set<RecordIdentifier> {
    defer { older = [] }
    return older
  }

  /// Whether encrypted fields are sealed under a key other than the newest one.
  ///
  /// Such records existed when a participant was removed, or have moved into or out of a share.
  /// They should be opened, sealed and saved again.
  package func needsResealing(_ record: CloudRecord, shareName: String? = nil) async throws
    -> Bool
  {
    guard record.fields.contains(where: \.field.isEncrypted) else { return false }
    let identifier = named(record.identifier)
    let scope = KeyScope(zone: identifier.zone, shareName: shareName)
    let newest = KeyReference(scope: scope, key: try await ring(of: scope).newest.identifier)
    let keys = try RecordSealing.keys(of: record.fields, place(identifier, record.recordType))
    return keys.contains { $0 != newest }
  }

  /// Returns the record's identifier with the name of its zone's owner, which the caller may omit.
  private func named(_ record: RecordIdentifier) -> RecordIdentifier {
    var named = record
    if record.zone.ownerName == RecordZoneIdentifier.currentOwnerName {
      named.zone.ownerName = account.userRecordName
    }
    return named
  }

  private func place(_ record: RecordIdentifier, _ recordType: String) -> RecordPlace {
    precondition(
      record.zone.ownerName != RecordZoneIdentifier.currentOwnerName,
      "Values can be sealed only for a zone with a named owner: first ask the server who is signed in (users/current)."
    )
    return RecordPlace(container: account.container, record: record, recordType: recordType)
  }

  /// Fetches missing key rings, first from the key store, where another process may have put them,
  /// then from the server.
  private func fetchKeys(_ references: Set<KeyReference>) async throws {
    func missing() throws -> [KeyReference] {
      let rings = try stored().rings
      return references.filter { rings[$0.scope]?.key($0.key) == nil }
    }
    guard try !missing().isEmpty else { return }
    _ = try reloadStored()
    let noted = MissingKeys.noted
    for scope in Set(try missing().map(\.scope)).sorted() {
      if let error = noted?.error(of: scope) { throw error }
      do { try await fetchKeys(of: scope) } catch {
        noted?.note(error, of: scope)
        throw error
      }
    }
    guard let first = try missing().first else { return }
    let error = EncryptionError.unknown(first)
    noted?.note(error, of: first.scope)
    throw error
  }

  private func fetchKeys(of scope: KeyScope) async throws {
    if isOwner(of: scope) {
      _ = try await changeRing(scope, makesFirst: false) { $0 }
    } else {
      try await fetchRing(scope)
    }
  }
}
