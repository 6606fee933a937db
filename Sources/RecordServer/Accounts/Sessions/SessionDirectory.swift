import CloudRecords
import RecordStorage

/// Reads and writes the stored sessions in a transaction.
enum SessionDirectory {
  static func session(_ identifier: String, in transaction: any StorageReading) throws -> Session? {
    try transaction.value(of: AccountKeys.session(identifier)).map { try Session(bytes: $0) }
  }

  /// The session that a web token belongs to.
  static func session(of token: SecretHash, in transaction: any StorageReading) throws -> Session? {
    guard let identifier = try transaction.value(of: AccountKeys.webToken(token)) else {
      return nil
    }
    return try session(String(decoding: identifier, as: UTF8.self), in: transaction)
  }

  /// The sessions of an account, oldest first.
  static func sessions(of account: String, in transaction: any StorageReading) throws -> [Session] {
    let range = AccountKeys.sessions(of: account)
    var keys: [StorageKey] = []
    try transaction.visitEntries(in: range) { key, _ in
      var reader = StorageKeyReader(after: range.lower)
      keys.append(AccountKeys.session(try reader.text(in: key)))
      return .proceed
    }
    return try transaction.values(of: keys).compactMap { try $0.map { try Session(bytes: $0) } }
      .sorted { ($0.started, $0.identifier) < ($1.started, $1.identifier) }
  }

  /// Adds a new session.
  static func add(_ session: Session, in transaction: any StorageWriting) throws {
    try transaction.set([], for: AccountKeys.session(session.identifier, of: session.account))
    try save(session, in: transaction)
  }

  /// Saves a session after one of its tokens was used.
  static func save(_ use: Session.Use, in transaction: any StorageWriting) throws {
    for hash in use.dropped { try transaction.remove(AccountKeys.webToken(hash)) }
    try save(use.session, in: transaction)
  }

  private static func save(_ session: Session, in transaction: any StorageWriting) throws {
    try transaction.set(session.bytes, for: AccountKeys.session(session.identifier))
    let keys = session.tokens.map { AccountKeys.webToken($0.hash) }
    for (key, known) in zip(keys, try transaction.values(of: keys)) where known == nil {
      try transaction.set(Array(session.identifier.utf8), for: key)
    }
  }

  /// Ends a session, and removes the devices that were registered in it.
  static func end(_ session: Session, in transaction: any StorageWriting) throws -> ListeningChange
  {
    try remove(session, in: transaction)
    return try DeviceStore(realm: session.realm, user: session.userRecordName)
      .forget(session: session.identifier, in: transaction)
  }

  /// Ends all sessions of an account, and removes all of its devices.
  static func endAll(
    of account: Account, named secret: ServerSecret, in transaction: any StorageWriting
  ) throws -> [ListeningChange] {
    for session in try sessions(of: account.identifier, in: transaction) {
      try remove(session, in: transaction)
    }
    return try AccountDirectory.realms(of: account, in: transaction).map { realm, container in
      let user = secret.userRecordName(ofAccount: account.identifier, in: container)
      return try DeviceStore(realm: realm, user: user).forgetAll(in: transaction)
    }
  }

  private static func remove(_ session: Session, in transaction: any StorageWriting) throws {
    for token in session.tokens { try transaction.remove(AccountKeys.webToken(token.hash)) }
    try transaction.remove(AccountKeys.session(session.identifier, of: session.account))
    try transaction.remove(AccountKeys.session(session.identifier))
  }
}
