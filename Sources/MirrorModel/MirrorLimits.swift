package import SyncKernel

/// The bounds of mirroring, each with its reason.
package enum MirrorLimits {
  /// The back-off after temporary failures.
  ///
  /// The longest one is short, because people who come back look within minutes.
  package static let backOff = BackOff(first: .seconds(1), longest: .seconds(300))
  /// How long the export waits after a blocker that only a person removes: quota, permission,
  /// schema.
  package static let hindranceWaitSeconds = 600.0
  /// After so long without any progress, while something is to be done, a store counts as stalled.
  package static let stallSeconds = 600.0
  /// How often a public database is polled, which has no push.
  package static let pollSeconds = 1_800.0
  /// How long the push channel may be down before the program is notified: a broken connection is
  /// usually back within seconds.
  package static let silenceSeconds = 30.0
  /// How often changes are polled while the push channel is down.
  package static let silentPollSeconds = 300.0
  /// How long saves are gathered at most that come faster than they are sent: a request costs some
  /// milliseconds on both sides, and a person does not see the wait.
  package static let gatheringSeconds = 0.025
  /// The moment without a save that ends the gathering: who saves again and again does so faster,
  /// and a single change waits no longer.
  package static let gatheringQuietSeconds = 0.004
  /// The records of one request: what the web protocol takes.
  package static let recordsInRequest = 200
  /// The bytes of one request's fields: half of what servers take, since JSON is longer than what
  /// it says.
  package static let bytesInRequest = 1 << 20
  /// How many saves without deletions are tried one by one that may have become smaller, where the
  /// account has no room: each is a request, and most changes make nothing smaller.
  package static let changesTriedForRoom = 32
  /// The records of a page of changes: a page is decoded and saved as a whole.
  package static let recordsInPage = 200
  /// The pages of a catch-up that come into one save, so that what was saved at once is seen at
  /// once; more would take memory.
  package static let pagesInSave = 5
  /// The former records of moved objects that are in memory at once.
  package static let formersInPage = 1_000
  /// How often a record is sent again at once after a conflict; then others are let go first.
  package static let conflictsInRow = 5
  /// How many events a store remembers.
  package static let events = 1_000
  /// How many objects that a listing from the beginning does not name are removed without a
  /// question, where they are most of the store: of a handful a user may have deleted most, and a
  /// question costs more than typing them again.
  package static let sweptUnasked = 10
  /// The deletions that wait for the end of a feed: beyond, memory counts more than a child that
  /// was moved long ago.
  package static let heldDeletions = 10_000
  /// How many names a record has at most of those for which it stands: more devices hardly make the
  /// same before the first of them is heard of.
  package static let namesStoodFor = 32
  /// How often the import of a page restarts because other saves change the same objects.
  package static let importAttempts = 10
  /// How much clocks of servers are taken to differ when a public database is asked for what
  /// changed since.
  package static let clockSkewSeconds = 120.0
  /// How often all names of a public database are compared, because deletions are not reported
  /// there.
  package static let compareNamesSeconds = 86_400.0
}
