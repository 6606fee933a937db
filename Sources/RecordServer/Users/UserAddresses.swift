import BinaryCoding
import CloudRecords
import RecordStorage

/// The index of discoverable users by their verified addresses.
///
/// `UserDirectory` maintains it.
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

  /// Replaces the index entries of a user.
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

  /// Nil for a user record name, which is not an address.
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
