import CloudMirroring

/// A deliberate defect of the engine, which the checks must detect.
///
/// Most are planted around the engine: in its requests and responses (`BrokenTransport`), in the
/// tables of its ledger (`BrokenLedger`), in its model or on its disk.
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
  /// Attributes the result of one record to another one.
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
  /// Drops the order of the cards on a board.
  case forgetOrders
  /// Does not defer references to records that have not arrived.
  case forgetDeferred
  /// Replaces local references with remote ones, even if only other properties changed remotely.
  case yieldReferences
  /// Deletes both records if a many-to-many pair has two, so that the pair is lost everywhere.
  case partDoubles
  /// Saves the feed's token in a separate transaction, before the changes.
  case keepPlaceFirst
  /// Sends a request before the disk has synced the note that its entries were sent.
  case sendUnnoted
  /// Ignores syncs of the disk.
  case lieAboutSyncs
  /// Drops the references of lockers to members.
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
  /// Leaves every third object in its zone when related objects move.
  case forgetChild
  /// Leaves pairs in the former zone of their objects.
  case leavePairs
  /// Keeps local changes that the server rejected for lack of permission.
  case keepRefused
  /// Keeps the objects of a share that ended for the user.
  case ignoreEnds
  /// Ignores that a permission was lowered.
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
  /// Treats every other page of changes as empty.
  case hearNothing
  /// Treats an unsaved record as saved if its parent is in conflict in the same batch.
  case dropChild

  /// Whether only worlds with sharing reveal it.
  private var isOfSharing: Bool {
    switch self {
    case .forgetChild, .leavePairs, .keepRefused,
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
    case .forgetReferences, .confuseParents, .dropChild: .contributions
    case .forgetFiles: .largeValues
    case .overwriteBlindly: .staleEdits
    case .forgetGrowth: .versions
    case .forgetClaims: .lockers
    case .keepMembers: .cascades
    case .forgetKinds: .kinds
    case .sendPlain: .secrets
    case .moveData: .visitors
    case .deleteEverywhere: .purges
    case .forgetOrders, .forgetDeferred, .yieldReferences, .partDoubles: .boards
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
  package var recordsInPage: Int? { self == .forgetDeferred ? 1 : nil }

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
    case .forgetChild, .leavePairs: .zones
    case .keepRemoved, .keepMembership, .approveDenied: .secrecy
    case .dropStrayEdits: .value
    default: keepsDevicesAlike ? .value : nil
    }
  }

  /// The engine's transfer sizes with this defect.
  func changed(_ sizes: TransferSizes) -> TransferSizes {
    var sizes = sizes
    switch self {
    case .splitSaves: sizes.recordsInRequest = 1
    case .splitLargeSaves: sizes.recordsInRequest = SimulationLimits.recordsInRequest / 2
    default: break
    }
    return sizes
  }

  /// Wrong decisions inside the engine, which no decorator can cause; nil for other defects.
  var plantedBugs: PlantedBugs? {
    var plantedBugs = PlantedBugs()
    switch self {
    case .keepRefused: plantedBugs.revertsRejected = false
    case .ignoreEnds: plantedBugs.removesEndedZones = false
    case .deleteEarly: plantedBugs.holdsDeletions = false
    default: return nil
    }
    return plantedBugs
  }
}
