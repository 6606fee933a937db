import CloudEncryption
import CloudRecords
import CloudWire
import Foundation
import Synchronization

/// Saves and deletes records: uploads their files, sends them zone by zone, and reports each
/// result.
struct RecordModification: Sendable {
  let work: DatabaseWork
  let policy: CKModifyRecordsOperation.RecordSavePolicy
  let isAtomic: Bool
  /// The versions that deletions expect.
  ///
  /// Records without an expected version are deleted in any version.
  var deletionTags: [CKRecord.ID: String] = [:]
  /// Whether an earlier process may have performed part of the work.
  var mayHaveStartedBefore = false
  var report: Report

  /// The closures that receive progress and results.
  struct Report: Sendable {
    var progress: @Sendable (CKRecord, Double) -> Void = { _, _ in }
    var saved: @Sendable (CKRecord.ID, Result<CKRecord, CKError>) -> Void
    var deleted: @Sendable (CKRecord.ID, Result<Void, CKError>) -> Void
  }

  /// The change of one record.
  enum Item {
    case save(RecordSave)
    case delete(CKRecord.ID)

    var recordID: CKRecord.ID {
      switch self {
      case .save(let save): save.sent.recordID
      case .delete(let recordID): recordID
      }
    }

    /// The values of the record that this device seals; nil for none.
    var toSeal: RecordToSeal? { if case .save(let save) = self { save.toSeal } else { nil } }

    var isDeletion: Bool { if case .delete = self { true } else { false } }

    /// The name of a new share.
    var newShareName: String? {
      guard case .save(let save) = self, save.sent.sharing != nil, save.sent.changeTag == nil else {
        return nil
      }
      return save.sent.recordID.recordName
    }
  }

  /// Performs the changes.
  ///
  /// - Throws: An error that prevented the remaining changes, after all results were reported.
  func run(saving records: [CKRecord], deleting recordIDs: [CKRecord.ID]) async throws(CKError) {
    let held = DeferredReports()
    var modification = self
    if mayChangeKeys(records, recordIDs) { modification.report = held.holding(report) }
    var failure: CKError?
    do throws(CKError) {
      try await modification.save(records, deleting: recordIDs)
    } catch {
      failure = error
    }
    if work.session.vault.isInUse { await work.resealMarkedScopes(held: records) }
    held.flush(to: report)
    if let failure { throw failure }
  }

  /// Whether values may have to be resealed afterwards.
  private func mayChangeKeys(_ records: [CKRecord], _ recordIDs: [CKRecord.ID]) -> Bool {
    guard work.scope == .private, work.session.vault.isOnDevice else { return false }
    return !recordIDs.isEmpty
      || records.contains { $0 is CKShare || $0.state.withLock(\.isParentChanged) }
  }

  private func save(_ records: [CKRecord], deleting recordIDs: [CKRecord.ID]) async throws(CKError)
  {
    let items =
      records.map { Item.save(RecordSave($0, policy)) } + recordIDs.map { Item.delete($0) }
    var zones: [[Item]] = []
    var failure: CKError?
    do throws(CKError) {
      zones = try byZone(items)
    } catch {
      for item in items { fail(item, error) }
      throw error
    }
    var isOver = false
    for zone in zones {
      if isOver, let failure {
        for item in zone { fail(item, failure) }
        continue
      }
      do throws(CKError) {
        try await run(zone)
      } catch {
        isOver = !error.concernsOneZone
        failure = isOver ? error : failure ?? error
      }
    }
    if let failure { throw failure }
  }

  /// Groups items by zone, in the given order.
  ///
  /// - Throws: An error if a record occurs twice.
  private func byZone(_ items: [Item]) throws(CKError) -> [[Item]] {
    var places: [CKRecordZone.ID: Int] = [:]
    var zones: [[Item]] = []
    var seen: Set<CKRecord.ID> = []
    for item in items {
      guard seen.insert(item.recordID).inserted else {
        throw CKError(
          .invalidArguments,
          "The record \(item.recordID.recordName) occurs twice. An operation can save or delete a record only once."
        )
      }
      if let place = places[item.recordID.zoneID] {
        zones[place].append(item)
      } else {
        places[item.recordID.zoneID] = zones.count
        zones.append([item])
      }
    }
    return zones
  }

