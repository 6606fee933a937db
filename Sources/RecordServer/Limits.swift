/// The bounds of this module, each with its reason.
///
/// Those that clients or operators know are `ServiceLimits`.
enum ServerLimits {
  /// Entries that one transaction of a chore goes through.
  ///
  /// All writers wait for it: this is some milliseconds.
  static let entriesPerStep = 500

  /// The same, of entries that have hundreds of kilobytes each.
  static let longEntriesPerStep = 20

  /// Entries that one transaction counts for a report on what there is: some milliseconds, which
  /// hold up nobody.
  static let entriesCountedAtOnce = 10_000

  /// Zones that one transaction of a reset deletes.
  static let zonesPerStep = 100

  /// Marks of deleted zones that a database keeps, and of zones that were reset: as many of each as
  /// it has zones, unless the operator allows more.
  ///
  /// They stand beside every quota. Whoever saw a zone whose mark is gone reads the database from
  /// its beginning.
  static let zoneMarks = 1_000

  /// How long a user's devices are remembered, as long as credentials are: a session may be ended
  /// by another process.
  static let rememberedDeviceSeconds: Int64 = 10

  /// How long it is remembered that a credential is unknown: a client that repeats one reads the
  /// storage once a second.
  static let rememberedUnknownSeconds: Int64 = 1

  /// Bytes of a notification, as Apple's have at most: it says less rather than more than that.
  static let notificationBytes = 4_096

  /// Users of one address that are read: it finds the first one, and an account has its address
  /// alone.
  static let usersOfAddress = 1

  // MARK: Reading in slices

  /// Slices of queries, feeds and lists that are read at once.
  ///
  /// It is half of what the storage reads at once, so that look-ups, saves and health checks never
  /// wait for a query.
  static let slicesAtOnce = 2

  // MARK: Histories

  /// By how much the numbers of a history begin behind those of the former one, at least: more than
  /// any zone has changes.
  static let historyDistance: UInt64 = 1 << 40

  /// By how much more, by chance: two restorations of one backup know nothing of each other.
  ///
  /// Numbers of 64 bits with a sign have room for sixty thousand restorations, one after the other.
  static let historyChances: UInt64 = 1 << 47

  /// Restorations of which a zone knows what they lost: a device that was away for more of them is
  /// told less.
  static let lostRanges = 16

  // MARK: Batches

  /// Entries of a batch whose forms are worth the waking of a second thread, which takes as long as
  /// some thirty forms.
  static let entriesForTwoThreads = 64

  /// Forms that the second thread makes before it looks how far the writer is.
  static let entriesMadeAtOnce = 8

  /// The records of a batch, as they were before it, come to this many answers at most.
  ///
  /// They are in memory at once, also where little is told of them, as of those that are deleted.
  static let answersOfRecords = 4

  /// The most bytes of an answer for each of a record's form, and for each record: control
  /// characters take six, addresses of files more.
  static let writtenBytesForEach = 8
  static let writtenBytesOfRecord = 2_048

  /// Names of children that are read at once, on each level of a tree that goes into another share.
  static let childrenAtOnce = 100

  // MARK: Requests that come again

  /// Requests of one client that are remembered: as many as it may have on their way at once.
  static let requestsOfClient = 64

  /// Clients of one user in a database: each start of a program is one.
  static let clientsOfUser = 100

  /// How often it is noted that a client comes: who has not come for the longest time is known as
  /// exactly as that.
  static let clientNoteSeconds: Int64 = 60

  /// How long a client's requests are remembered from its last one on: nothing stays on its way for
  /// longer.
  static let requestSeconds: Int64 = 86_400

  /// Bytes of the sentence of an error that is remembered: a sentence of the server's own with a
  /// name in it.
  static let toldSentenceBytes = 400

  /// Bytes of what is remembered of one request, about: it stands beside every quota.
  static let toldBytes = 4_096

  /// Of these, what is kept for errors whose sentences find no room, each of which is remembered
  /// once.
  static let toldBytesWithoutSentences = 1_024

  /// What an error takes besides its sentence, at most.
  static let toldErrorBytes = 64

  // MARK: Names

  /// Bytes of what a device calls itself, which every record has that it saves.
  static let deviceIdentifierBytes = 255

  // MARK: Lists

  /// Bytes of a zone's token in a list of all, at most: six numbers of ten bytes and three short
  /// ones as Base64 are shorter.
  static let listedTokenBytes = 136

  // MARK: Queries

  /// Bytes of a text whose words a filter looks for.
  static let searchedTextBytes = 65_536

  // MARK: Indexes of queries

  /// Indexes of one zone: every one makes saving records dearer.
  static let indexesPerZone = 100

  /// Bytes of a text, or of bytes, that an index holds: what is longer shares its place with others
  /// that begin alike.
  ///
  /// With its escapes and a record's name it fits into a key.
  static let indexedBytes = 256

  /// Candidates that a query looks up at once.
  static let candidatesAtOnce = 256

  /// The same, at least: pages may have one record.
  static let leastCandidatesAtOnce = 32

  /// Indexes that are wished for at the same time; what is asked again is wished again.
  static let wishes = 1_000
}
