import RecordStorage

/// The keys of accounts and credentials.
///
/// All are in one partition: there are few per user, and every server reads and caches them.
enum AccountKeys {
  static let partition = "_accounts"

  private static func prefix(_ keyspace: Keyspace) -> StorageKey {
    StorageKey(partition: partition, keyspace: keyspace.rawValue)
  }

  private static func key(_ keyspace: Keyspace, _ texts: String...) -> StorageKey {
    var key = prefix(keyspace)
    for text in texts { key.append(text: text) }
    return key
  }

  private static func key(_ keyspace: Keyspace, _ hash: SecretHash) -> StorageKey {
    var key = prefix(keyspace)
    key.append(bytes: hash.bytes)
    return key
  }

  // MARK: The server

  static var serverSecret: StorageKey { prefix(.serverSecret) }
  static var signingSecret: StorageKey { prefix(.signingSecret) }
  static var administratorKey: StorageKey { prefix(.administratorKey) }

  // MARK: Accounts

  static var accounts: StorageRange { StorageRange(prefix: prefix(.account)) }
  static func account(_ identifier: String) -> StorageKey { key(.account, identifier) }
  static func accountName(_ name: SignInName) -> StorageKey { key(.accountName, name.text) }

  static func realm(_ realm: Realm, of account: String) -> StorageKey {
    var key = key(.accountRealm, account)
    key.append(unsigned: realm.number)
    return key
  }

  static func realms(of account: String) -> StorageRange {
    StorageRange(prefix: key(.accountRealm, account))
  }

  static var invitations: StorageRange { StorageRange(prefix: prefix(.invitation)) }
  static func invitation(_ hash: SecretHash) -> StorageKey { key(.invitation, hash) }

  // MARK: Sessions

  static var sessions: StorageRange { StorageRange(prefix: prefix(.session)) }
  static func session(_ identifier: String) -> StorageKey { key(.session, identifier) }

  static func session(_ identifier: String, of account: String) -> StorageKey {
    key(.accountSession, account, identifier)
  }

  static func sessions(of account: String) -> StorageRange {
    StorageRange(prefix: key(.accountSession, account))
  }
  static func webToken(_ hash: SecretHash) -> StorageKey { key(.webToken, hash) }

  // MARK: Applications and servers

  static var apiTokens: StorageRange { StorageRange(prefix: prefix(.apiToken)) }
  static func apiToken(_ hash: SecretHash) -> StorageKey { key(.apiToken, hash) }
  static var serverKeys: StorageRange { StorageRange(prefix: prefix(.serverKey)) }
  static func serverKey(_ identifier: String) -> StorageKey { key(.serverKey, identifier) }
}
