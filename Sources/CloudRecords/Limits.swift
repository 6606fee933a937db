/// The limits of the protocol, with Apple's figures.
///
/// An operator can raise those of `ServiceLimits`.
package enum Limits {
  /// The longest name of anything, in bytes of UTF-8.
  package static let nameBytes = 255
  /// Bytes of a name in a sentence that refuses it.
  package static let shownNameBytes = 300
}

/// Limits that a server announces by its errors; Apple's figures are the defaults.
package struct ServiceLimits: Hashable, Sendable {
  /// Operations of a request that modifies, and tokens of a request for uploads.
  package var operationsPerRequest = 200
  /// Operations of a request that is to be done as a whole.
  ///
  /// Apple's native clients save up to 400 records so, which nobody can send in two requests.
  package var operationsPerWholeRequest: Int { operationsPerRequest * 2 }
  /// Records of a response.
  package var recordsPerResponse = 200
  /// Bytes of an answer, as it is sent: what it is made of is in memory meanwhile.
  ///
  /// An answer may have one more item than fits: whoever asks for one thing gets it.
  package var answerBytes = 8 << 20
  /// Bytes of a record without its assets.
  package var recordBytes = 1_048_576
  /// Bytes of an asset.
  ///
  /// Apple's is 50 MB; ours is what its disks hold.
  package var assetBytes: Int64 = 16 << 30
  /// Records that go with one target because they refer to it with `deleteSelf`.
  package var cascadesPerTarget = 750
  /// Records that go so in one request, by chains as well: nobody else can write meanwhile.
  package var cascadesPerRequest = 10_000
  package var fieldsPerRecordType = 256
  package var zonesPerDatabase = 1_000
  /// Bytes of a user's private database in a container, its files included; nil where the disk is
  /// the limit.
  package var privateDatabaseBytes: Int64?
  /// The same of a container's public database.
  package var publicDatabaseBytes: Int64?
  /// Subscriptions of one user to one database.
  package var subscriptionsPerDatabase = 500
  /// Bytes of a subscription, as it is stored.
  package var subscriptionBytes = 32_768
  /// Devices of one user that hear of changes; the oldest go where there are more.
  package var devicesPerUser = 100
  /// How long a device is kept that is not heard of: clients make themselves known at every start.
  package var deviceSeconds: Int64 = 180 * 86_400
  /// Bytes of a key bag: a sealed key for each of the participants, and those of earlier
  /// generations.
  package var keyBagBytes = 262_144
  package var participantsPerShare = 100
  /// How long an address for an upload or a download is good.
  package var assetAddressSeconds = 15 * 60
  /// How long a file that was uploaded waits for a record that holds it.
  ///
  /// A day: who sends two hundred large files before they save their records may take hours.
  package var assetReceiptSeconds = 86_400
  /// How long the position of a feed stays good after records were deleted.
  package var tombstoneSeconds: Int64 = 180 * 86_400

  /// Values of a query's filter that has a list, and words of one that searches.
  package var valuesPerFilter = 250
  /// Entries that a query may go through in a zone before an index is made for the next one of its
  /// kind.
  package var entriesVisitedWithoutIndex = 500
  /// How long queries, feeds and lists may read.
  package var reading = ReadingLimits()

  package init() {}
}