  func fail(_ item: Item, _ error: CKError) {
    switch item {
    case .save(let save): report.saved(save.sent.recordID, .failure(error))
    case .delete(let recordID): report.deleted(recordID, .failure(error))
    }
  }

  // MARK: One zone

  private func run(_ items: [Item]) async throws(CKError) {
    let isAtomicBatch = isAtomic && work.scope.savesAtomically(items[0].recordID.zoneID)
    var rest = items[...]
    do throws(CKError) {
      let coding = try await work.coding()
      var ancestry = ancestry(of: items)
      try await prepare(&rest, coding, &ancestry, isAtomicBatch: isAtomicBatch)
      try await markMoves(items, &ancestry, coding)
      guard !isAtomicBatch else {
        guard !rest.isEmpty else { return }
        let end = try await send(Array(rest), coding, isAtomicBatch: true)
        rest = []
        if let end { throw end }
        return
      }
      try await work.inBatches(Array(rest)) { batch throws(CKError) in
        let end = try await send(Array(batch), coding, isAtomicBatch: false)
        rest = rest.dropFirst(batch.count)
        if let end { throw end }
      }
    } catch {
      for item in rest { fail(item, error) }
      throw error
    }
  }

  /// Seals values together, and uploads files record by record.
  ///
  /// Records that fail are reported and removed from the rest. In an atomic batch, one failure
  /// fails all. The others are still checked, so that the app learns of all errors at once, but no
  /// more files are uploaded.
  ///
  /// - Throws: An error that prevents the other records too. The rest then contains the unreported
  ///   ones.
  private func prepare(
    _ rest: inout ArraySlice<Item>, _ coding: RecordCoding, _ ancestry: inout ShareLookupCache,
    isAtomicBatch: Bool
  ) async throws(CKError) {
    let newShares = Set(rest.compactMap(\.newShareName))
    try await AssetReuse(work: work, coding: coding).findFiles(of: &rest)
    var (hasFailed, shares) = (false, ancestry)
    defer { ancestry = shares }
    func failed(_ item: Item, _ error: CKError) {
      fail(item, error)
      hasFailed = hasFailed || isAtomicBatch
    }
    try await change(&rest, failed) { (save) throws(CKError) in
      try save.checkValues(coding)
      save.merged = try await mergedShare(save)
      save.toSeal = try await valuesToSeal(of: &save, newShares, &shares, coding)
    }
    try await seal(&rest, failed)
    try await change(&rest, failed) { (save) throws(CKError) in
      try await sendFiles(of: &save, coding, onlyChecks: hasFailed)
    }
    if hasFailed {
      for other in rest { fail(other, Self.otherRecordFailed) }
      rest = []
    }
  }

  /// Changes the records to save, and removes those that fail.
  ///
  /// - Throws: An error that prevents the other records too, which stay in the rest.
  private func change(
    _ rest: inout ArraySlice<Item>, _ failed: (Item, CKError) -> Void,
    _ change: (inout RecordSave) async throws(CKError) -> Void
  ) async throws(CKError) {
    var ready: [Item] = []
    while let item = rest.popFirst() {
      guard case .save(var save) = item else {
        ready.append(item)
        continue
      }
      do throws(CKError) {
        try work.checkCancellation()
        try await change(&save)
        ready.append(.save(save))
      } catch {
        if error.preventsBatch {
          rest = (ready + [item] + rest)[...]
          throw error
        }
        failed(item, error)
      }
    }
    rest = ready[...]
  }

