import CloudRecords
import CloudWire

/// What the answers to a request say about what was to be saved and deleted.
extension RecordModification {
  /// Tells what became of each item of a request.
  func settle(
    _ items: [Item], _ answers: [RecordResult], isWhole: Bool, mayBeSecond: Bool,
    _ coding: RecordCoding
  ) async {
    let there = await found(items, answers, mayBeSecond: mayBeSecond)
    let wasDone = isWhole && mayBeSecond && Self.tellsDone(items, answers, there)
    let sealing = await sealingFault(answers)
    var (changedShares, gone): ([CKShare], [CKRecord.ID]) = ([], [])
    for (item, answer) in zip(items, answers) {
      switch item {
      case .save(let save):
        var result = await settle(save, answer, there, mayBeSecond, coding)
        if let sealing, answer.error?.extension == .keysReplaced, case .failure = result {
          result = .failure(sealing)
        }
        if let share = try? result.get() as? CKShare { changedShares.append(share) }
        report.saved(save.sent.recordID, result)
      case .delete(let recordID):
        let isDone =
          wasDone && answer.error?.code == .atomicError && there[recordID]?.isGone ?? false
        let isGone = isDone || answer.error?.tellsGone(mayBeSecond: mayBeSecond) ?? false
        if isGone || answer.error == nil { gone.append(recordID) }
        report.deleted(
          recordID,
          answer.error.map { isGone ? .success(()) : .failure(CKError($0)) } ?? .success(()))
      }
    }
    guard work.scope == .private, work.session.vault.isInUse else { return }
    if let error = answers.lazy.compactMap(\.error).first {
      await work.note(error, in: items[0].recordID.zoneID, coding)
    }
    let vault = work.session.vault
    for share in changedShares { await vault.handKeysAgain(of: share, coding, work.options) }
    for recordID in gone { await vault.noteDeleted(coding.identifier(recordID), work.options) }
  }

  /// What keeps this device from sealing, where the server has refused what it has sealed under
  /// former keys.
  private func sealingFault(_ answers: [RecordResult]) async -> CKError? {
    guard answers.contains(where: { $0.error?.extension == .keysReplaced }) else { return nil }
    // The server has refused the record, whatever became of the question for keys.
    return await work.session.vault.noteReplaced(work.options).ofWhatDidNotArrive
  }

  private func settle(
    _ save: RecordSave, _ answer: RecordResult, _ there: Found, _ mayBeSecond: Bool,
    _ coding: RecordCoding
  ) async -> Result<CKRecord, CKError> {
    switch answer {
    case .record(let shown):
      let opened = await opened(shown.record, save, mayBeSecond: mayBeSecond)
      save.finish(
        coding.record(opened ?? shown.record), isOpened: opened != nil, mayBeOthers: mayBeSecond)
      report.progress(save.record, 1)
      return .success(save.record)
    case .deleted:
      return .failure(
        CKError(.unknownItem, "The record \(save.sent.recordID.recordName) was deleted."))
    case .failed(_, let error):
      let server = there[save.sent.recordID]?.value
      if mayBeSecond, let server, save.isDone(by: server) {
        save.finish(server)
        return .success(save.record)
      }
      if answer.isConflict { return .failure(save.conflict(server, error)) }
      let isGone = answer.mayTellGone(save) && there[save.sent.recordID]?.isGone ?? false
      return .failure(isGone ? CKError(.unknownItem, error.reason) : CKError(error))
    }
  }

  /// A record as it was saved, with those of its encrypted values that this device did not send.
  ///
  /// Nil where there are none, or no keys to them: the program's own stay then.
  private func opened(_ record: CloudRecord, _ save: RecordSave, mayBeSecond: Bool) async
    -> CloudRecord?
  {
    let mayBeOthers =
      mayBeSecond || save.policy != .ifServerRecordUnchanged && save.hasOtherEncryptedValues
    guard mayBeOthers else { return nil }
    return try? await work.session.vault.open(record, work.options)
  }

  /// What the server has of records.
  typealias Found = [CKRecord.ID: Result<CKRecord, CKError>]

  /// Whether a batch that was saved as a whole was done by a former request: a conflict of one of
  /// its saves is none.
  private static func tellsDone(_ items: [Item], _ answers: [RecordResult], _ there: Found) -> Bool
  {
    zip(items, answers).contains { item, answer in
      guard answer.isConflict, case .save(let save) = item else { return false }
      return there[item.recordID]?.value.map { save.isDone(by: $0) } ?? false
    }
  }

  /// The records as the server has them, which tell what a former request did, and which conflicts
  /// tell.
  ///
  /// What is found done needs no files.
  private func found(_ items: [Item], _ answers: [RecordResult], mayBeSecond: Bool) async -> Found {
    var failed = zip(items, answers).filter { item, answer in
      guard !mayBeSecond, case .save(let save) = item else {
        return mayBeSecond && answer.error != nil
      }
      return answer.isConflict || answer.mayTellGone(save)
    }
    guard mayBeSecond else { return await found(failed.map(\.0.recordID), .wanted) }
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

  /// The records as the server has them, as far as it can be asked, without the encrypted values
  /// that cannot be opened.
  func found(_ recordIDs: [CKRecord.ID], _ files: DatabaseWork.Files) async -> Found {
    guard !recordIDs.isEmpty else { return [:] }
    var found: Found = [:]
    var look = work
    look.files = files
    look.leavesSealed = true
    do throws(CKError) {
      try await look.records(recordIDs, desiredKeys: nil) { found[$0] = $1 }
    } catch {
      // A conflict is told without the server's record then: who gets it can fetch it.
      return found
    }
    return found
  }
}

extension RecordResult {
  /// What went wrong, where something did.
  fileprivate var error: CloudError? {
    if case .failed(_, let error) = self { error } else { nil }
  }

  /// Whether somebody else saved the record.
  fileprivate var isConflict: Bool { error?.code == .conflict || error?.code == .exists }
}

extension RecordResult {
  /// Whether a server of others may say so that it has no such record: it lacks a type to make it.
  fileprivate func mayTellGone(_ save: RecordSave) -> Bool {
    error?.code == .badRequest && save.changesKnownRecord
  }
}

extension CloudError {
  /// Whether there is nothing to delete, which is what was wanted; servers of others say so of a
  /// forced deletion.
  ///
  /// Who has left the last share of a zone by a request that is sent again sees nothing of the zone
  /// any more.
  fileprivate func tellsGone(mayBeSecond: Bool) -> Bool {
    code == .notFound || (mayBeSecond && code == .zoneNotFound)
  }
}

extension Result where Success == CKRecord, Failure == CKError {
  /// The record, where there is one.
  var value: CKRecord? { try? get() }

  /// Whether the server has no such record, which is what a deletion wants.
  var isGone: Bool { error?.code == .unknownItem || error?.code == .zoneNotFound }
}
