import CloudRecords
import RecordStorage

/// Reads and writes the stored accounts in a transaction.
enum AccountDirectory {
  static func account(_ identifier: String, in transaction: any StorageReading) throws -> Account? {
    try transaction.value(of: AccountKeys.account(identifier)).map { try Account(bytes: $0) }
  }

  static func account(named name: SignInName, in transaction: any StorageReading) throws -> Account?
  {
    guard let identifier = try transaction.value(of: AccountKeys.accountName(name)) else {
      return nil
    }
    return try account(String(decoding: identifier, as: UTF8.self), in: transaction)
  }

  /// The account with a name from an operator.
  ///
  /// - Throws: `NOT_FOUND`.
  static func existing(_ name: SignInName, in transaction: any StorageReading) throws -> Account {
    if let account = try account(named: name, in: transaction) { return account }
    throw CloudError(.notFound, "There is no account “\(name.text)”.")
  }

  static func all(in transaction: any StorageReading) throws -> [Account] {
    try transaction.entries(in: AccountKeys.accounts).map { try Account(bytes: $0.value) }
  }

  static func save(_ account: Account, in transaction: any StorageWriting) throws {
    try transaction.set(account.bytes, for: AccountKeys.account(account.identifier))
  }

  /// Adds a new account.
  ///
  /// - Throws: `EXISTS` if the name is taken.
  static func add(_ account: Account, named name: SignInName, in transaction: any StorageWriting)
    throws
  {
    guard try transaction.value(of: AccountKeys.accountName(name)) == nil else {
      throw nameIsTaken(name)
    }
    try transaction.set(Array(account.identifier.utf8), for: AccountKeys.accountName(name))
    try save(account, in: transaction)
  }

  /// Removes an account whose sessions have ended.
  static func remove(_ account: Account, named name: SignInName, in transaction: any StorageWriting)
    throws
  {
    try transaction.removeEntries(in: AccountKeys.realms(of: account.identifier))
    try transaction.remove(AccountKeys.accountName(name))
    try transaction.remove(AccountKeys.account(account.identifier))
  }

  static func nameIsTaken(_ name: SignInName) -> CloudError {
    CloudError(.exists, "The account “\(name.text)” already exists.")
  }
}

// MARK: - Users in containers

extension AccountDirectory {
  /// Adds or updates an account's user in a container.
  ///
  /// The user's data that does not come from the account stays.
  static func introduce(
    _ account: Account, as userRecordName: String, in realm: Realm, _ container: String,
    _ transaction: any StorageWriting
  ) throws {
    let users = UserDirectory(realm: realm)
    let known = try users.user(named: userRecordName, in: transaction)
    var user = known ?? StoredUser(identity: UserIdentity(userRecordName: userRecordName))
    user.identity.nameComponents = account.nameComponents
    user.provenAddresses = account.provenAddresses
    user.isDiscoverable = account.isDiscoverable
    if user != known { try users.save(user, named: userRecordName, in: transaction) }
    let place = AccountKeys.realm(realm, of: account.identifier)
    if try transaction.value(of: place) == nil {
      try transaction.set(Array(container.utf8), for: place)
    }
  }

  /// The realms in which a person has signed in, with their container identifiers.
  static func realms(of account: Account, in transaction: any StorageReading) throws -> [(
    Realm, String
  )] {
    let range = AccountKeys.realms(of: account.identifier)
    var realms: [(Realm, String)] = []
    try transaction.visitEntries(in: range) { key, value in
      var reader = StorageKeyReader(after: range.lower)
      realms.append(
        (
          Realm(number: try reader.unsigned(in: key)),
          String(decoding: Array(copying: value), as: UTF8.self)
        ))
      return .proceed
    }
    return realms
  }
}

extension Account {
  /// The proven addresses by which the person can be found and invited to shares.
  fileprivate var provenAddresses: [UserIdentity.LookupInfo] {
    hasProvenAddress ? [.emailAddress(name)] : []
  }
}