  /// Seals the values of records with one signature.
  private func seal(
    _ rest: inout ArraySlice<Item>, _ failed: (Item, CKError) -> Void
  ) async throws(CKError) {
    let toSeal = rest.compactMap(\.toSeal).filter { !$0.sealedNames.isEmpty }
    guard !toSeal.isEmpty else { return }
    var results = try await work.session.vault.seal(toSeal, work.options)[...]
    var ready: [Item] = []
    for item in rest {
      guard case .save(var save) = item, item.toSeal?.sealedNames.isEmpty == false else {
        ready.append(item)
        continue
      }
      switch results.removeFirst() {
      case .success(let sealed):
        (save.sealed, save.seals) = (sealed.record.fields, sealed.record.stamps)
        save.keyGeneration = sealed.keyGeneration
        ready.append(.save(save))
      case .failure(let error): failed(item, error)
      }
    }
    rest = ready[...]
  }

  /// Seals and uploads the files of a record.
  private func sendFiles(
    of save: inout RecordSave, _ coding: RecordCoding, onlyChecks: Bool
  ) async throws(CKError) {
    let record = save.record
    if let toSeal = save.toSeal {
      for (key, path) in save.filesToSeal {
        let file = try work.session.files.makeFile()
        let generation = try await work.session.vault.sealFile(
          at: path, to: file.path, key: key, of: toSeal.record, recordType: toSeal.recordType,
          shareName: toSeal.shareName, work.options)
        save.keyGeneration = save.keyGeneration ?? generation
        save.sealedFiles[path] = file
      }
    }
    let upload = AssetUpload(work: work, coding: coding)
    if onlyChecks {
      try upload.check(save)
    } else {
      try await upload.upload(for: &save) { report.progress(record, $0) }
    }
    save.sealedFiles = [:]
  }

  /// The values of a record that this device seals; nil for none.
  private func valuesToSeal(
    of save: inout RecordSave, _ newShares: Set<String>, _ ancestry: inout ShareLookupCache,
    _ coding: RecordCoding
  ) async throws(CKError) -> RecordToSeal? {
    let values = try save.valuesToSeal(coding)
    let removed = try await removedValues(of: save, values)
    guard !values.isEmpty || !removed.isEmpty || !save.filesToSeal.isEmpty else { return nil }
    guard work.scope != .public else {
      throw CKError(
        .invalidArguments,
        "The public database does not support encrypted values, because all users can read its records."
      )
    }
    guard work.session.vault.isOnDevice else {
      try await work.session.vault.checkServerMayEncrypt(work.options)
      save.open = values
      return nil
    }
    let record = coding.identifier(save.sent.recordID)
    // A share's keys are stored with it, so a new share has none yet. Its records are resealed
    // after it is saved.
    let shareName = try await ancestry.shareName(of: save.sent.recordID).flatMap {
      newShares.contains($0) ? nil : $0
    }
    if work.scope == .private {
      try await deliverKeys(of: save.sent.recordID.zoneID, record.zone, shareName, coding)
    }
    return RecordToSeal(
      values, removing: removed, of: record, recordType: save.sent.recordType,
      shareName: shareName, over: save.knownSeals)
  }

  /// The encrypted fields that the save removes.
  ///
  /// Their removal is sealed. Otherwise readers could not distinguish it from a value that the
  /// server leaves out.
  private func removedValues(
    of save: RecordSave, _ values: RecordFields
  ) async throws(CKError) -> [String] {
    let vault = work.session.vault
    let removed = save.encryptedKeys.filter { values[$0] == nil }
    guard !removed.isEmpty, !save.isNew, vault.isOnDevice, work.scope != .public else { return [] }
    if save.sent.seals.isEmpty, try await !vault.usesKeys(work.options) { return [] }
    return removed
  }

  /// Creates the lookup for the shares of the records, considering what is being saved.
  private func ancestry(of items: [Item]) -> ShareLookupCache {
    let saves = items.compactMap { item -> RecordSave? in
      if case .save(let save) = item { save } else { nil }
    }
    let sealing = saves.filter { !$0.encryptedKeys.isEmpty || !$0.filesToSeal.isEmpty }
    return ShareLookupCache(work, saves.map(\.sent), expecting: sealing.map(\.sent.recordID))
  }

