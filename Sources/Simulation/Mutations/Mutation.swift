import CloudKitClient
import CloudMirroring
import Synchronization

/// A way in which an engine is broken on purpose: checkers that do not notice it are of no use.
package enum Mutation: String, CaseIterable, Sendable {
  /// Every third page of changes is left out, and its token is kept.
  case skipPage
  /// Deletions that the server tells are left out.
  case forgetDeletions
  /// Behind each page the one before is taken over once more.
  case replayPage
  /// What the server has taken is not taken out of the outbox.
  case dropAcknowledgement
  /// What nobody has answered is taken out of the outbox.
  case acknowledgeUnanswered
  /// Every record is a request of its own.
  case splitSaves
  /// Requests take half of the records that they may, so that saves which fit are cut.
  case splitLargeSaves
  /// Who belongs to whom, where both have many, is left out.
  case forgetPairs
  /// What the server says of one record is taken for what it says of the next one.
  case confuseReceipts
  /// The last record of each page counts as deleted.
  case deleteInstead
  /// The last record of each page is left out.
  case loseRecord
  /// What a record refers to is left out.
  case forgetReferences
  /// Each record of a page follows what the next one does.
  case confuseParents
  /// Values that go as files are left out.
  case forgetFiles
  /// Records that came before are taken over once more, as if the server had just told them.
  case returnToFormer
  /// Objects are sent whole, over whatever the server has.
  case overwriteBlindly
  /// What a former version of the model passed over is not fetched again.
  case forgetGrowth
  /// The order of members is left out.
  case forgetOrders
  /// What refers to something that has not come yet does not wait for it.
  case forgetParked
  /// What an object refers to here gives way to what its record refers to, where another property
  /// was changed there.
  case yieldReferences
  /// Of two records of one pair both are deleted, so that it is gone from all.
  case partDoubles
  /// The place in a zone's feed is kept in a transaction of its own, before what came from there.
  case keepPlaceFirst
  /// Requests do not wait until the disk has the note that they are sent.
  case sendUnnoted
  /// The disk says that it has what it has not.
  case lieAboutSyncs
  /// Who has a locker is left out.
  case forgetClaims
  /// What belongs to what is deleted stays.
  case keepMembers
  /// Of which entity a record is is left out.
  case forgetKinds
  /// What is to be encrypted is not.
  case sendPlain
  /// What a store has goes to whoever signs in.
  case moveData
  /// What a device removes behind a purge is deleted for all.
  case deleteEverywhere
  /// Records do not say for whom they stand.
  case forgetSuccessions
  /// What must be unique is deleted whatever has become of it.
  case deleteUnseen
  /// What a comparison of names leaves out counts as gone, whoever was told of it.
  case forgetReaders
  /// What its maker alone may read, all may.
  case openAlbums
  /// What is to stay on a device belongs to the mirrored store.
  case mirrorDrafts

  /// The workload in which it shows.
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
    default: .addDelete
    }
  }

  /// What must go wrong so that it shows.
  package var faults: SimulatedFaults {
    switch self {
    case .keepPlaceFirst: [.transaction, .push]
    case .sendUnnoted, .lieAboutSyncs: [.power, .push]
    default: [.network, .push]
    }
  }

  /// How many records devices ask for at once, where it shows in small parts only.
  var recordsInPage: Int? { self == .forgetParked ? 1 : nil }

  /// Whether all devices and the server come to agree, so that only what was saved tells that it is
  /// wrong.
  package var isUnanimous: Bool {
    [.yieldReferences, .partDoubles, .forgetSuccessions, .deleteUnseen].contains(self)
  }

  /// What it must be noticed by, where one invariant is meant for it.
  package var invariant: Violation.Invariant? {
    switch self {
    case .splitSaves, .splitLargeSaves: .together
    case .confuseParents: .causality
    default: isUnanimous ? .value : nil
    }
  }

  /// The engine's seam, broken in this way.
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
    case .forgetParked: seam.noted = { $0.withoutParked }
    case .yieldReferences: seam.merged = { $0.yieldingReferences(to: $1) }
    case .partDoubles: seam.deletesBothOfPair = true
    case .keepPlaceFirst: seam.pages = { [$0.saying([], deleted: []), $0] }
    case .sendUnnoted: seam.waitsForDisk = false
    case .lieAboutSyncs, .keepMembers, .sendPlain, .moveData, .deleteEverywhere, .openAlbums,
      .mirrorDrafts:
      break
    case .forgetClaims: seam.pages = { [$0.without(["CD_member"])] }
    case .forgetKinds: seam.pages = { [$0.without(["CD_entityName"])] }
    case .forgetSuccessions: seam.promisesSuccessions = false
    case .deleteUnseen: seam.comparesDeletions = false
    case .forgetReaders: seam.heedsReaders = false
    }
    return seam
  }

  /// Each one's version is that of its neighbour.
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

/// What a broken engine remembers of pages.
private final class PageMemory: Sendable {
  private let state = Mutex((count: 0, last: ImportPage?.none))

  /// How many pages there were, with this one.
  func count() -> Int {
    state.withLock { state in
      state.count += 1
      return state.count
    }
  }

  /// Remembers a page, and gives the one before.
  func exchange(_ page: ImportPage) -> ImportPage? {
    state.withLock { state in
      defer { state.last = page }
      return state.last
    }
  }
}

extension LedgerChanges {
  /// The changes without what waits for others.
  fileprivate var withoutParked: Self {
    var changes = self
    (changes.parked, changes.parkedPairs) = ([], [])
    return changes
  }
}

extension MergeOutcome {
  /// The outcome with the record's references, whoever has changed them.
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
  /// The page without records that stand for pairs.
  fileprivate var withoutPairs: ImportPage {
    saying(records.filter { $0.recordType != MirrorNames.joinType }, deleted: deleted)
  }

  /// The page in which the last record is deleted.
  fileprivate var deletingLast: ImportPage {
    saying(records.dropLast(), deleted: deleted + records.suffix(1).map(\.recordID))
  }

  /// The page in which each record follows what the next one does.
  fileprivate var confusingParents: ImportPage {
    let parents = records.map { $0["CD_parent"] as? String }
    for (record, parent) in zip(records, parents.dropFirst() + parents.prefix(1)) {
      record["CD_parent"] = parent
    }
    return self
  }

  /// The page with records that lack some fields.
  fileprivate func without(_ fields: [String]) -> ImportPage {
    for record in records {
      for field in fields { record[field] = nil }
    }
    return self
  }

  /// The page without its deletions, and without its records where that is wanted.
  fileprivate func without(records: Bool) -> ImportPage {
    saying(records ? [] : self.records, deleted: [])
  }
}
