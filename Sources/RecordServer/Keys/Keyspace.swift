import RecordStorage

/// The kind of a stored entry: the byte after the partition in each key.
///
/// The numbers are part of the stored data: they never change, and none is used twice.
enum Keyspace: UInt8 {
  /// Container, environment → the realm's number.
  case realm = 1
  /// Per database: zone number → zone.
  case zone = 2
  /// Per database: zone name → zone number.
  case zoneName = 3
  /// Per zone: position → record or tombstone.
  case entry = 4
  /// Per zone: record name → position.
  case name = 5
  /// Per zone: parent, child → empty.
  case child = 6
  /// Per zone: target, source, field → the reference's action.
  case reference = 7
  /// Per user: owner, zone → the user's membership.
  case sharedZone = 8
  /// Per realm: a share's short identifier → its location.
  case shortIdentifier = 9
  /// Per realm: schema.
  case schema = 10
  /// Per realm: user record name → user.
  case user = 11
  /// Per zone: file checksum, record, field → empty.
  case zoneAsset = 12
  /// Per file: the place that holds it → empty.
  case assetHolder = 13
  /// Per realm: owner with zones → data about the database as a whole.
  case database = 14
  /// Due time, place → empty: a maintenance task.
  case maintenanceTask = 15
  /// Per zone: a tombstone's position → time of the deletion.
  case tombstone = 16
  /// Per zone: index number → its definition and progress.
  case queryIndex = 17
  /// Per index: value, record name → empty.
  case indexEntry = 18
  /// Per zone: nothing, or a share's name → a key bag, sealed by clients.
  case keyBag = 19
  /// Per user and database: subscription identifier → subscription.
  case subscription = 20
  /// Per user: device token → the device, for notifications.
  case device = 21
  /// Per user: whether it is public → a key bag, sealed by the user's clients.
  case userKeyBag = 22
  /// Push token hash, container, environment, user → the client, and the session of its
  /// registration.
  case pushToken = 23
  /// Per database: user, client name → its latest requests and their outcomes.
  case request = 24
  /// The current history of a restored storage.
  case history = 26
  /// Per database: user, client name → time of its last request.
  case requestClient = 27
  /// Per database: time of a zone's deletion, zone number → empty.
  case zoneMark = 28
  /// Per database: time of a zone's reset, zone number → empty.
  case resetMark = 29
  /// Per realm: address, user record name that can be found by it → empty.
  case userAddress = 30

  // Numbers from 32 belong to accounts.

  /// The secret from which names are derived.
  case serverSecret = 32
  /// The hash of the administrators' key.
  case administratorKey = 33
  /// Account identifier → account.
  case account = 34
  /// Sign-in name → account identifier.
  case accountName = 35
  /// Per account: container, environment of use → container identifier.
  case accountRealm = 36
  /// Session identifier → session, with the hashes of its web tokens.
  case session = 37
  /// Per account: session identifier → empty.
  case accountSession = 38
  /// Web token hash → session identifier.
  case webToken = 39
  /// API token hash → the application's token.
  case apiToken = 40
  /// Server key identifier → key.
  case serverKey = 41

  /// The secrets for form codes and token successors, after their first renewal.
  case signingSecret = 42

  /// The key with which the server seals values, or the identity of the operator's key.
  case sealingKey = 43

  /// Invitation code hash → expiry.
  case invitation = 44

  // Numbers from 46 belong to pages and mail.

  /// Per user: the token of the last share that an invitation page handed over.
  case handover = 46
  /// Due time, identifier → an invitation to be sent by mail.
  case mail = 47
  /// Per user: the last day for which invitations are queued, and their number.
  case mailCount = 48

  // Numbers from 50 belong to files.

  /// File checksum → catalogue entry.
  case assetEntry = 50
  /// Due time, file checksum → empty: when to examine whether the file is needed.
  case assetDue = 51
  /// Name of a doomed file → empty.
  case assetDoomed = 52
  /// Pin of a backup → expiry; nothing is doomed until then.
  case assetPin = 53
  /// The secret that authenticates addresses and receipts of files.
  case assetSecret = 54

  // Numbers from 60 belong to feeds of shared databases.

  /// Per database: the progress of its shared changes.
  case sharedChangeProgress = 60
  /// Per database: change number → the shared zone with this latest change.
  case sharedChange = 61
  /// Per database: zone number → the number of its latest shared change.
  case sharedChangeOfZone = 62
  /// Per user: the number of times that ended memberships were forgotten.
  case forgottenMemberships = 63
}

/// A container and environment, by the number used in storage keys.
package struct Realm: Hashable, Sendable {
  package let number: UInt64

  package init(number: UInt64) { self.number = number }
}

extension Realm {
  private static let databasesPartition = "_databases"

  /// The common prefix of the keys of all owners, in any realm.
  fileprivate static var databasesPrefix: StorageKey {
    StorageKey(partition: databasesPartition, keyspace: Keyspace.database.rawValue)
  }

  private var databasesPrefix: StorageKey {
    var key = Self.databasesPrefix
    key.append(unsigned: number)
    return key
  }

  /// The owners with zones.
  var databases: StorageRange { StorageRange(prefix: databasesPrefix) }

  func database(of owner: String) -> StorageKey {
    var key = databasesPrefix
    key.append(text: owner)
    return key
  }

  /// The owners after a given one.
  func databases(after owner: String?) -> StorageRange {
    guard let owner else { return databases }
    return StorageRange(prefix: databasesPrefix, after: database(of: owner))
  }
}

