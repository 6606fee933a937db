import CloudRecords
import CloudWire

/// Interprets the responses to modify requests.
extension RecordModification {
  /// Reports the result of each item in a request.
  func settle(
    _ items: [Item], _ answers: [RecordResult], isAtomicBatch: Bool, mayBeRepeated: Bool,
    hasAllFields: Bool, _ coding: RecordCoding
  ) async {
    let there = await found(
      items, answers, mayBeRepeated: mayBeRepeated, hasAllFields: hasAllFields)
    let wasDone = isAtomicBatch && mayBeRepeated && Self.wasSavedBefore(items, answers, there)
    let sealing = await sealingError(answers)
    var (changedShares, gone): ([CKShare], [RecordIdentifier]) = ([], [])
    for (item, answer) in zip(items, answers) {
      switch item {
      case .save(let save):
        var result = await settle(
          save, answer, there, mayBeRepeated: mayBeRepeated, hasAllFields: hasAllFields, coding)
        if let sealing, answer.error?.extension == .keysReplaced, case .failure = result {
          result = .failure(sealing)
        }
        if let share = try? result.get() as? CKShare {
          changedShares.append(share)
          await recordDecisions(save.sent, savedAs: share, coding)
        }
        report.saved(save.sent.recordID, result)
      case .delete(let recordID):
        let isDone =
          wasDone && answer.error?.code == .atomicError && there[recordID]?.isGone ?? false
        let isGone = isDone || answer.error?.tellsGone(mayBeRepeated: mayBeRepeated) ?? false
        if isGone || answer.error == nil { gone.append(coding.identifier(recordID)) }
        report.deleted(
          recordID,
          answer.error.map { isGone ? .success(()) : .failure(CKError($0)) } ?? .success(()))
      }
    }
    guard work.scope == .private else { return }
    let vault = work.session.vault
    await vault.recordEnd(of: gone, work.options)
    guard vault.isInUse else { return }
    if let error = answers.lazy.compactMap(\.error).first {
      await work.note(error, in: items[0].recordID.zoneID, coding)
    }
    for share in changedShares { await vault.redeliverKeys(of: share, coding, work.options) }
    for record in gone { await vault.revokeKeysOfDeletedShare(record, work.options) }
  }

  /// Records whom the program invited to a share or removed from it.
  ///
  /// The decisions are recorded even before the program encrypts its first value.
  private func recordDecisions(_ sent: RecordState, savedAs share: CKShare, _ coding: RecordCoding)
    async
  {
    guard let sharing = sent.sharing else { return }
    await work.session.vault.recordDecisions(
      of: sharing, savedAs: share, in: work.scope, coding)
  }

  /// Returns the error to report if the server rejected values that were sealed under replaced
  /// keys; otherwise nil.
  ///
  /// The error says why this device cannot seal, or that the app must save the records again.
  private func sealingError(_ answers: [RecordResult]) async -> CKError? {
    guard answers.contains(where: { $0.error?.extension == .keysReplaced }) else { return nil }
    // The record was rejected, whatever the result of the request for keys.
    return await work.session.vault.handleReplacedKeys(work.options).markedAsNotArrived
  }

  private func settle(
    _ save: RecordSave, _ answer: RecordResult, _ there: Found, mayBeRepeated: Bool,
    hasAllFields: Bool, _ coding: RecordCoding
  ) async -> Result<CKRecord, CKError> {
    switch answer {
    case .record where mayBeRepeated && !hasAllFields:
      // The answer to a replay shows the present version, which may be another client's.
      guard let server = there[save.sent.recordID] else { return .failure(.versionUnknown) }
      return server.map {
        save.finish($0, mayBeOthers: true)
        return save.record
      }
    case .record(let shown):
      if !mayBeRepeated {
        await work.session.vault.recordSave(save.seals, of: shown.record.identifier)
      }
      let opened = await opened(shown.record, save, mayBeRepeated: mayBeRepeated)
      save.finish(
        coding.record(opened ?? shown.record), isOpened: opened != nil, mayBeOthers: mayBeRepeated,
        hasAllFields: hasAllFields)
      report.progress(save.record, 1)
      return .success(save.record)
    case .deleted:
      return .failure(
        CKError(.unknownItem, "The record \(save.sent.recordID.recordName) was deleted."))
    case .failed(_, let error):
      let server = there[save.sent.recordID]?.value
      if mayBeRepeated, let server, save.isDone(by: server) {
        save.finish(server)
        return .success(save.record)
      }
      if answer.isConflict { return .failure(save.conflict(server, error)) }
      let isGone = answer.mayMeanMissing(save) && there[save.sent.recordID]?.isGone ?? false
      return .failure(isGone ? CKError(.unknownItem, error.reason) : CKError(error))
    }
  }

