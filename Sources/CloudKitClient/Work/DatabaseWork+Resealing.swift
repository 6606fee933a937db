import CloudEncryption
import CloudRecords
import CloudWire
import Synchronization

// Reseals values whose readers have changed, after participants have left or records have joined a
// share.
extension DatabaseWork {
  /// Reseals values that are not sealed under the current key of their share or zone.
  ///
  /// On failure, the next attempt continues, possibly in a later process. Meanwhile the server
  /// denies access to former participants.
  ///
  /// - Parameter held: Records that the app has just saved. They get the new change tags.
  func resealMarkedScopes(held: [CKRecord]) async {
    guard scope == .private else { return }
    for scope in session.vault.takeMarkedScopes().sorted() {
      // Missing keys are requested once, and not for each record.
      await MissingKeys.$noted.withValue(MissingKeys()) {
        do throws(CKError) {
          if try await reseal(scope, held) {
            await session.vault.clearMark(scope)
          } else {
            await session.vault.persistMark(scope)
          }
        } catch {
          session.vault.markForResealing(scope)
        }
      }
    }
  }

  /// Reseals the values of a share or zone, page by page of the zone's feed.
  ///
  /// Records that are saved meanwhile appear on later pages.
  ///
  /// - Returns: Whether resealing is complete. If unreadable values may become readable, it is not
  ///   complete, and the next process tries again.
  private func reseal(_ scope: KeyScope, _ held: [CKRecord]) async throws(CKError) -> Bool {
    let coding = try await coding()
    var isComplete = true
    var (token, makesProgress): (String?, Bool) = (nil, true)
    while makesProgress {
      var input = ZoneFeedInput(zone: coding.reference(coding.zoneID(scope.zone)))
      input.syncToken = token
      switch try await call(ChangesZoneRequest(zones: [input])).zones.first {
      case .page(_, let page):
        guard !page.moreComing || page.syncToken != token else { throw .noProgress }
        let hasConflicts = try await reseal(page.records, scope, held, coding, &isComplete)
        (token, makesProgress) = (page.syncToken, page.moreComing || hasConflicts)
      // A deleted zone has nothing to reseal.
      case .failed(_, let error) where error.code == .zoneNotFound: return true
      case .failed(_, let error): throw CKError(error)
      case nil:
        throw CKError(
          .internalError, "The server's response does not contain the zone \(scope.zone.zoneName).")
      }
    }
    return isComplete
  }

  /// Reseals the records of a page.
  ///
  /// - Returns: Whether other devices saved some of the records first.
  private func reseal(
    _ results: [RecordResult], _ scope: KeyScope, _ held: [CKRecord], _ coding: RecordCoding,
    _ isComplete: inout Bool
  ) async throws(CKError) -> Bool {
    let sealed = results.compactMap { result -> CloudRecord? in
      guard case .record(let shown) = result else { return nil }
      return shown.record.fields.contains(where: \.field.isEncrypted) ? shown.record : nil
    }
    let states = sealed.map { coding.record($0).state.withLock { $0 } }
    var ancestry = ShareLookupCache(self, states, expecting: states.map(\.recordID))
    var former: [CKRecord] = []
    for record in sealed {
      let shareName = try await ancestry.shareName(of: coding.recordID(record.identifier))
      guard KeyScope(zone: scope.zone, shareName: shareName) == scope else { continue }
      do throws(CKError) {
        if let record = try await recordToSeal(record, shareName, coding) { former.append(record) }
      } catch {
        // A record that cannot be read must not prevent the resealing of the others.
        guard error.isUnreadable else { throw error }
        if error.awaitsKeys || error.needsLaterLibrary { isComplete = false }
      }
    }
    guard !former.isEmpty else { return false }
    let before = former.map(\.recordChangeTag)
    let failures = try await modifyRecords(former)
    for (record, tag) in zip(former, before) {
      for own in held where own.recordID == record.recordID { own.follow(record, from: tag) }
    }
    if let failure = failures.first(where: { $0.code != .serverRecordChanged }) { throw failure }
    return !failures.isEmpty
  }

  /// The record with all encrypted values marked as changed; nil if it need not be resealed.
  private func recordToSeal(
    _ record: CloudRecord, _ shareName: String?, _ coding: RecordCoding
  ) async throws(CKError) -> CKRecord? {
    guard try await session.vault.needsResealing(record, shareName: shareName, options) else {
      return nil
    }
    // Values that no device has sealed are left out, and must not prevent resealing the others.
    let opened = coding.record(try await session.vault.openSealed(record, options))
    opened.state.withLock { state in
      // Removed values are sealed, too.
      for entry in record.fields where entry.field.isEncrypted && state.seals[entry.name] != nil {
        state.encrypted.set(state.encrypted.contents[entry.name], for: entry.name)
      }
    }
    return opened
  }

  /// Saves records, and returns the errors.
  private func modifyRecords(_ records: [CKRecord]) async throws(CKError) -> [CKError] {
    let failures = Failures()
    let report = RecordModification.Report(
      saved: { if case .failure(let error) = $1 { failures.note(error) } }, deleted: { _, _ in })
    try await RecordModification(
      work: self, policy: .ifServerRecordUnchanged, isAtomic: false, report: report
    )
    .run(saving: records, deleting: [])
    return failures.all
  }
}

extension CKRecord {
  /// Adopts the version of another object, if this object has the version before it.
  fileprivate func follow(_ other: CKRecord, from tag: String?) {
    let next = other.state.withLock { $0 }
    state.withLock { state in
      guard state.changeTag == tag else { return }
      (state.changeTag, state.modified, state.seals) = (next.changeTag, next.modified, next.seals)
    }
  }
}

/// Collects the errors of single records.
private final class Failures: Sendable {
  private let errors = Mutex<[CKError]>([])

  var all: [CKError] { errors.withLock(\.self) }
  func note(_ error: CKError) { errors.withLock { $0.append(error) } }
}