/// The keys of a database.
struct DatabaseKeys: Hashable, Sendable {
  /// The owner of the public database, a name that no user can have.
  static let publicOwner = "_public"

  let realm: Realm
  /// The user record name of a private database's owner, or `publicOwner`.
  let owner: String

  func key(_ keyspace: Keyspace) -> StorageKey {
    var key = StorageKey(partition: owner, keyspace: keyspace.rawValue)
    key.append(unsigned: realm.number)
    return key
  }

  /// All zones, by number.
  var zones: StorageRange { StorageRange(prefix: key(.zone)) }

  func zone(_ number: UInt64) -> StorageKey {
    var key = key(.zone)
    key.append(unsigned: number)
    return key
  }

  /// Returns the key of a user's key bag.
  ///
  /// - Parameter isPublic: Whether it is the bag that other users may read.
  func userKeyBag(isPublic: Bool) -> StorageKey {
    var key = key(.userKeyBag)
    key.append(unsigned: isPublic ? 1 : 0)
    return key
  }

  func zoneNumber(named name: String) -> StorageKey {
    var key = key(.zoneName)
    key.append(text: name)
    return key
  }
}

extension DatabaseKeys {
  /// The next database with zones, in any realm; nil after the last.
  static func next(after database: DatabaseKeys?, in transaction: any StorageReading) throws
    -> DatabaseKeys?
  {
    let prefix = Realm.databasesPrefix
    let range =
      database.map { StorageRange(prefix: prefix, after: $0.realm.database(of: $0.owner)) }
      ?? StorageRange(prefix: prefix)
    guard let key = try transaction.entries(in: range, limit: 1).first?.key else { return nil }
    var reader = StorageKeyReader(after: prefix)
    let realm = Realm(number: try reader.unsigned(in: key.bytes.span))
    return DatabaseKeys(realm: realm, owner: try reader.text(in: key.bytes.span))
  }
}

/// The keys of one zone.
struct ZoneKeys: Hashable, Sendable {
  let database: DatabaseKeys
  let number: UInt64

  private func key(_ keyspace: Keyspace) -> StorageKey {
    var key = database.key(keyspace)
    key.append(unsigned: number)
    return key
  }

  func entry(at position: UInt64) -> StorageKey {
    var key = key(.entry)
    key.append(unsigned: position)
    return key
  }

  /// The position at the end of an entry's or a tombstone's key.
  func position(of key: Span<UInt8>) throws -> UInt64 {
    var reader = StorageKeyReader(after: self.key(.entry))
    return try reader.unsigned(in: key)
  }

  /// The entries after a position.
  func entries(after position: UInt64) -> StorageRange {
    StorageRange(prefix: key(.entry), after: entry(at: position))
  }

  func tombstone(at position: UInt64) -> StorageKey {
    var key = key(.tombstone)
    key.append(unsigned: position)
    return key
  }

  /// The zone's tombstones, by position.
  var tombstones: StorageRange { StorageRange(prefix: key(.tombstone)) }

  /// The key bag of the zone, or of a share in it.
  ///
  /// The zone's own key bag has an empty name, which no share has.
  func keyBag(ofShare name: String?) -> StorageKey {
    var key = key(.keyBag)
    key.append(text: name ?? "")
    return key
  }

  func queryIndex(_ number: UInt64) -> StorageKey {
    var key = key(.queryIndex)
    key.append(unsigned: number)
    return key
  }

  /// The zone's indexes, by number.
  var queryIndexes: StorageRange { StorageRange(prefix: key(.queryIndex)) }

  /// The prefix of the keys of an index's entries.
  func indexEntries(_ number: UInt64) -> StorageKey {
    var key = key(.indexEntry)
    key.append(unsigned: number)
    return key
  }

  func name(_ recordName: String) -> StorageKey {
    var key = key(.name)
    key.append(text: recordName)
    return key
  }

  func child(_ child: String, of parent: String) -> StorageKey {
    var key = key(.child)
    key.append(text: parent)
    key.append(text: child)
    return key
  }

  func children(of parent: String) -> StorageRange {
    var key = key(.child)
    key.append(text: parent)
    return StorageRange(prefix: key)
  }

  func reference(to target: String, from source: String, field: String) -> StorageKey {
    var key = key(.reference)
    key.append(text: target)
    key.append(text: source)
    key.append(text: field)
    return key
  }

  func references(to target: String) -> StorageRange {
    var key = key(.reference)
    key.append(text: target)
    return StorageRange(prefix: key)
  }

  func asset(_ checksum: String, in record: String, field: String) -> StorageKey {
    var key = key(.zoneAsset)
    key.append(text: checksum)
    key.append(text: record)
    key.append(text: field)
    return key
  }

  /// All files that the zone's records hold.
  var assets: StorageRange { StorageRange(prefix: key(.zoneAsset)) }

  /// The zone's contents other than its entries and file links, which a deletion removes first.
  var contents: [StorageRange] {
    [Keyspace.name, .child, .reference, .tombstone, .queryIndex, .indexEntry, .keyBag].map {
      StorageRange(prefix: key($0))
    }
  }
}

extension ZoneKeys {
  /// The string components of a key after the common prefix of a range.
  static func texts(_ count: Int, of key: Span<UInt8>, after range: StorageRange) throws -> [String]
  {
    var reader = StorageKeyReader(after: range.lower)
    var texts: [String] = []
    for _ in 0..<count { texts.append(try reader.text(in: key)) }
    return texts
  }
}
