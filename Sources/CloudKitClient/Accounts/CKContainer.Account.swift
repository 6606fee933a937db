extension CKContainer {
  /// Somebody who has signed in to a container on this machine.
  ///
  /// Parhelion's addition. There may be several; one of them is in use, and it is whose private
  /// database the container gives.
  public struct Account: Hashable, Sendable {
    /// The name of the user's record.
    public let userRecordID: CKRecord.ID
    /// What a person calls the account, where the server says it: a name, or an address.
    public let name: String?
    /// Whether the account is in use.
    public let isCurrent: Bool

    init(_ stored: StoredAccounts.Account, isCurrent: Bool) {
      userRecordID = CKRecord.ID(received: stored.userRecordName, zoneID: .default)
      name = stored.name
      self.isCurrent = isCurrent
    }
  }

  /// Those who have signed in to the container on this machine, in the order in which they did.
  ///
  /// Parhelion's addition. A user whom the configuration itself names by a token is not among them.
  ///
  /// - Throws: Why the place where accounts are kept cannot be used, such as that others can read
  ///   it.
  public func accounts() throws -> [Account] {
    let binding = try binding()
    return try binding.store.accounts(at: binding.address).list
  }

  /// The account that is in use; nil where nobody is signed in.
  ///
  /// Parhelion's addition.
  public func currentAccount() throws -> Account? { try accounts().first(where: \.isCurrent) }

  /// Puts another account to use.
  ///
  /// Parhelion's addition. `CKAccountChanged` is posted, here and in each other process of the user
  /// when it uses its container next. Operations that run end as the account that they began with.
  ///
  /// - Throws: `CKError.unknownItem` where the account has signed out.
  public func switchAccount(to account: Account) throws {
    let binding = try changeableBinding()
    let name = account.userRecordID.recordName
    try binding.change { accounts throws(CKError) in
      guard accounts.account(name) != nil else {
        throw CKError(.unknownItem, "The account \(name) has signed out. Sign in again.")
      }
      accounts.current = name
    }
  }

  /// Signs the account out that is in use: its token is removed from this machine.
  ///
  /// Parhelion's addition. `CKAccountChanged` is posted. Nobody is signed in afterwards, though
  /// there be other accounts: put one of them to use with ``switchAccount(to:)``.
  ///
  /// - Returns: Whether the session on the server has ended, too. Where the server cannot be
  ///   reached, it ends by itself when its time is over.
  @discardableResult
  public func signOut() async throws -> Bool { try await changeableBinding().signOut(\.current) }

  /// Signs an account out, whether it is in use or not.
  ///
  /// Parhelion's addition. `CKAccountChanged` is posted.
  ///
  /// - Returns: Whether the session on the server has ended, too.
  @discardableResult
  public func signOut(_ account: Account) async throws -> Bool {
    try await changeableBinding().signOut { _ in account.userRecordID.recordName }
  }

  /// - Throws: Where the configuration leaves nothing to sign in with.
  func changeableBinding() throws(CKError) -> ContainerBinding {
    let binding = try binding()
    switch binding.configuration.credentials {
    case .program: return binding
    case .none:
      throw CKError(
        .notAuthenticated,
        "Nobody can sign in to \(binding.containerIdentifier) without an API token. Make one with `parhelion token create`, and put it into the configuration."
      )
    case .user, .developmentUser, .serverKey:
      throw CKError(
        .permissionFailure,
        "The configuration of \(binding.containerIdentifier) itself says who asks. Give it an API token alone, so that accounts count."
      )
    }
  }
}

extension StoredAccounts {
  /// The accounts as the API has them.
  fileprivate var list: [CKContainer.Account] {
    accounts.map { CKContainer.Account($0, isCurrent: $0.userRecordName == current) }
  }
}
