import CloudRecords
import CloudTransport
import Foundation

/// Saves with a policy that overwrites, after a response was lost.
///
/// Retrying such a request could undo what another device saved after the first attempt. So the
/// server's records are fetched first:
///
/// ```
/// the server's record              action
/// contains what was sent           report success
/// is the version the app had       retry, because the request did not arrive
/// is another version               report a conflict, because the order is unknown
/// ```
///
/// In an atomic batch, one record shows the outcome for all, except a record that the request does
/// not change. A deletion succeeded if the record is gone.
extension RecordModification {
  /// The evidence in the server's record about a request whose response was lost.
  enum ReplayEvidence {
    /// The request arrived.
    case done(CKRecord)
    /// The request does not change the record, so it is unknown whether it arrived.
    case unchanged(CKRecord)
    /// The request did not arrive.
    case absent
    /// There is no record to delete.
    case gone
    /// There is a record to delete: the request did not arrive, or another client recreated the
    /// record.
    case there
    /// The server's record has another version, or it could not be fetched.
    case other(CKError)
  }

  /// Sends items with a policy that overwrites.
  ///
  /// - Returns: An error that prevents further saves, after the results of these items were
  ///   reported.
  func sendForced(_ items: [Item], _ coding: RecordCoding, isAtomicBatch: Bool)
    async throws(CKError) -> CKError?
  {
    var rest = items
    do throws(CKError) {
      try await sendForced(&rest, coding, isAtomicBatch: isAtomicBatch)
      return nil
    } catch {
      // Some items were already reported. Report the others.
      guard rest.count < items.count else { throw error }
      for item in rest { fail(item, error) }
      return error.preventsAllRequests ? error : nil
    }
  }

  private func sendForced(_ rest: inout [Item], _ coding: RecordCoding, isAtomicBatch: Bool)
    async throws(CKError)
  {
    var once = work.options
    once.retry.repeatsUncertain = false
    var mayBeRepeated = mayHaveStartedBefore
    var attempt = 1
    while true {
      if mayBeRepeated { rest = try await unsettled(rest, isAtomicBatch: isAtomicBatch) }
      guard !rest.isEmpty else { return }
      do throws(CKError) {
        return try await send(
          rest, once, coding, isAtomicBatch: isAtomicBatch, mayBeRepeated: mayBeRepeated)
      } catch {
        guard error.mayHaveArrived else { throw error }
        let transportError = TransportError(
          .broken, error.localizedDescription, mayHaveArrived: true)
        do throws(CKError) {
          try await work.session.pause(
            after: .transport(transportError), attempt: attempt, work.options)
        } catch let end {
          throw end.code == .operationCancelled ? end : error
        }
      }
      mayBeRepeated = true
      attempt += 1
    }
  }

  /// Reports what a lost request has done, and returns the items to send again.
  private func unsettled(_ items: [Item], isAtomicBatch: Bool) async throws(CKError) -> [Item] {
    let traces = await withFiles(try await traces(of: items), items)
    let isDone = traces.contains { if case .done = $0 { true } else { false } }
    if isAtomicBatch, !Self.isSettled(traces) { return items }
    var again: [Item] = []
    for (item, trace) in zip(items, traces) {
      switch (item, trace) {
      case (.save(let save), .done(let there)), (.save(let save), .unchanged(let there)):
        save.finish(there)
        report.saved(save.sent.recordID, .success(save.record))
      case (_, .other(let error)): fail(item, error)
      case (.delete(let recordID), .gone) where isAtomicBatch && isDone:
        report.deleted(recordID, .success(()))
      case (.delete, _) where isAtomicBatch: fail(item, Self.otherRecordFailed)
      default: again.append(item)
      }
    }
    return again
  }

  /// Whether an atomic batch must not be sent again, because one record shows the outcome for all.
  private static func isSettled(_ traces: [ReplayEvidence]) -> Bool {
    var (tellsSomething, hasDeletions) = (false, false)
    for trace in traces {
      switch trace {
      case .absent: return false
      case .done, .other: tellsSomething = true
      case .gone, .there: hasDeletions = true
      case .unchanged: break
      }
    }
    return tellsSomething || !hasDeletions
  }

  /// Fetches the records and evaluates each.
  private func traces(of items: [Item]) async throws(CKError) -> [ReplayEvidence] {
    var there: [CKRecord.ID: Result<CKRecord, CKError>] = [:]
    // Assets are compared by checksum, so files are not needed.
    var look = work
    look.files = .none
    look.leavesSealed = true
    // Deletions can be repeated without a check.
    let isOfDeletions = items.allSatisfy(\.isDeletion)
    if !isOfDeletions {
      try await look.records(items.map(\.recordID), desiredKeys: nil) { there[$0] = $1 }
    }
    return items.map { item in
      switch item {
      case .save(let save): save.trace(there[save.sent.recordID])
      case .delete(let recordID): there[recordID]?.isGone ?? false ? .gone : .there
      }
    }
  }

  /// Fetches the asset files of the records that conflicts report.
  private func withFiles(_ traces: [ReplayEvidence], _ items: [Item]) async -> [ReplayEvidence] {
    let conflicts = zip(items, traces).compactMap { item, trace in
      if case .other(let error) = trace, error.serverRecord != nil { item.recordID } else { nil }
    }
    let there = await found(conflicts, .wanted)
    return zip(items, traces).map { item, trace in
      guard case .save(let save) = item, case .other = trace,
        let there = there[item.recordID]?.value
      else {
        return trace
      }
      return save.trace(.success(there))
    }
  }
}

extension RecordSave {
  /// The evidence in the server's record about whether this save arrived.
  fileprivate func trace(_ there: Result<CKRecord, CKError>?) -> RecordModification.ReplayEvidence {
    switch there {
    case .success(let there) where there.recordChangeTag == merged?.changeTag ?? sent.changeTag:
      isDone(by: there) ? .unchanged(there) : .absent
    case .success(let there) where isDone(by: there): .done(there)
    case .success(let there): .other(conflict(there, Self.uncertain))
    case .failure(let error) where error.code == .unknownItem && sent.changeTag == nil: .absent
    case .failure(let error): .other(error)
    case nil: .absent
    }
  }

  private static let uncertain = CloudError(
    .conflict,
    "The response to this save was lost, and the server has another version of the record. Another client may have saved it since. Nothing was overwritten. Merge into the server's record, or save again."
  )
}
