package import MirrorLedger
package import MirrorModel

/// Where a simulation has an engine work in small parts, or breaks it on purpose to see that its
/// checkers notice; nil in programs.
///
/// Each part changes one decision of the engine; what is nil leaves it as it is.
package struct MirrorSeam: Sendable {
  /// How many records are asked for at once, and how many such pages come into one save.
  package var recordsInPage = MirrorLimits.recordsInPage
  package var pagesInSave = MirrorLimits.pagesInSave
  /// How many deletions wait for the end of a feed at most.
  package var heldDeletions = MirrorLimits.heldDeletions
  /// The pages that replace a page of changes, or the records of a conflict.
  package var pages: (@Sendable (ImportPage) -> [ImportPage])?
  /// What counts as acknowledged, of what the server has taken and what was sent.
  package var acknowledged:
    (@Sendable (_ taken: [Acknowledgement], _ sent: [OutboxEntry]) -> [Acknowledgement])?
  /// How much goes into one request.
  package var limits: (@Sendable (ExportLimits) -> ExportLimits)?
  /// Whether a request waits until the disk has the note that it is sent.
  package var waitsForDisk = true
  /// Whether objects are sent whole, over whatever the server has.
  package var sendsBlindly = false
  /// Whether everything is listed once more for a model that has grown.
  package var listsOnceMore = true
  /// What becomes of an object that waits to be sent and whose record has changed.
  package var merged: (@Sendable (MergeOutcome, _ server: DecodedObject) -> MergeOutcome)?
  /// What is noted in the ledger with what was taken over.
  package var noted: (@Sendable (LedgerChanges) -> LedgerChanges)?
  /// Whether of two records of a pair both are deleted.
  package var deletesBothOfPair = false

  /// Whether records say for whom they stand.
  package var announcesMerges = true
  /// Whether deletions of what must be unique go by the tag that is known.
  package var comparesDeletions = true
  /// Whether what a listing of a public database does not name is gone only for whom it was
  /// received before.
  package var heedsReaders = true

  /// The defects of moves between zones.
  package var moves = LedgerSeam()
  /// Whether changes that the server refuses are taken back.
  package var revertsRefused = true
  /// Whether edits of records that objects have left go to the new records.
  package var carriesStrayEdits = true
  /// Whether the zone of an ended share is deleted only after its objects have left it.
  package var emptiesZones = true
  /// Whether deletions wait until all changed zones were read.
  package var holdsDeletions = true
  /// Whether the objects of an ended zone go.
  package var heedsEnds = true
  /// Whether a lower permission counts.
  package var heedsPermissions = true

  package init() {}
}

extension Importer {
  /// What is taken over of a page: the page, unless a simulation breaks the engine.
  func parts(of page: ImportPage) -> [ImportPage] { seam?.pages?(page) ?? [page] }
}
