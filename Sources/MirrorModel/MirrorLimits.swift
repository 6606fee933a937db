package import SyncKernel

/// The bounds of mirroring, each with its reason.
package enum MirrorLimits {
  /// The back-off after temporary failures.
  ///
  /// The longest delay is short, because a returning user expects changes within minutes.
  package static let backOff = BackOff(first: .seconds(1), longest: .seconds(300))
  /// The pause of exports after a blocker that only a person removes: quota, permission, schema.
  package static let blockerPauseSeconds = 600.0
  /// The time without progress, while work is requested, after which a store counts as stalled.
  package static let stallSeconds = 600.0
  /// The interval between polls of a public database, which has no push notifications.
  package static let pollSeconds = 1_800.0
  /// How long the push channel may be down before the program is notified: a broken connection
  /// usually returns within seconds.
  package static let silenceSeconds = 30.0
  /// The interval between polls while the push channel is down.
  package static let silentPollSeconds = 300.0
  /// The longest time for which rapid saves are gathered: a request costs some milliseconds on both
  /// sides, and a person does not notice the delay.
  package static let debounceLimitSeconds = 0.025
  /// The moment without a save that ends the gathering: rapid saves follow each other faster, and a
  /// single change waits no longer than this.
  package static let debounceQuietSeconds = 0.004
  /// The records of one request, as many as the web protocol accepts.
  package static let recordsInRequest = 200
  /// The bytes of one request's fields: half of what servers accept, because JSON is longer than
  /// the values in it.
  package static let bytesInRequest = 1 << 20
  /// The rejected saves without deletions after which a search for space tries only deletions: each
  /// is a request, and most changes free no space.
  package static let changesTriedForRoom = 32
  /// The records of a page of changes, which is decoded and saved as a whole.
  package static let recordsInPage = 200
  /// The pages of a catch-up in one save: changes that were saved together appear together, but
  /// more pages would take memory.
  package static let pagesInSave = 5
  /// The former records of moved objects in memory at once.
  package static let formersInPage = 1_000
  /// The immediate retries of a record after a conflict; then other records go first.
  package static let conflictsInRow = 5
  /// The objects that are removed without a decision if a full listing lacks most of the store: a
  /// user may have deleted most of a few, and a question costs more than entering them again.
  package static let removedWithoutDecision = 10
  /// The most deletions that wait for a feed's end, since the move of a child may arrive later.
  package static let heldDeletions = 10_000
  /// The most absorbed names in one record: hardly more devices insert the same object before they
  /// hear of the first one.
  package static let absorbedRecordNames = 32
  /// The restarts of a page's import after other saves changed the same objects.
  package static let importAttempts = 10
  /// The assumed difference between servers' clocks, for polls of a public database.
  package static let clockSkewSeconds = 120.0
  /// The interval between comparisons of all names of a public database, which reports no
  /// deletions.
  package static let compareNamesSeconds = 86_400.0
}
