import MirrorModel

/// The sizes of an engine's transfers and saves.
///
/// Programs have the sizes of `MirrorLimits`. Tests of several pages use smaller ones.
package struct TransferSizes: Sendable {
  /// The records of a page of changes.
  package var recordsInPage = MirrorLimits.recordsInPage
  /// The pages of changes in one save.
  package var pagesInSave = MirrorLimits.pagesInSave
  /// The deletions that wait for the end of a feed.
  package var heldDeletions = MirrorLimits.heldDeletions
  /// The most records of one request.
  package var recordsInRequest = MirrorLimits.recordsInRequest

  package init() {}
}
