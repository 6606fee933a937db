import CloudKitClient
import CloudMirroring
import MirrorLedger
import MirrorModel
import Synchronization

/// A deliberate defect of the engine, which shows that the checks detect it.
package enum Mutation: String, CaseIterable, Sendable {
  /// Skips every third page of changes, but keeps its token.
  case skipPage
  /// Ignores remote deletions.
  case forgetDeletions
  /// Applies each page again after the next one.
  case replayPage
  /// Keeps acknowledged entries in the outbox.
  case dropAcknowledgement
  /// Removes entries without a response from the outbox.
  case acknowledgeUnanswered
  /// Sends every record in a separate request.
  case splitSaves
  /// Sends half of the permitted records per request, so that saves that fit in one are split.
  case splitLargeSaves
  /// Drops many-to-many memberships.
  case forgetPairs
  /// Attributes the result of one record to the next one.
  case confuseReceipts
  /// Treats the last record of each page as deleted.
  case deleteInstead
  /// Drops the last record of each page.
  case loseRecord
  /// Drops references of records.
  case forgetReferences
  /// Gives each contribution of a page the next one's parent.
  case confuseParents
  /// Drops asset values.
  case forgetFiles
  /// Applies former versions of records again, as if the server had just sent them.
  case returnToFormer
  /// Sends whole objects, overwriting any version on the server.
  case overwriteBlindly
  /// Does not fetch fields that an earlier model version ignored.
  case forgetGrowth
  /// Drops the order of members.
  case forgetOrders
  /// Does not defer references to records that have not arrived.
  case forgetParked
  /// Replaces local references with remote ones, even if another property was changed remotely.
  case yieldReferences
  /// Deletes both records of a duplicated pair, so that it is lost everywhere.
  case partDoubles
  /// Saves the feed's token in a separate transaction, before the changes.
  case keepPlaceFirst
  /// Sends a request before the disk has synced the record that its entries are sent.
  case sendUnnoted
  /// Ignores syncs of the disk.
  case lieAboutSyncs
  /// Drops the owners of lockers.
  case forgetClaims
  /// Does not cascade deletions.
  case keepMembers
  /// Drops the entities of records.
  case forgetKinds
  /// Does not encrypt values.
  case sendPlain
  /// Uploads a store's data to the account of any user who signs in.
  case moveData
  /// Exports the deletions when a device removes its data after a purge.
  case deleteEverywhere
  /// Omits from a winner's record the names of the duplicates that it replaced.
  case forgetSuccessions
  /// Deletes the loser of a merge even if it has changed.
  case deleteUnseen
  /// Treats names that a comparison does not list as deleted, even if the user may not read them.
  case forgetReaders
  /// Makes private records readable for all users.
  case openAlbums
  /// Assigns local-only objects to the mirrored store.
  case mirrorDrafts
  /// Deletes the former record of a moved object before the new one is saved.
  case deleteFormersFirst
  /// Does not move the last object of several that move.
  case forgetChild
  /// Leaves pairs in the former zone of their objects.
  case leavePairs
  /// Keeps local changes that the server refused for lack of permission.
  case keepRefused
  /// Deletes the zone of an ended share before its objects have left it.
  case deleteFullZones
  /// Keeps the objects of a share that ended for the user.
  case ignoreEnds
  /// Takes a lower permission for the former one.
  case hideLowering
  /// Does not count the moves of records that others moved.
  case forgetMoves
  /// Drops edits by devices that did not know of a move.
  case dropStrayEdits
  /// Applies the deletions in a zone before other zones are read.
  case deleteEarly
  /// Reports to the owner that a participant was removed, without saving it.
  case keepRemoved
  /// Reports to participants that they left, although they did not.
  case keepMembership
  /// Approves the requests for access that the owner denies.
  case approveDenied

  /// Whether users who share reveal it.
  private var isOfSharing: Bool {
    switch self {
    case .deleteFormersFirst, .forgetChild, .leavePairs, .keepRefused, .deleteFullZones,
      .ignoreEnds, .hideLowering, .forgetMoves, .dropStrayEdits, .deleteEarly, .keepRemoved,
      .keepMembership, .approveDenied:
      true
    default: false
    }
  }

  /// The workload that reveals it.
  package var workload: Workload {
    switch self {
    case .splitSaves: .manySmallSaves
    case .splitLargeSaves: .fewLargeSaves
    case .forgetPairs: .relations
    case .returnToFormer: .concurrentEdits
    case .forgetReferences, .confuseParents: .contributions
    case .forgetFiles: .largeValues
    case .overwriteBlindly: .staleEdits
    case .forgetGrowth: .versions
    case .forgetClaims: .lockers
    case .keepMembers: .cascades
    case .forgetKinds: .kinds
    case .sendPlain: .secrets
    case .moveData: .visitors
    case .deleteEverywhere: .purges
    case .forgetOrders, .forgetParked, .yieldReferences, .partDoubles: .boards
    case .forgetSuccessions, .deleteUnseen: .constraints
    case .forgetReaders, .openAlbums: .readers
    case .mirrorDrafts: .drafts
    default: isOfSharing ? .sharing : .addDelete
    }
  }

  /// The faults that reveal it.
  package var faults: SimulatedFaults {
    switch self {
    case .keepPlaceFirst: [.transaction, .push]
    case .sendUnnoted, .lieAboutSyncs: [.power, .push]
    default: [.network, .push]
    }
  }

  /// The page size, if only small pages reveal it.
  package var recordsInPage: Int? { self == .forgetParked ? 1 : nil }

  /// Whether all devices still agree with the server, so that only the acknowledged writes reveal
  /// the defect.
  package var keepsDevicesAlike: Bool {
    [.yieldReferences, .partDoubles, .forgetSuccessions, .deleteUnseen].contains(self)
  }

  /// The invariant that must detect it, if there is a specific one.
  package var invariant: Violation.Invariant? {
    switch self {
    case .splitSaves, .splitLargeSaves: .together
    case .confuseParents: .causality
    case .deleteFormersFirst, .forgetChild, .leavePairs: .zones
    case .keepRemoved, .keepMembership, .approveDenied: .secrecy
    case .dropStrayEdits: .value
    default: keepsDevicesAlike ? .value : nil
    }
  }

  /// The engine's hooks with this defect.
  var seam: MirrorSeam {
    var seam = MirrorSeam()
    switch self {
    case .skipPage: seam.pages = Self.skipping()
    case .forgetDeletions: seam.pages = { page in [page.without(records: false)] }
    case .replayPage: seam.pages = Self.replaying()
    case .dropAcknowledgement: seam.acknowledged = { _, _ in [] }
    case .acknowledgeUnanswered:
      seam.acknowledged = { taken, sent in
        taken.isEmpty ? sent.map { Acknowledgement($0, tag: nil, systemFields: nil) } : taken
      }
    case .splitSaves:
      seam.limits = { ExportLimits(records: 1, bytes: $0.bytes, sendsRefused: $0.sendsRefused) }
    case .splitLargeSaves:
      seam.limits = {
        ExportLimits(
          records: SimulationLimits.recordsInRequest / 2, bytes: $0.bytes,
          sendsRefused: $0.sendsRefused)
      }
    case .forgetPairs: seam.pages = { [$0.withoutPairs] }
    case .confuseReceipts: seam.acknowledged = { taken, _ in Self.confused(taken) }
    case .deleteInstead: seam.pages = { [$0.deletingLast] }
    case .loseRecord: seam.pages = { [$0.saying($0.records.dropLast(), deleted: $0.deleted)] }
    case .forgetReferences: seam.pages = { [$0.without(["CD_parent"])] }
    case .confuseParents: seam.pages = { [$0.confusingParents] }
    case .forgetFiles: seam.pages = { [$0.without(["CD_data_ckAsset"])] }
    case .returnToFormer: seam.pages = Self.returning()
    case .overwriteBlindly: seam.sendsBlindly = true
    case .forgetGrowth: seam.listsOnceMore = false
    case .forgetOrders: seam.pages = { [$0.without(["PH_cards_order"])] }
    case .forgetParked: seam.noted = { $0.withoutDeferred }
    case .yieldReferences: seam.merged = { $0.yieldingReferences(to: $1) }
    case .partDoubles: seam.deletesBothOfPair = true
    case .keepPlaceFirst: seam.pages = { [$0.saying([], deleted: []), $0] }
    case .sendUnnoted: seam.waitsForDisk = false
    case .lieAboutSyncs, .keepMembers, .sendPlain, .moveData, .deleteEverywhere, .openAlbums,
      .mirrorDrafts:
      break
    case .keepRemoved, .keepMembership, .approveDenied: break
    case .deleteFormersFirst: seam.moves.formersWait = false
    case .forgetChild: seam.moves.moved = { $0.count > 1 ? $0.dropLast() : $0 }
    case .leavePairs: seam.moves.movesPairs = false
    case .keepRefused: seam.revertsRefused = false
    case .deleteFullZones: seam.emptiesZones = false
    case .ignoreEnds: seam.heedsEnds = false
    case .hideLowering: seam.heedsPermissions = false
    case .forgetMoves: seam.pages = { [$0.without([MirrorNames.moves])] }
    case .dropStrayEdits: seam.carriesStrayEdits = false
    case .deleteEarly: seam.holdsDeletions = false
    case .forgetClaims: seam.pages = { [$0.without(["CD_member"])] }
    case .forgetKinds: seam.pages = { [$0.without(["CD_entityName"])] }
    case .forgetSuccessions: seam.announcesMerges = false
    case .deleteUnseen: seam.comparesDeletions = false
    case .forgetReaders: seam.heedsReaders = false
    }
    return seam
  }

  /// Each acknowledgment with the version of its neighbor.
  private static func confused(_ taken: [Acknowledgement]) -> [Acknowledgement] {
    zip(taken, taken.dropFirst() + taken.prefix(1)).map { one, next in
      Acknowledgement(one.entry, tag: next.tag, systemFields: next.systemFields)
    }
  }

  private static func returning() -> @Sendable (ImportPage) -> [ImportPage] {
    let memory = PageMemory()
    return { page in
      let former = memory.exchange(page)?.records ?? []
      return [page, ImportPage(records: former, isConflict: true)]
    }
  }

  private static func skipping() -> @Sendable (ImportPage) -> [ImportPage] {
    let counter = PageMemory()
    return { page in counter.count() % 3 == 0 ? [page.without(records: true)] : [page] }
  }

  private static func replaying() -> @Sendable (ImportPage) -> [ImportPage] {
    let memory = PageMemory()
    return { page in
      guard !page.isConflict else { return [page] }
      return memory.exchange(page).map { [page, ImportPage(records: $0.records)] } ?? [page]
    }
  }
}

