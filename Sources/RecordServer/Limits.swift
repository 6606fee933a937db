/// The internal limits of this module, each with its reason.
///
/// Limits that clients or operators know are in `ServiceLimits`.
package enum ServerLimits {
  /// The number of entries that one transaction of a maintenance task processes.
  ///
  /// It takes some milliseconds, during which all writers wait.
  static let entriesPerStep = 500

  /// The number of bytes after which such a transaction reads no further record.
  static let bytesPerStep = 1 << 20

  /// The number of entries that one transaction counts for a usage report: some milliseconds,
  /// without blocking others.
  static let entriesCountedAtOnce = 10_000

  /// The number of zones that one transaction of a reset deletes.
  static let zonesPerStep = 100

  /// The maximum number of tombstones of deleted zones, and of reset zones, that a database keeps.
  ///
  /// They do not count towards a quota. A client that knew a zone whose tombstone has expired reads
  /// the database from its start.
  static let zoneMarks = 1_000

  /// The maximum size of a joining participant's proof for the owner's devices: a code of 32 bytes,
  /// and room for a longer one.
  static let joinProofBytes = 128

  /// The number of keys of a bag that may seal values: the newest one, and former ones for devices
  /// that still use them.
  static let sealingKeys = 8

  /// The time for which a user's devices are cached.
  ///
  /// It equals the cache time of credentials, since another process may end a session.
  static let rememberedDeviceSeconds: Int64 = 10

  /// The time for which an unknown credential is cached: a client that repeats one reads the
  /// storage once a second.
  static let rememberedUnknownSeconds: Int64 = 1

  /// The maximum size of a notification in bytes, which is Apple's.
  ///
  /// Longer ones are shortened.
  static let notificationBytes = 4_096

  /// The number of notifications of one change per user.
  ///
  /// It is twice the capacity of a device's mailbox, whose content one pruned notification replaces
  /// when it is full.
  package static let notificationsOfChange = 64

  /// The number of users per address that a lookup reads: an address belongs to one account.
  static let usersOfAddress = 1

  // MARK: Reading in slices

  /// The number of changes of an owner's shared zones that a feed reads at once: most feeds find
  /// one or two.
  static let sharedChangesAtOnce = 64

  /// The number of memberships that are read at once to find their owners.
  ///
  /// After each page, the other zones of its last owner are skipped.
  static let membershipsAtOnce = 16

  /// The number of slices of queries, feeds and lists that are read concurrently.
  ///
  /// It is half of the storage's concurrent reads, so that lookups, saves and health checks never
  /// wait for a query.
  static let slicesAtOnce = 2

  // MARK: Histories

  /// The minimum distance between the base of a new history and the end of the former one: more
  /// changes than any zone has.
  static let historyDistance: UInt64 = 1 << 40

  /// The range of the random part of that distance, which distinguishes two restorations of one
  /// backup.
  ///
  /// Signed 64-bit numbers have room for sixty thousand successive restorations.
  static let historyRandomRange: UInt64 = 1 << 47

  /// The number of restorations whose lost ranges a zone remembers.
  ///
  /// A device that missed more of them gets less information.
  static let lostRanges = 16

  // MARK: Batches

  /// The minimum number of encoded entries in a batch for which waking a second thread pays off: it
  /// costs about thirty encodings.
  static let entriesForTwoThreads = 64

  /// The number of entries that the second thread encodes before it checks the writer's progress.
  static let entriesEncodedAtOnce = 8

  /// The maximum size of a batch's former records, as a multiple of the response size.
  ///
  /// They are in memory at the same time, even if the response contains little of them, as for
  /// deletions.
  static let batchRecordResponses = 4

  /// The maximum bytes in a response per byte of a stored record, and in addition per record:
  /// control characters take six bytes, file addresses more.
  static let writtenBytesForEach = 8
  static let writtenBytesOfRecord = 2_048

  /// The number of child names that are read at once, on each level of a tree that moves to another
  /// share.
  static let childrenAtOnce = 100

  // MARK: Replayed requests

  /// The number of remembered requests per client, which is the number it may have in flight.
  static let requestsOfClient = 64

  /// The number of clients per user and database.
  ///
  /// Each start of a program counts as a client.
  static let clientsOfUser = 100

  /// The interval at which a client's activity is recorded, and so the precision with which the
  /// least recently active client is known.
  static let clientActivitySeconds: Int64 = 60

  /// The time for which a client's requests are remembered after its last one.
  ///
  /// No request stays in flight longer.
  static let requestSeconds: Int64 = 86_400

  /// The maximum size in bytes of a remembered error message: one of the server's own, with a name
  /// in it.
  static let rememberedMessageBytes = 400

  /// The approximate maximum size in bytes of a remembered request.
  ///
  /// Remembered requests do not count towards a quota.
  static let rememberedOutcomeBytes = 4_096

  /// The part of that size reserved for errors whose messages do not fit; each of them is
  /// remembered once.
  static let rememberedBytesWithoutMessages = 1_024

  /// The maximum size in bytes of a remembered error without its message.
  static let rememberedErrorBytes = 64

  // MARK: Names

  /// The maximum size in bytes of a device identifier, which is stored in every record that the
  /// device saves.
  static let deviceIdentifierBytes = 255

  // MARK: Lists

  /// The maximum size in bytes of a zone's token in a list of zones: six numbers of ten bytes and
  /// three short ones, in Base64.
  static let listedTokenBytes = 136

  // MARK: Queries

  /// The maximum size in bytes of a continuation marker: Base64 of the values that the query sorts
  /// by, which are part of one record.
  package static let markerBytes = 4 << 20

  /// The maximum size in bytes of a filter's text, whose words the filter searches for.
  package static let searchedTextBytes = 65_536

  // MARK: Query indexes

  /// The maximum number of indexes per zone.
  ///
  /// Each makes saves slower.
  static let indexesPerZone = 100

  /// The number of bytes of a string or byte string that an index stores.
  ///
  /// Longer values with the same beginning share an index key.
  ///
  /// Escaped, and together with a record name, it fits into a storage key.
  static let indexedBytes = 256

  /// The number of candidates that a query looks up at once.
  static let candidatesAtOnce = 256

  /// The minimum of that number, since a page may have a single record.
  static let minimumCandidatesAtOnce = 32

  /// The maximum number of pending index suggestions.
  ///
  /// If a suggestion is dropped, the next such query makes it again.
  static let suggestions = 1_000
}
