/// The fixed limits of the protocol, with Apple's values.
///
/// Limits that an operator can change are in `ServiceLimits`.
package enum Limits {
  /// The longest name of any kind, in bytes of UTF-8.
  package static let nameBytes = 255
  /// The longest part of a name that an error message quotes, in bytes.
  package static let quotedNameBytes = 300
}

/// The limits that a server enforces, with Apple's values as defaults.
package struct ServiceLimits: Hashable, Sendable {
  /// Operations in a modify request, and tokens in an upload request.
  package var operationsPerRequest = 200
  /// Operations in an atomic modify request.
  ///
  /// Apple's native clients save up to 400 records atomically, which cannot be split.
  package var operationsPerAtomicRequest: Int { operationsPerRequest * 2 }
  /// Records in a response.
  package var recordsPerResponse = 200
  /// Bytes of a response body.
  ///
  /// Responses are built in memory.
  ///
  /// A response may exceed the limit by one item, so a request for a single item always succeeds.
  package var answerBytes = 8 << 20
  /// Bytes of a record without its assets.
  package var recordBytes = 1_048_576
  /// Bytes of an asset.
  ///
  /// Apple allows 50 MB. This server is bounded by its disks.
  package var assetBytes: Int64 = 16 << 30
  /// Records that are deleted with one target because they reference it with `deleteSelf`.
  package var cascadesPerTarget = 750
  /// Records that one request deletes by cascades, chains included.
  ///
  /// Other writes wait until these records are deleted.
  package var cascadesPerRequest = 10_000
  package var fieldsPerRecordType = 256
  /// The greatest value of `fieldsPerRecordType` that an operator can set.
  package static let greatestFieldsPerRecordType = 10_000
  package var zonesPerDatabase = 1_000
  /// Bytes of a user's private database in a container, with its files; nil for no limit but the
  /// disk.
  package var privateDatabaseBytes: Int64?
  /// Bytes of a container's public database, with its files; nil for no limit but the disk.
  package var publicDatabaseBytes: Int64?
  /// Subscriptions of one user in one database.
  package var subscriptionsPerDatabase = 500
  /// Bytes of a stored subscription.
  package var subscriptionBytes = 32_768
  /// Devices of one user that receive notifications.
  ///
  /// The oldest is dropped when there are more.
  package var devicesPerUser = 100
  /// The time after which an inactive device is removed.
  ///
  /// Clients register at every launch.
  package var deviceSeconds: Int64 = 180 * 86_400
  /// Bytes of a key bag: one sealed key per participant, and the keys of earlier generations.
  package var keyBagBytes = 262_144
  package var participantsPerShare = 100
  /// The time for which a URL for an upload or a download is valid.
  package var assetAddressSeconds = 15 * 60
  /// The time that an uploaded file waits for a record that references it.
  ///
  /// A client that uploads two hundred large files before it saves their records may take hours.
  package var assetReceiptSeconds = 86_400
  /// The time that a token stays valid after records were deleted.
  package var tombstoneSeconds: Int64 = 180 * 86_400

  /// Values in a filter's list, and words in a full-text filter.
  package var valuesPerFilter = 250
  /// Entries that a query may scan in a zone before the server creates an index for later queries.
  package var entriesVisitedWithoutIndex = 500
  /// The amounts that queries, feeds and listings may read.
  package var reading = ReadingLimits()

  package init() {}
}
