import RecordStorage

/// What an entry of the storage is about: the byte after the partition of each key.
///
/// The numbers are part of what is stored: they never change, and none is used twice.
enum Keyspace: UInt8 {
  /// Of a container and environment: its number.
  case realm = 1
  /// Of a database: a zone's number → the zone.
  case zone = 2
  /// Of a database: a zone's name → its number.
  case zoneName = 3
  /// Of a zone: a position → what lies there.
  case entry = 4
  /// Of a zone: a record's name → its position.
  case name = 5
  /// Of a zone: parent, child → nothing.
  case child = 6
  /// Of a zone: target, source, field → the reference's action.
  case reference = 7
  /// Of a user: owner, zone → how the user takes part in it.
  case sharedZone = 8
  /// Of a container: a share's short name → where it is.
  case shortIdentifier = 9
  /// Of a container: its schema.
  case schema = 10
  /// Of a container: a user → what is known of one.
  case user = 11
  /// Of a zone: contents of a file, record, field → nothing.
  case zoneAsset = 12
  /// Of a file's contents: where they are held → nothing.
  case assetHolder = 13
  /// Of a container: an owner who has zones → what is known of the database as a whole.
  case database = 14
  /// When something is due, and where → nothing.
  case chore = 15
  /// Of a zone: a tombstone's position → when the record was deleted.
  case tombstone = 16
  /// Of a zone: an index's number → what it is of, and how far it is made.
  case queryIndex = 17
  /// Of an index: a value, a record's name → nothing.
  case indexEntry = 18
  /// Of a zone: nothing, or the share whose keys they are → the keys, as clients sealed them.
  case keyBag = 19
  /// Of a user's view of a database: a subscription's identifier → the subscription.
  case subscription = 20
  /// Of a user: what a client calls itself → the device that hears of changes.
  case device = 21
  /// Of a user: whether others may have it → keys, as the user's clients sealed them.
  case userKeyBag = 22
  /// A push token's hash, a container and environment, a user → the client, and the session that it
  /// listens for.
  case pushToken = 23
  /// Of a database: a user, what a client calls itself → its latest requests, and what it was told
  /// of them.
  case request = 24
  /// The history that the storage is in, once it was restored.
  case history = 26
  /// Of a database: a user, what a client calls itself → when it came last.
  case requestClient = 27
  /// Of a database: when a zone was deleted, its number → nothing.
  case zoneMark = 28
  /// The same, of zones that were reset.
  case resetMark = 29
  /// Of a container: an address, the name of a user that may be found by it → nothing.
  case userAddress = 30

  // Numbers from 32 on are of accounts.

  /// The secret that names are derived from.
  case serverSecret = 32
  /// The hash of the administrators' key.
  case administratorKey = 33
  /// An account's identifier → the account.
  case account = 34
  /// The name that somebody signs in by → the account's identifier.
  case accountName = 35
  /// Of an account: a container and environment that it was used in → the container's identifier.
  case accountRealm = 36
  /// A session's identifier → the session, with the hashes of its web tokens.
  case session = 37
  /// Of an account: a session's identifier → nothing.
  case accountSession = 38
  /// A web token's hash → its session's identifier.
  case webToken = 39
  /// An API token's hash → what the application may.
  case apiToken = 40
  /// A server key's identifier → the key.
  case serverKey = 41

  /// The secrets that forms and successors of tokens are derived from, once they were renewed.
  case signingSecret = 42

  /// The key that the server seals values with, or which key of the operator's does.
  case sealingKey = 43

  /// The hash of an invitation code → until when it is good.
  case invitation = 44

  // Numbers from 50 on are of files.

  /// A file's checksum → what is known of it.
  case assetEntry = 50
  /// When, which file → nothing: it is looked at then whether it is still needed.
  case assetDue = 51
  /// The name of a file that may be removed → nothing.
  case assetDoomed = 52
  /// Who copies files → until when nothing is doomed.
  case assetPin = 53
  /// The secret that files' addresses and receipts are sealed with.
  case assetSecret = 54
}

/// A container and environment, by the number that keys have for it.
package struct Realm: Hashable, Sendable {
  package let number: UInt64

  package init(number: UInt64) { self.number = number }
}

extension Realm {
  private static let databasesPartition = "_databases"

  /// What the keys of all owners begin with, of whatever realm.
  fileprivate static var databasesPrefix: StorageKey {
    StorageKey(partition: databasesPartition, keyspace: Keyspace.database.rawValue)
  }

  private var databasesPrefix: StorageKey {
    var key = Self.databasesPrefix
    key.append(unsigned: number)
    return key
  }

  /// The owners who have zones.
  var databases: StorageRange { StorageRange(prefix: databasesPrefix) }

  func database(of owner: String) -> StorageKey {
    var key = databasesPrefix
    key.append(text: owner)
    return key
  }

  /// The owners behind one.
  func databases(after owner: String?) -> StorageRange {
    guard let owner else { return databases }
    return StorageRange(prefix: databasesPrefix, after: database(of: owner))
  }
}

/// The databases of a realm, by their owners.
struct DatabaseKeys: Hashable, Sendable {
  /// The owner of the public database, whom nobody can be.
  static let publicOwner = "_public"

  let realm: Realm
  /// The user record name of a private database's owner.
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

  /// - Parameter isPublic: Whether it is the one that others may have.
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
  /// The database behind one, of all that have zones, in whatever realm; nil behind the last.
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

  /// The position in the key of an entry or a tombstone, which ends with it.
  func position(of key: Span<UInt8>) throws -> UInt64 {
    var reader = StorageKeyReader(after: self.key(.entry))
    return try reader.unsigned(in: key)
  }

  /// What lies behind a position, up to the zone's end.
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

  /// The keys of the zone, or of a share in it; no share has an empty name.
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

  /// What the keys of an index's entries begin with.
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

  /// What lies in the zone beside its entries and the files that it holds: what goes with them.
  var contents: [StorageRange] {
    [Keyspace.name, .child, .reference, .tombstone, .queryIndex, .indexEntry, .keyBag].map {
      StorageRange(prefix: key($0))
    }
  }
}

extension ZoneKeys {
  /// The texts of a key behind what the keys of a range have in common.
  static func texts(_ count: Int, of key: Span<UInt8>, after range: StorageRange) throws -> [String]
  {
    var reader = StorageKeyReader(after: range.lower)
    var texts: [String] = []
    for _ in 0..<count { texts.append(try reader.text(in: key)) }
    return texts
  }
}
