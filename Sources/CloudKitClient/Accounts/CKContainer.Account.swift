extension CKContainer {
  /// An account that has signed in to a container on this machine.
  ///
  /// Parhelion's addition. Several accounts can be signed in. The container's requests are made for
  /// the current one.
  public struct Account: Hashable, Sendable {
    /// The record ID of the account's user.
    public let userRecordID: CKRecord.ID
    /// The user's name or address, if the server provides it.
    public let name: String?
    /// Whether the account is the current one.
    public let isCurrent: Bool

    init(_ stored: StoredAccounts.Account, isCurrent: Bool) {
      userRecordID = CKRecord.ID(received: stored.userRecordName, zoneID: .default)
      name = stored.name
      self.isCurrent = isCurrent
    }
  }

  /// The accounts that have signed in to the container on this machine, in the order of signing in.
  ///
  /// Parhelion's addition. A user whose token is part of the configuration is not included.
  ///
  /// - Throws: An error if the account store cannot be used, for example because other users can
  ///   read it.
  public func accounts() throws -> [Account] {
    let binding = try binding()
    return try binding.store.accounts(at: binding.address).list
  }

  /// The current account; nil if none is current.
  ///
  /// Parhelion's addition.
  public func currentAccount() throws -> Account? { try accounts().first(where: \.isCurrent) }

  /// Makes another account the current one.
  ///
  /// Parhelion's addition. `CKAccountChanged` is posted in this process, and in the user's other
  /// processes the next time they use the container. Operations in progress finish as the account
  /// that started them.
  ///
  /// - Throws: `CKError.unknownItem` if the account has signed out.
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

  /// Signs the current account out and removes its token from this machine.
  ///
  /// Parhelion's addition. `CKAccountChanged` is posted. No account is current afterwards, even if
  /// others are signed in. Choose one with ``switchAccount(to:)``.
  ///
  /// - Returns: Whether the session on the server ended too. If the server cannot be reached, the
  ///   session ends when it expires.
  @discardableResult
  public func signOut() async throws -> Bool { try await changeableBinding().signOut(\.current) }

  /// Signs an account out, whether it is the current one or not.
  ///
  /// Parhelion's addition. `CKAccountChanged` is posted.
  ///
  /// - Returns: Whether the session on the server ended too.
  @discardableResult
  public func signOut(_ account: Account) async throws -> Bool {
    try await changeableBinding().signOut { _ in account.userRecordID.recordName }
  }

  /// Returns the binding, or throws if its configuration does not let users sign in.
  func changeableBinding() throws(CKError) -> ContainerBinding {
    let binding = try binding()
    switch binding.configuration.credentials {
    case .program: return binding
    case .none:
      throw CKError(
        .notAuthenticated,
        "Signing in to \(binding.containerIdentifier) requires an API token. Create one with `parhelion token create`, and add it to the configuration."
      )
    case .user, .developmentUser, .serverKey:
      throw CKError(
        .permissionFailure,
        "The configuration of \(binding.containerIdentifier) contains the credentials of a fixed caller. To let users sign in, configure only an API token."
      )
    }
  }
}

extension StoredAccounts {
  /// The accounts in their public form.
  fileprivate var list: [CKContainer.Account] {
    accounts.map { CKContainer.Account($0, isCurrent: $0.userRecordName == current) }
  }
}