  /// Returns the saved record with decrypted values if this device may not have sent all of them;
  /// otherwise nil.
  ///
  /// If the values cannot be decrypted, the result is also nil, and the app's own values stay.
  private func opened(_ record: CloudRecord, _ save: RecordSave, mayBeRepeated: Bool) async
    -> CloudRecord?
  {
    let mayBeOthers =
      mayBeRepeated || save.policy != .ifServerRecordUnchanged && save.hasOtherEncryptedValues
    guard mayBeOthers else { return nil }
    return try? await work.session.vault.open(record, work.options)
  }

  /// The server's records.
  typealias Found = [CKRecord.ID: Result<CKRecord, CKError>]

  /// Whether an earlier attempt saved the atomic batch and thereby caused the conflict.
  private static func wasSavedBefore(_ items: [Item], _ answers: [RecordResult], _ there: Found)
    -> Bool
  {
    zip(items, answers).contains { item, answer in
      guard answer.isConflict, case .save(let save) = item else { return false }
      return there[item.recordID]?.value.map { save.isDone(by: $0) } ?? false
    }
  }

  /// Fetches the server's records, which show what an earlier request did, and which conflicts
  /// report.
  ///
  /// Records that an earlier attempt saved need no files.
  private func found(
    _ items: [Item], _ answers: [RecordResult], mayBeRepeated: Bool, hasAllFields: Bool
  ) async -> Found {
    var failed = zip(items, answers).filter { item, answer in
      guard !mayBeRepeated, case .save(let save) = item else {
        return mayBeRepeated && (answer.error != nil || !hasAllFields && !item.isDeletion)
      }
      return answer.isConflict || answer.mayMeanMissing(save)
    }
    guard mayBeRepeated else { return await found(failed.map(\.0.recordID), .wanted) }
    let looked = await found(failed.map(\.0.recordID), .none)
    failed = failed.filter { item, answer in
      guard answer.isConflict, case .save(let save) = item, let there = looked[item.recordID]?.value
      else {
        return false
      }
      return !save.isDone(by: there)
    }
    return looked.merging(await found(failed.map(\.0.recordID), .wanted)) {
      $1.value == nil ? $0 : $1
    }
  }

  /// Fetches the server's records if possible, without encrypted values that cannot be decrypted.
  func found(_ recordIDs: [CKRecord.ID], _ files: DatabaseWork.Files) async -> Found {
    guard !recordIDs.isEmpty else { return [:] }
    var found: Found = [:]
    var look = work
    look.files = files
    look.leavesSealed = true
    do throws(CKError) {
      try await look.records(recordIDs, desiredKeys: nil) { found[$0] = $1 }
    } catch {
      // The conflict is reported without the server's record, which the app can fetch.
      return found
    }
    return found
  }
}

extension RecordResult {
  /// The error; nil for success.
  fileprivate var error: CloudError? {
    if case .failed(_, let error) = self { error } else { nil }
  }

  /// Whether a value was sealed under a key that is no longer used.
  var isKeyRetired: Bool { error?.extension == .keyRetired }

  /// Whether the server has another version of the record than the save expects.
  fileprivate var isConflict: Bool { error?.code == .conflict || error?.code == .exists }
}

extension RecordResult {
  /// Whether the record may be missing.
  ///
  /// Servers other than Parhelion's reject a save without a record type as a bad request if the
  /// record does not exist.
  fileprivate func mayMeanMissing(_ save: RecordSave) -> Bool {
    error?.code == .badRequest && save.changesKnownRecord
  }
}

extension CKError {
  /// The error for a record that was saved, but whose current version could not be fetched.
  fileprivate static let versionUnknown = CKError(
    .serverResponseLost,
    "The record was saved, but its version could not be fetched. Fetch it before saving again."
  )
}

extension CloudError {
  /// Whether there is nothing to delete, which counts as success.
  ///
  /// If an earlier attempt made the user leave the last share of a zone, the zone is not found.
  fileprivate func tellsGone(mayBeRepeated: Bool) -> Bool {
    code == .notFound || (mayBeRepeated && code == .zoneNotFound)
  }
}

extension Result where Success == CKRecord, Failure == CKError {
  /// The record; nil for a failure.
  var value: CKRecord? { try? get() }

  /// Whether the server does not have the record, which counts as success for a deletion.
  var isGone: Bool { error?.code == .unknownItem || error?.code == .zoneNotFound }
}
