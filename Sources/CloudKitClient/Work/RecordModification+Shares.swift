import Synchronization

/// Merges a share's changes with the server's share, for the policy `changedKeys`.
///
/// The participants are sent as a whole, so an old copy would remove participants who have joined
/// since. Therefore the changes are applied to the server's current share, and saved with that
/// share's change tag. If a participant joins in between, the save fails with a conflict.
extension RecordModification {
  /// The server's share with the local changes; nil if the record is no share, need not be merged,
  /// or is gone.
  func mergedShare(_ save: RecordSave) async throws(CKError) -> RecordSave.MergedShare? {
    guard save.changesKnownRecord, let own = save.sent.sharing, own.isChanged else { return nil }
    var look = work
    (look.files, look.leavesSealed) = (.none, true)
    var found: Result<CKRecord, CKError>?
    try await look.records([save.sent.recordID], desiredKeys: []) { found = $1 }
    switch found {
    case .success(let there as CKShare):
      let theirs = there.state.withLock { ($0.sharing, $0.changeTag) }
      guard let sharing = theirs.0, let changeTag = theirs.1 else { return nil }
      return RecordSave.MergedShare(
        sharing: sharing.changed(as: own, since: own.unchanged), changeTag: changeTag)
    // The save itself reports a deleted share.
    case .failure(let error) where error.code != .unknownItem: throw error
    default: return nil
    }
  }
}