/// The pages that a broken engine remembers.
private final class PageMemory: Sendable {
  private let state = Mutex((count: 0, last: ImportPage?.none))

  /// The number of pages, including this one.
  func count() -> Int {
    state.withLock { state in
      state.count += 1
      return state.count
    }
  }

  /// Remembers a page, and returns the previous one.
  func exchange(_ page: ImportPage) -> ImportPage? {
    state.withLock { state in
      defer { state.last = page }
      return state.last
    }
  }
}

extension LedgerChanges {
  /// The changes without deferred references.
  fileprivate var withoutDeferred: Self {
    var changes = self
    changes.deferred.removeAll { [.reference, .contested, .pair].contains($0.kind) }
    return changes
  }
}

extension MergeOutcome {
  /// The outcome with the record's references, regardless of which side changed them.
  fileprivate func yieldingReferences(to server: DecodedObject) -> Self {
    var outcome = self
    for property in send
    where content.references[property] != nil || server.content.references[property] != nil {
      outcome.content.take(property, from: server.content)
      outcome.send.remove(property)
      outcome.write.insert(property)
    }
    return outcome
  }
}

extension ImportPage {
  /// The page without records that represent pairs.
  fileprivate var withoutPairs: ImportPage {
    saying(records.filter { $0.recordType != MirrorNames.joinType }, deleted: deleted)
  }

  /// The page with its last record deleted.
  fileprivate var deletingLast: ImportPage {
    saying(records.dropLast(), deleted: deleted + records.suffix(1).map(\.recordID))
  }

  /// The page with each contribution's parent taken from the next one.
  fileprivate var confusingParents: ImportPage {
    let parents = records.map { $0["CD_parent"] as? String }
    for (record, parent) in zip(records, parents.dropFirst() + parents.prefix(1)) {
      record["CD_parent"] = parent
    }
    return self
  }

  /// The page with some fields of its records removed.
  fileprivate func without(_ fields: [String]) -> ImportPage {
    for record in records {
      for field in fields { record[field] = nil }
    }
    return self
  }

  /// The page without its deletions, and optionally without its records.
  fileprivate func without(records: Bool) -> ImportPage {
    saying(records ? [] : self.records, deleted: [])
  }
}
