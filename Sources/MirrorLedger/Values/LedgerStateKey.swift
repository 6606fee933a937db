/// Names a value of the state that the engine keeps in the store's file.
package struct LedgerStateKey: Hashable, Sendable {
  package let name: String

  package init(_ name: String) { self.name = name }

  /// The position in the feed of the database.
  package static let databaseToken = Self("databaseToken")
  /// The account that the store belongs to: the record name of its user.
  package static let account = Self("account")
  /// The record name of the user who reads a public database.
  package static let presentUser = Self("presentUser")
  /// Whether zone and subscription are made.
  package static let setupDone = Self("setupDone")
  /// When an import last succeeded, in seconds since 2001.
  package static let lastImport = Self("lastImport")
  /// When an export last succeeded, in seconds since 2001.
  package static let lastExport = Self("lastExport")

  /// That everything here is being removed, for another user: the number of the latest transaction
  /// of it.
  package static let startingOver = Self("startingOver")
  /// The version of the tables; those from before version 1 have it under another name.
  package static let version = Self("tables")
  /// The number of the latest transaction of the history that is in the outbox.
  package static let noted = Self("noted")
  /// How far the objects that were there before are put into the outbox.
  package static let backfilled = Self("backfilled")
  /// How often something was put into the outbox beside saves, by whatever process.
  package static let filling = Self("filling")
  /// How often versions of records were noted, by whatever process (`OtherProcesses`).
  package static let versions = Self("versions")
}