  /// Marks the shares and zones that records move into by a new parent, so that the records and
  /// their descendants are resealed.
  private func markMoves(
    _ items: [Item], _ ancestry: inout ShareLookupCache, _ coding: RecordCoding
  )
    async throws(CKError)
  {
    let vault = work.session.vault
    guard work.scope == .private, vault.isInUse else { return }
    var scopes: Set<KeyScope> = []
    for case .save(let save) in items where save.sent.isParentChanged && save.sent.changeTag != nil
    {
      let now = try await ancestry.shareName(of: save.sent.recordID)
      var before: String?
      if save.sent.share != nil { continue }
      if let parent = save.sent.formerParent {
        before = try await ancestry.shareName(of: parent.recordID)
      }
      guard now != before else { continue }
      scopes.insert(KeyScope(zone: coding.identifier(save.sent.recordID.zoneID), shareName: now))
    }
    for scope in scopes.sorted() {
      await vault.persistMark(scope)
      vault.markForResealing(scope)
    }
  }

  /// Delivers the keys of a share or zone to its participants, once.
  private func deliverKeys(
    of zoneID: CKRecordZone.ID, _ zone: RecordZoneIdentifier, _ shareName: String?,
    _ coding: RecordCoding
  ) async throws(CKError) {
    let vault = work.session.vault
    guard !vault.hasDeliveredKeys(of: zone, shareName), zoneID.zoneName != CKRecordZoneDefaultName
    else { return }
    var found: Result<CKRecord, CKError>?
    let name = CKRecord.ID(received: shareName ?? CKRecordNameZoneWideShare, zoneID: zoneID)
    try await work.records([name], desiredKeys: []) { found = $1 }
    switch found {
    case .success(let share as CKShare):
      try await vault.deliverKeys(of: share, coding, work.options)
    case .failure(let error) where error.code != .unknownItem: throw error
    default: try await vault.handleMissingShare(of: zone, shareName, work.options)
    }
  }

  static let otherRecordFailed = CKError(
    .batchRequestFailed,
    "Another record of the same atomic batch could not be saved, so this one was not saved either."
  )

  /// Sends a batch.
  ///
  /// - Returns: An error that prevents further saves, after the results of this batch were
  ///   reported.
  private func send(_ items: [Item], _ coding: RecordCoding, isAtomicBatch: Bool)
    async throws(CKError) -> CKError?
  {
    guard policy != .ifServerRecordUnchanged, work.options.retry.repeatsUncertain else {
      try await send(
        items, work.options, coding, isAtomicBatch: isAtomicBatch,
        mayBeRepeated: mayHaveStartedBefore)
      return nil
    }
    return try await sendForced(items, coding, isAtomicBatch: isAtomicBatch)
  }

  /// Sends items in one request and reports each result.
  ///
  /// If the server rejects values because their key is no longer used, they are sealed and sent
  /// again, once.
  func send(
    _ items: [Item], _ options: CallOptions, _ coding: RecordCoding, isAtomicBatch: Bool,
    mayBeRepeated: Bool, isSealedAgain: Bool = false
  ) async throws(CKError) {
    var request = RecordsModifyRequest()
    request.zone = coding.reference(items[0].recordID.zoneID)
    request.atomic = isAtomicBatch
    request.syncToken = work.knownFeeds[items[0].recordID.zoneID]
    for item in items { request.operations.append(try operation(item, coding)) }
    if !mayBeRepeated { request.desiredKeys = Self.keysToReturn(items) }
    await persistMarks(items, coding)
    let reply = try await reply(to: request, items, options)
    try work.check(reply.response.records.count, of: items.count)
    let mayBeRepeated = reply.mayBeRepeated || mayBeRepeated
    let answered = Array(zip(items, reply.response.records))
    let refused =
      isSealedAgain || mayBeRepeated ? [] : answered.filter(\.1.isKeyRetired).map(\.0)
    let others = refused.isEmpty ? answered : answered.filter { !$0.1.isKeyRetired }
    if refused.isEmpty || !isAtomicBatch {
      await settle(
        others.map(\.0), others.map(\.1), isAtomicBatch: isAtomicBatch,
        mayBeRepeated: mayBeRepeated, hasAllFields: request.desiredKeys == nil, coding)
    }
    guard !refused.isEmpty else { return }
    let again = isAtomicBatch ? items : refused
    do throws(CKError) {
      try await send(
        try await sealedAgain(again, coding), options, coding, isAtomicBatch: isAtomicBatch,
        mayBeRepeated: false, isSealedAgain: true)
    } catch {
      // The others were reported already.
      for item in again { fail(item, error) }
    }
  }

