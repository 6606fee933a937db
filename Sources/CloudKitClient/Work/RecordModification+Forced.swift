import CloudRecords
import CloudTransport
import Foundation

/// Saves that overwrite whatever the server has, where an answer is lost.
///
/// Sending such a request again could undo what another device has saved since the first one
/// arrived. So the records are looked at before:
///
/// ```
/// the server's record                  what is done
/// has what was sent                    it is told as saved
/// is the version that the program had  the request did not arrive: it is sent again
/// is another one                       a conflict is told, with the record: nobody knows who was faster
/// ```
///
/// Of what is saved as a whole one record tells of the others, but for one that has what was sent
/// and is the version that the program had: nothing was to be changed of it. What was deleted so is
/// told as deleted where nothing is there.
extension RecordModification {
  /// What a record of the server says about a request whose answer was lost.
  enum ReplayEvidence {
    /// The request arrived.
    case done(CKRecord)
    /// The request changes nothing of the record, so that nobody knows whether it arrived.
    case unchanged(CKRecord)
    /// The request did not arrive.
    case absent
    /// There is nothing that could be deleted.
    case gone
    /// There is something that could be deleted: the request did not arrive, or somebody made it
    /// anew.
    case there
    case other(CKError)
  }

  /// - Returns: What keeps other records from being saved as well, where all of these were told
  ///   what became of them.
  func sendForced(_ items: [Item], _ coding: RecordCoding, isWhole: Bool) async throws(CKError)
    -> CKError?
  {
    var rest = items
    do throws(CKError) {
      try await sendForced(&rest, coding, isWhole: isWhole)
      return nil
    } catch {
      // Whoever was told already is not told again.
      guard rest.count < items.count else { throw error }
      for item in rest { fail(item, error) }
      return error.endsEverything ? error : nil
    }
  }

  private func sendForced(_ rest: inout [Item], _ coding: RecordCoding, isWhole: Bool)
    async throws(CKError)
  {
    var once = work.options
    once.retry.repeatsUncertain = false
    var mayBeSecond = wasBegunBefore
    var attempt = 1
    while true {
      if mayBeSecond { rest = try await unsettled(rest, isWhole: isWhole) }
      guard !rest.isEmpty else { return }
      do throws(CKError) {
        return try await send(rest, once, coding, isWhole: isWhole, mayBeSecond: mayBeSecond)
      } catch {
        guard error.mayHaveArrived else { throw error }
        let fault = TransportError(.broken, error.localizedDescription, mayHaveArrived: true)
        do throws(CKError) {
          try await work.session.pause(after: .transport(fault), attempt: attempt, work.options)
        } catch let end {
          throw end.code == .operationCancelled ? end : error
        }
      }
      mayBeSecond = true
      attempt += 1
    }
  }

  /// Tells what a lost request has done, and gives the items that are to be sent again.
  private func unsettled(_ items: [Item], isWhole: Bool) async throws(CKError) -> [Item] {
    let traces = await withFiles(try await traces(of: items), items)
    let isDone = traces.contains { if case .done = $0 { true } else { false } }
    if isWhole, !Self.isSettled(traces) { return items }
    var again: [Item] = []
    for (item, trace) in zip(items, traces) {
      switch (item, trace) {
      case (.save(let save), .done(let there)), (.save(let save), .unchanged(let there)):
        save.finish(there)
        report.saved(save.sent.recordID, .success(save.record))
      case (_, .other(let error)): fail(item, error)
      case (.delete(let recordID), .gone) where isWhole && isDone:
        report.deleted(recordID, .success(()))
      case (.delete, _) where isWhole: fail(item, Self.notAlone)
      default: again.append(item)
      }
    }
    return again
  }

  /// Whether what is saved as a whole need not, or must not, be sent again: what one record tells
  /// holds for all.
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

  /// What is found of each record.
  private func traces(of items: [Item]) async throws(CKError) -> [ReplayEvidence] {
    var there: [CKRecord.ID: Result<CKRecord, CKError>] = [:]
    // Contents are compared by their checksums: files need not come for it.
    var look = work
    look.files = .none
    look.leavesSealed = true
    // Deletions by themselves find nothing the second time.
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

  /// Fetches the files of those records that conflicts tell.
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

extension RecordModification.Item {
  fileprivate var isDeletion: Bool { if case .delete = self { true } else { false } }
}

extension RecordSave {
  /// What the server's record says about whether this one arrived.
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
    "The answer to this save was lost, and the server has another version of the record than the one that was changed: perhaps somebody has saved it since. Nothing was overwritten; merge into the server's record, or save again."
  )
}
