import BinaryCoding
package import CloudRecords
import RecordStorage

/// A user of a container.
package struct StoredUser: Hashable, Sendable {
  package var identity: UserIdentity
  /// The user's verified addresses.
  package var provenAddresses: [UserIdentity.LookupInfo] = []
  /// Whether other users can find the user by a verified address or the user record name.
  package var isDiscoverable = false
  /// The roles that an administrator granted.
  package var roles: [String] = []

  package init(identity: UserIdentity) { self.identity = identity }

  private static let version: UInt8 = 1

  var bytes: [UInt8] {
    var form = BinaryWriter(capacity: 128)
    form.byte(Self.version)
    ShareEncoding.write(&form, identity)
    form.count(provenAddresses.count)
    for address in provenAddresses { ShareEncoding.write(&form, address) }
    form.byte(isDiscoverable ? 1 : 0)
    form.count(roles.count)
    for role in roles { form.text(role) }
    return form.bytes
  }

  init(bytes: [UInt8]) throws {
    var form = BinaryReader(bytes)
    guard try form.byte() == Self.version else { throw form.error("an unknown form of user") }
    identity = try ShareEncoding.identity(from: &form)
    for _ in 0..<(try form.count()) {
      provenAddresses.append(try ShareEncoding.lookupInfo(from: &form))
    }
    isDiscoverable = try form.byte() == 1
    for _ in 0..<(try form.count()) { roles.append(try form.text()) }
  }
}

/// The users of one container's environment.
struct UserDirectory {
  let realm: Realm

  static let partition = "_users"

  private func key(_ userRecordName: String) -> StorageKey {
    var key = StorageKey(partition: Self.partition, keyspace: Keyspace.user.rawValue)
    key.append(unsigned: realm.number)
    key.append(text: userRecordName)
    return key
  }

  func user(named name: String, in transaction: any StorageReading) throws -> StoredUser? {
    try transaction.value(of: key(name)).map { try StoredUser(bytes: $0) }
  }

  /// The user of a caller, with at least the authenticated name; nil if the caller is not a user.
  func user(of caller: Caller, in transaction: any StorageReading) throws -> StoredUser? {
    guard let name = caller.userRecordName else { return nil }
    return try user(named: name, in: transaction)
      ?? StoredUser(identity: UserIdentity(userRecordName: name))
  }

  func save(_ user: StoredUser, named name: String, in transaction: any StorageWriting) throws {
    let former = try self.user(named: name, in: transaction)
    try UserAddresses(realm: realm).replace(former, by: user, named: name, in: transaction)
    try transaction.set(user.bytes, for: key(name))
  }

  func forget(_ name: String, in transaction: any StorageWriting) throws {
    let former = try user(named: name, in: transaction)
    try UserAddresses(realm: realm).replace(former, by: nil, named: name, in: transaction)
    try transaction.remove(key(name))
  }

  /// The discoverable user with an address or a name; the first one by name.
  func discover(_ info: UserIdentity.LookupInfo, in transaction: any StorageReading) throws
    -> StoredUser?
  {
    if case .userRecordName(let name) = info {
      return try user(named: name, in: transaction).flatMap { $0.isDiscoverable ? $0 : nil }
    }
    return try UserAddresses(realm: realm).users(at: info, in: transaction).first
      .flatMap { try user(named: $0, in: transaction) }
  }

  /// All users, by name.
  func all(in transaction: any StorageReading) throws -> [StoredUser] {
    try transaction.entries(in: StorageRange(prefix: prefix)).map {
      try StoredUser(bytes: $0.value)
    }
  }

  /// A page of user names, in order, after a given one.
  func names(after name: String?, limit: Int, in transaction: any StorageReading) throws -> [String]
  {
    let range =
      name.map { StorageRange(prefix: prefix, after: key($0)) } ?? StorageRange(prefix: prefix)
    return try transaction.entries(in: range, limit: limit).map { entry in
      var reader = StorageKeyReader(after: prefix)
      return try reader.text(in: entry.key.bytes.span)
    }
  }

  private var prefix: StorageKey {
    var prefix = StorageKey(partition: Self.partition, keyspace: Keyspace.user.rawValue)
    prefix.append(unsigned: realm.number)
    return prefix
  }
}