  /// Seals the values of items under the current keys.
  private func sealedAgain(_ items: [Item], _ coding: RecordCoding) async throws(CKError) -> [Item]
  {
    await work.session.vault.recheckKeys(of: coding.identifier(items[0].recordID.zoneID))
    var (ancestry, sealed) = (ancestry(of: items), [Item]())
    let newShares = Set(items.compactMap(\.newShareName))
    for item in items {
      guard case .save(var save) = item else {
        sealed.append(item)
        continue
      }
      save.toSeal = try await valuesToSeal(of: &save, newShares, &ancestry, coding)
      sealed.append(.save(save))
    }
    var failure: CKError?
    var rest = sealed[...]
    try await seal(&rest) { failure = failure ?? $1 }
    if let failure { throw failure }
    return Array(rest)
  }

  /// The fields that the answer has to contain; nil for all.
  private static func keysToReturn(_ items: [Item]) -> [String]? {
    var keys: Set<String> = []
    for case .save(let save) in items {
      guard let wanted = save.keysToReturn else { return nil }
      keys.formUnion(wanted)
    }
    return keys.sorted()
  }

  /// Persists, before the request, the marks for the resealing that follows it: for new shares of
  /// records, and for the zones of deleted shares.
  private func persistMarks(_ items: [Item], _ coding: RecordCoding) async {
    let vault = work.session.vault
    guard work.scope == .private, vault.isInUse else { return }
    for item in items {
      let record = coding.identifier(item.recordID)
      if let name = item.newShareName, name != CKRecordNameZoneWideShare {
        await vault.persistMark(KeyScope(zone: record.zone, shareName: name))
      }
      if case .delete = item { await vault.persistMark(ofDeleted: record) }
    }
  }

  private func operation(_ item: Item, _ coding: RecordCoding) throws(CKError) -> RecordOperation {
    switch item {
    case .save(let save):
      return try save.operation(coding)
    case .delete(let recordID):
      var input = RecordInput()
      input.recordName = coding.recordName(recordID)
      input.recordChangeTag = deletionTags[recordID]
      return RecordOperation(input.recordChangeTag == nil ? .forceDelete : .delete, input)
    }
  }
}

extension DatabaseScope {
  /// Whether the records of a zone can be saved atomically.
  func savesAtomically(_ zoneID: CKRecordZone.ID) -> Bool {
    self != .public && zoneID.zoneName != CKRecordZoneDefaultName
  }
}

extension CKError {
  /// Whether the error prevents the other records of a batch from being saved.
  fileprivate var preventsBatch: Bool {
    switch code {
    case .operationCancelled, .networkUnavailable, .networkFailure, .serverResponseLost,
      .serviceUnavailable,
      .requestRateLimited, .zoneBusy, .zoneNotFound, .userDeletedZone, .notAuthenticated,
      .badContainer, .badDatabase,
      .missingEntitlement, .managedAccountRestricted:
      true
    default: false
    }
  }

  /// Whether the error prevents requests for all zones.
  var preventsAllRequests: Bool { preventsBatch && !concernsOneZone }

  /// Whether the error concerns one zone or request, so that other zones may succeed.
  fileprivate var concernsOneZone: Bool {
    switch code {
    case .limitExceeded, .zoneNotFound, .userDeletedZone, .zoneBusy, .permissionFailure,
      .invalidArguments,
      .serverRejectedRequest, .internalError:
      true
    default: false
    }
  }
}
