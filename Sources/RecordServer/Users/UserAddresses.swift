import BinaryCoding
import CloudRecords
import RecordStorage

/// The index of users by address: of those that let themselves be found, by each address that they
/// have proved to have.
///
/// `UserDirectory` maintains it. A store of an earlier version has none until `indexAddresses` has
/// built it.
struct UserAddresses {
  let realm: Realm

  /// The names of the users with an address, in order.
  func users(at address: UserIdentity.LookupInfo, in transaction: any StorageReading) throws
    -> [String]
  {
    guard let prefix = prefix(of: address) else { return [] }
    return try transaction.entries(
      in: StorageRange(prefix: prefix), limit: ServerLimits.usersOfAddress
    ).map { entry in
      var reader = StorageKeyReader(after: prefix)
      return try reader.text(in: entry.key.bytes.span)
    }
  }

  /// Replaces what the index has of a user.
  func replace(
    _ former: StoredUser?, by user: StoredUser?, named name: String,
    in transaction: any StorageWriting
  ) throws {
    let (before, after) = (addresses(of: former), addresses(of: user))
    for address in before where !after.contains(address) {
      if let key = key(address, name) { try transaction.remove(key) }
    }
    for address in after where !before.contains(address) {
      try add(address, of: name, in: transaction)
    }
  }

  /// Adds a user that the index may have already.
  func add(_ user: StoredUser, named name: String, in transaction: any StorageWriting) throws {
    for address in addresses(of: user) { try add(address, of: name, in: transaction) }
  }

  private func add(
    _ address: UserIdentity.LookupInfo, of name: String, in transaction: any StorageWriting
  ) throws {
    if let key = key(address, name) { try transaction.set([], for: key) }
  }

  private func addresses(of user: StoredUser?) -> [UserIdentity.LookupInfo] {
    guard let user, user.isDiscoverable else { return [] }
    return user.provenAddresses.map(\.compared)
  }

  private func key(_ address: UserIdentity.LookupInfo, _ name: String) -> StorageKey? {
    var key = prefix(of: address)
    key?.append(text: name)
    return key
  }

  /// Nil for a name, which is no address.
  private func prefix(of address: UserIdentity.LookupInfo) -> StorageKey? {
    let (kind, text): (UInt64, String)
    switch address.compared {
    case .emailAddress(let address): (kind, text) = (1, address)
    case .phoneNumber(let number): (kind, text) = (2, number)
    case .userRecordName: return nil
    }
    var key = StorageKey(
      partition: UserDirectory.partition, keyspace: Keyspace.userAddress.rawValue)
    key.append(unsigned: realm.number)
    key.append(unsigned: kind)
    key.append(text: text)
    return key
  }
}

// MARK: - Stores of earlier versions

extension UserAddresses {
  private static let version: UInt8 = 1

  private static var mark: StorageKey {
    StorageKey(partition: UserDirectory.partition, keyspace: Keyspace.userAddressesBuilt.rawValue)
  }

  /// Whether the index has all users of the store.
  static func areBuilt(in transaction: any StorageReading) throws -> Bool {
    try transaction.value(of: mark) != nil
  }

  fileprivate static func noteBuilt(in transaction: any StorageWriting) throws {
    try transaction.set([version], for: mark)
  }
}

extension RecordServer {
  /// Builds the index of users by address, once for each store, in steps; a crash restarts it.
  func indexAddresses() async throws(CloudError) {
    let partition = UserDirectory.partition
    guard try await read(partition, { try !UserAddresses.areBuilt(in: $0) }) else { return }
    var last: StorageKey?
    repeat {
      let start = last
      last = try await write(partition) { transaction in
        let page = try UserDirectory.page(
          after: start, limit: ServerLimits.entriesPerStep, in: transaction)
        for (realm, name, user) in page.users {
          try UserAddresses(realm: realm).add(user, named: name, in: transaction)
        }
        if page.last == nil { try UserAddresses.noteBuilt(in: transaction) }
        return page.last
      }
    } while last != nil
  }
}
