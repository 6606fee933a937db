package import CloudRecords

/// Sealing and opening the values of records.
extension EncryptionEngine {
  /// Seals the encrypted fields of records, and signs them together.
  ///
  /// Other fields are unchanged. The first value of a zone or share creates its first key.
  ///
  /// - Returns: The sealed fields of each record, or the error that concerns it alone.
  package func seal(
    _ records: [RecordToSeal]
  ) async throws -> [Result<SealedRecord, EncryptionError>] {
    var drafts: [RecordDraft] = []
    var results: [Result<SealStamps, EncryptionError>] = []
    var rings = SaveRings()
    let names = SaveBinding.names(records.count, dependencies.randomBytes)
    for (record, name) in zip(records, names) {
      do {
        let save = SaveBinding(name: name, over: record.base, at: dependencies.now())
        drafts.append(try await rings.draft(record, save, of: account) { try await ring(of: $0) })
        results.append(.success(record.stamps(of: save)))
      } catch let error as EncryptionError {
        results.append(.failure(error))
      }
    }
    let writer = drafts.allSatisfy(\.isEmpty) ? nil : try userKeys()
    var sealed = RecordDraft.seal(consume drafts, signedBy: writer, dependencies.randomBytes)[...]
    return results.map { $0.map { SealedRecord(fields: sealed.removeFirst(), stamps: $0) } }
  }

  /// Records that the server applied a save of this device.
  package func recordSave(_ stamps: SealStamps, of record: RecordIdentifier) {
    seenSaves.recordStamps(stamps, of: account.named(record))
  }

  /// Returns the plain fields of a fetched record that had sealed values when last seen here.
  package func plainFieldsSeenSealed(_ record: CloudRecord) -> [String] {
    seenSaves.plainFields(record.fields, of: account.named(record.identifier))
  }

  /// Opens the encrypted fields of a fetched record: all of them, or none.
  ///
  /// - Parameter wanted: The fields that the request asked for; nil for all.
  package func open(
    _ record: CloudRecord, wanted: Set<String>? = nil
  ) async throws -> CloudRecord {
    let identifier = account.named(record.identifier)
    guard record.fields.contains(where: \.field.isEncrypted) else {
      if wanted == nil { seenSaves.noteEmpty(identifier) }
      return record
    }
    let sealed = try SealedFields(
      record.fields, of: account.place(of: identifier, record.recordType))
    try await fetchKeys(sealed.keys)
    var result = opened(sealed, wanted, try stored().rings)
    if case .failure(let error) = result, error.code == .notWriter {
      // The owner may have added the writer meanwhile.
      for scope in Set(sealed.keys.map(\.scope)).sorted()
      where MissingKeys.noted?.firstRefresh(of: scope) ?? true {
        try await fetchKeys(of: scope)
      }
      result = opened(sealed, wanted, try stored().rings)
    }
    var opened = record
    (opened.fields, opened.seals) = try result.get()
    seenSaves.recordStamps(opened.seals, of: identifier)
    return opened
  }

  private func opened(
    _ sealed: SealedFields, _ wanted: Set<String>?, _ rings: [KeyScope: KeyRing]
  ) -> Result<SealedFields.Opened, EncryptionError> {
    Result { () throws(EncryptionError) in
      try sealed.open(wanted: wanted, rings: { rings[$0] }, &verifiedSignatures)
    }
  }

  /// Removes and returns the records that the server has shown in an earlier version than before.
  package func takeOlderRecords() -> Set<RecordIdentifier> { seenSaves.takeOlder() }

  /// Whether encrypted fields are sealed under a key other than the newest one.
  ///
  /// Such records existed when a participant was removed, or have moved into or out of a share.
  /// They should be opened, sealed and saved again.
  package func needsResealing(_ record: CloudRecord, shareName: String? = nil) async throws
    -> Bool
  {
    guard record.fields.contains(where: \.field.isEncrypted) else { return false }
    let identifier = account.named(record.identifier)
    let scope = KeyScope(zone: identifier.zone, shareName: shareName)
    let newest = KeyReference(scope: scope, key: try await ring(of: scope).newest.identifier)
    let sealed = try SealedFields(
      record.fields, of: account.place(of: identifier, record.recordType))
    return sealed.keys.contains { $0 != newest }
  }

  /// Fetches missing key rings, first from the key store, where another process may have put them,
  /// then from the server.
  private func fetchKeys(_ references: Set<KeyReference>) async throws {
    guard try !stored().missing(references).isEmpty else { return }
    let noted = MissingKeys.noted
    for scope in Set(try reloadStored().missing(references).map(\.scope)).sorted() {
      if let error = noted?.error(of: scope) { throw error }
      do { try await fetchKeys(of: scope) } catch {
        noted?.note(error, of: scope)
        throw error
      }
    }
    guard let first = try stored().missing(references).first else { return }
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

/// The key rings for one save, each of which is looked up once, even if there is none.
private struct SaveRings {
  private var rings: [KeyScope: Result<KeyRing, EncryptionError>] = [:]

  mutating func draft(
    _ record: RecordToSeal, _ save: SaveBinding, of account: EncryptionAccount,
    _ lookUp: (KeyScope) async throws -> KeyRing
  ) async throws -> RecordDraft {
    guard !record.sealedNames.isEmpty else { return RecordDraft(plain: record.fields) }
    let scope = KeyScope(zone: record.record.zone, shareName: record.shareName)
    return try RecordDraft(
      record.fields, removing: record.removed,
      of: account.place(of: record.record, record.recordType),
      under: try await ring(of: scope, lookUp), in: save)
  }

  private mutating func ring(
    of scope: KeyScope, _ lookUp: (KeyScope) async throws -> KeyRing
  ) async throws -> KeyRing {
    if let known = rings[scope] { return try known.get() }
    do {
      let ring = try await lookUp(scope)
      rings[scope] = .success(ring)
      return ring
    } catch let error as EncryptionError {
      rings[scope] = .failure(error)
      throw error
    }
  }
}
