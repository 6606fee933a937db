/// The key of a value in the state of mirroring, which the store's file contains.
package struct LedgerStateKey: Hashable, Sendable {
  package let name: String

  package init(_ name: String) { self.name = name }

  /// The token of the database's feed.
  package static let databaseToken = Self("databaseToken")
  /// The record name of the user to whom the store belongs.
  package static let account = Self("account")
  /// The record name of the user who reads a public database.
  package static let presentUser = Self("presentUser")
  /// Whether the zone and the subscription exist.
  package static let setupDone = Self("setupDone")
  /// When an import last succeeded, in seconds since 2001.
  package static let lastImport = Self("lastImport")
  /// When an export last succeeded, in seconds since 2001.
  package static let lastExport = Self("lastExport")

  /// The latest transaction before the store began to start over for another user.
  package static let startingOver = Self("startingOver")
  /// The version of the tables.
  package static let version = Self("version")
  /// The number of the latest transaction of the history that is in the outbox.
  package static let noted = Self("noted")
  /// The progress of the backfill.
  package static let backfilled = Self("backfilled")
  /// The number of times that any process enqueued entries other than by saves.
  package static let filling = Self("filling")
  /// The number of times that any process recorded versions of records (`OtherProcesses`).
  package static let versions = Self("versions")
}
