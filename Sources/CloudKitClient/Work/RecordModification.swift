import CloudEncryption
import CloudRecords
import CloudWire
import Foundation
import Synchronization

/// Saves and deletes records: uploads their files, sends them zone by zone, and tells what became
/// of each.
struct RecordModification: Sendable {
  let work: DatabaseWork
  let policy: CKModifyRecordsOperation.RecordSavePolicy
  let isAtomic: Bool
  /// The versions for which deletions are meant; what is not named is deleted whatever it is by
  /// then.
  var deletionTags: [CKRecord.ID: String] = [:]
  /// Whether a former process has perhaps done some of it.
  var wasBegunBefore = false
  var report: Report

  /// Whom to tell of what.
  struct Report: Sendable {
    var progress: @Sendable (CKRecord, Double) -> Void = { _, _ in }
    var saved: @Sendable (CKRecord.ID, Result<CKRecord, CKError>) -> Void
    var deleted: @Sendable (CKRecord.ID, Result<Void, CKError>) -> Void
  }

  /// What is done to one record.
  enum Item {
    case save(RecordSave)
    case delete(CKRecord.ID)

    var recordID: CKRecord.ID {
      switch self {
      case .save(let save): save.sent.recordID
      case .delete(let recordID): recordID
      }
    }

    /// The name of a share that is saved for the first time.
    var newShareName: String? {
      guard case .save(let save) = self, save.sent.sharing != nil, save.sent.changeTag == nil else {
        return nil
      }
      return save.sent.recordID.recordName
    }
  }

