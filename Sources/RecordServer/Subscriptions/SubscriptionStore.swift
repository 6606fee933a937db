import CloudRecords
import RecordStorage

/// The stored subscriptions to one database.
///
/// Subscriptions to the public database are stored together, ordered by user, because a change
/// there may concern all users. Those to a private or shared database are in their user's
/// partition.
struct SubscriptionStore: Hashable, Sendable {
  let realm: Realm
  let scope: DatabaseScope
  /// The owner of the partition that contains the subscriptions.
  let owner: String

  init(realm: Realm, scope: DatabaseScope, user: String) {
    self.realm = realm
    self.scope = scope
    owner = scope == .public ? DatabaseKeys.publicOwner : user
  }

  init(_ call: Call) { self.init(realm: call.realm, scope: call.scope, user: call.callerName) }

  private var prefix: StorageKey {
    var key = DatabaseKeys(realm: realm, owner: owner).key(.subscription)
    key.append(unsigned: UInt64(scope.rawValue))
    return key
  }

  private func range(of user: String) -> StorageRange {
    var key = prefix
    key.append(text: user)
    return StorageRange(prefix: key)
  }

  private func key(_ identifier: String, of user: String) -> StorageKey {
    var key = prefix
    key.append(text: user)
    key.append(text: identifier)
    return key
  }
}

extension SubscriptionStore {
  func subscription(
    _ identifier: String, of user: String, in transaction: any StorageReading
  ) throws -> Subscription? {
    try transaction.value(of: key(identifier, of: user)).map {
      try SubscriptionEncoding.subscription(bytes: $0)
    }
  }

  /// The subscriptions of a user, ordered by identifier.
  func all(of user: String, in transaction: any StorageReading) throws -> [Subscription] {
    try transaction.entries(in: range(of: user)).map {
      try SubscriptionEncoding.subscription(bytes: $0.value)
    }
  }

  /// The subscriptions of all users in this store.
  func ofAllUsers(in transaction: any StorageReading) throws -> [(
    user: String, subscription: Subscription
  )] {
    let range = StorageRange(prefix: prefix)
    var all: [(user: String, subscription: Subscription)] = []
    try transaction.visitEntries(in: range) { key, value in
      let user = try ZoneKeys.texts(1, of: key, after: range)[0]
      all.append((user, try SubscriptionEncoding.subscription(bytes: Array(copying: value))))
      return .proceed
    }
    return all
  }

  func save(_ subscription: Subscription, of user: String, in transaction: any StorageWriting)
    throws
  {
    try transaction.set(
      SubscriptionEncoding.bytes(subscription), for: key(subscription.identifier, of: user))
  }

  func removeAll(of user: String, in transaction: any StorageWriting) throws {
    try transaction.removeEntries(in: range(of: user))
  }

  func remove(_ identifier: String, of user: String, in transaction: any StorageWriting) throws {
    try transaction.remove(key(identifier, of: user))
  }
}
