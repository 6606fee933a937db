import Synchronization

/// Shares whose changes are saved over whatever the server has.
///
/// Who takes part is sent as a whole: from an old copy, that would send away whoever has joined
/// since. So the share is looked at, the changes are made to what the server has, and are saved on
/// the condition that it has that still: who joins between the look and the save makes a conflict,
/// which is told.
extension RecordModification {
  /// The server's share with what was changed here; nil for what is no share, is saved whole or not
  /// over others, or is gone.
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
    // The save tells that it is gone.
    case .failure(let error) where error.code != .unknownItem: throw error
    default: return nil
    }
  }
}