  /// - Throws: What kept all that is left from being done; everybody was told of it before.
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
    if work.session.vault.isInUse { await work.sealAnewWhatIsDue(held: records) }
    held.tell(report)
    if let failure { throw failure }
  }

  /// Whether values may have to be sealed anew behind it.
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
        isOver = !error.isOfOneZone
        failure = isOver ? error : failure ?? error
      }
    }
    if let failure { throw failure }
  }

  /// Records of a zone are saved together, in the order in which they were given.
  private func byZone(_ items: [Item]) throws(CKError) -> [[Item]] {
    var places: [CKRecordZone.ID: Int] = [:]
    var zones: [[Item]] = []
    var seen: Set<CKRecord.ID> = []
    for item in items {
      guard seen.insert(item.recordID).inserted else {
        throw CKError(
          .invalidArguments,
          "The record \(item.recordID.recordName) is named twice. Save or delete a record once in an operation."
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
    let isWhole = isAtomic && work.scope.savesAsWhole(items[0].recordID.zoneID)
    var rest = items[...]
    do throws(CKError) {
      let coding = try await work.coding()
      var ancestry = ancestry(of: items)
      try await prepare(&rest, coding, &ancestry, isWhole: isWhole)
      try await noteMoves(items, &ancestry, coding)
      guard !isWhole else {
        guard !rest.isEmpty else { return }
        let end = try await send(Array(rest), coding, isWhole: true)
        rest = []
        if let end { throw end }
        return
      }
      try await work.inPieces(Array(rest)) { piece throws(CKError) in
        let end = try await send(Array(piece), coding, isWhole: false)
        rest = rest.dropFirst(piece.count)
        if let end { throw end }
      }
    } catch {
      for item in rest { fail(item, error) }
      throw error
    }
  }

  /// Seals values and sends files, record by record.
  ///
  /// Whoever cannot be saved is told so, and is none of the rest afterwards; of what is saved as a
  /// whole nobody is then. All of those are told, so that who leaves them out the next time need
  /// not find one after the other; no file is sent for the others any more.
  ///
  /// - Throws: What keeps the others from being saved as well: the rest are those who were not told
  ///   anything.
  private func prepare(
    _ rest: inout ArraySlice<Item>, _ coding: RecordCoding, _ ancestry: inout ShareLookupCache,
    isWhole: Bool
  ) async throws(CKError) {
    let newShares = Set(rest.compactMap(\.newShareName))
    try await AssetReuse(work: work, coding: coding).findFiles(of: &rest)
    var ready: [Item] = []
    var isInVain = false
    while let item = rest.popFirst() {
      do throws(CKError) {
        ready.append(try await prepared(item, newShares, &ancestry, coding, sendsFiles: !isInVain))
      } catch {
        if error.endsBatch {
          rest = (ready + [item] + rest)[...]
          throw error
        }
        fail(item, error)
        isInVain = isWhole
      }
    }
    if isInVain {
      for other in ready { fail(other, Self.notAlone) }
      ready = []
    }
    rest = ready[...]
  }

  private func prepared(
    _ item: Item, _ newShares: Set<String>, _ ancestry: inout ShareLookupCache,
    _ coding: RecordCoding, sendsFiles: Bool
  ) async throws(CKError) -> Item {
    guard case .save(var save) = item else { return item }
    try work.checkIsWanted()
    let record = save.record
    save.merged = try await mergedShare(save)
    try await seal(&save, newShares, &ancestry, coding)
    let upload = AssetUpload(work: work, coding: coding)
    if sendsFiles {
      try await upload.upload(for: &save) { report.progress(record, $0) }
    } else {
      try upload.check(save)
    }
    save.sealedFiles = [:]
    return .save(save)
  }

  private func seal(
    _ save: inout RecordSave, _ newShares: Set<String>, _ ancestry: inout ShareLookupCache,
    _ coding: RecordCoding
  ) async throws(CKError) {
    let (values, files) = (try save.valuesToSeal(coding), save.filesToSeal)
    guard !values.isEmpty || !files.isEmpty else { return }
    guard work.scope != .public else {
      throw CKError(
        .invalidArguments,
        "Records of the public database have no encrypted values: everybody sees them.")
    }
    guard work.session.vault.isOnDevice else {
      try await work.session.vault.checkServerMayEncrypt(work.options)
      save.open = values
      return
    }
    let record = coding.identifier(save.sent.recordID)
    // The keys of a share lie with it, so that there are none before it is saved: then the values
    // are sealed anew.
    let shareName = try await ancestry.shareName(of: save.sent.recordID).flatMap {
      newShares.contains($0) ? nil : $0
    }
    if work.scope == .private {
      try await handKeys(of: save.sent.recordID.zoneID, record.zone, shareName, coding)
    }
    (save.sealed, save.keyGeneration) = try await work.session.vault.seal(
      values, of: record, recordType: save.sent.recordType, shareName: shareName, work.options)
    for (key, path) in files {
      let file = try work.session.files.makeFile()
      let generation = try await work.session.vault.sealFile(
        at: path, to: file.path, key: key, of: record, recordType: save.sent.recordType,
        shareName: shareName,
        work.options)
      save.keyGeneration = save.keyGeneration ?? generation
      save.sealedFiles[path] = file
    }
  }

  /// The shares of records, as they are with what is saved.
  private func ancestry(of items: [Item]) -> ShareLookupCache {
    let saves = items.compactMap { item -> RecordSave? in
      if case .save(let save) = item { save } else { nil }
    }
    let sealing = saves.filter { !$0.encryptedKeys.isEmpty || !$0.filesToSeal.isEmpty }
    return ShareLookupCache(work, saves.map(\.sent), expecting: sealing.map(\.sent.recordID))
  }

  /// Notes the shares and zones that records come into by another parent: what is encrypted in
  /// them, and in all beneath them, is sealed under other keys.
  private func noteMoves(
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
      await vault.keepNote(scope)
      vault.noteToSealAnew(scope)
    }
  }

  /// Sees once that those who take part in a share, or in that of the whole zone, have the keys.
  private func handKeys(
    of zoneID: CKRecordZone.ID, _ zone: RecordZoneIdentifier, _ shareName: String?,
    _ coding: RecordCoding
  ) async throws(CKError) {
    let vault = work.session.vault
    guard !vault.hasHandedKeys(of: zone, shareName), zoneID.zoneName != CKRecordZoneDefaultName
    else { return }
    var found: Result<CKRecord, CKError>?
    let name = CKRecord.ID(received: shareName ?? CKRecordNameZoneWideShare, zoneID: zoneID)
    try await work.records([name], desiredKeys: []) { found = $1 }
    switch found {
    case .success(let share as CKShare): try await vault.handKeys(of: share, coding, work.options)
    case .failure(let error) where error.code != .unknownItem: throw error
    default: vault.noteUnshared(zone)
    }
  }

  static let notAlone = CKError(
    .batchRequestFailed,
    "Another record of the same zone could not be saved, so that this one was not either.")

  /// - Returns: What keeps other records from being saved as well, where all of these were told
  ///   what became of them.
  private func send(_ items: [Item], _ coding: RecordCoding, isWhole: Bool) async throws(CKError)
    -> CKError?
  {
    guard policy != .ifServerRecordUnchanged, work.options.retry.repeatsUncertain else {
      try await send(items, work.options, coding, isWhole: isWhole, mayBeSecond: wasBegunBefore)
      return nil
    }
    return try await sendForced(items, coding, isWhole: isWhole)
  }

  /// Sends items in one request, and tells what became of each.
  func send(
    _ items: [Item], _ options: CallOptions, _ coding: RecordCoding, isWhole: Bool,
    mayBeSecond: Bool
  ) async throws(CKError) {
    var request = RecordsModifyRequest()
    request.zone = coding.reference(items[0].recordID.zoneID)
    request.atomic = isWhole
    request.syncToken = work.knownFeeds[items[0].recordID.zoneID]
    for item in items { request.operations.append(try operation(item, coding)) }
    await noteWhatChanges(items, coding)
    let reply = try await reply(to: request, items, options)
    try work.check(reply.response.records.count, of: items.count)
    let mayBeSecond = reply.mayBeSecond || mayBeSecond
    await settle(items, reply.response.records, isWhole: isWhole, mayBeSecond: mayBeSecond, coding)
  }

  /// Notes what has to be sealed anew behind the request: records that come into a share, and those
  /// that fall to their zone.
  private func noteWhatChanges(_ items: [Item], _ coding: RecordCoding) async {
    let vault = work.session.vault
    guard work.scope == .private, vault.isInUse else { return }
    for item in items {
      let record = coding.identifier(item.recordID)
      if let name = item.newShareName, name != CKRecordNameZoneWideShare {
        await vault.keepNote(KeyScope(zone: record.zone, shareName: name))
      }
      if case .delete = item { await vault.keepNote(ofDeleted: record) }
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
  /// Whether records of a zone can be saved all or none.
  func savesAsWhole(_ zoneID: CKRecordZone.ID) -> Bool {
    self != .public && zoneID.zoneName != CKRecordZoneDefaultName
  }
}

extension CKError {
  /// Whether it keeps the other records of a batch from being saved as well.
  fileprivate var endsBatch: Bool {
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

  /// Whether nothing else can be asked for either, in whatever zone.
  var endsEverything: Bool { endsBatch && !isOfOneZone }

  /// Whether it says something of one zone or one request, so that those of other zones may go
  /// well.
  fileprivate var isOfOneZone: Bool {
    switch code {
    case .limitExceeded, .zoneNotFound, .userDeletedZone, .zoneBusy, .permissionFailure,
      .invalidArguments,
      .serverRejectedRequest, .internalError:
      true
    default: false
    }
  }
}
