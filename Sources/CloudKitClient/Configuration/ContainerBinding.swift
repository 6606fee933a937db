import CloudEncryption
import CloudRecords
package import CloudTransport
import Cryptography
package import CurlTransport
package import Foundation
import Synchronization

/// A container that is bound to a server, with the session of the current account.
///
/// Each use of the session checks whether the account has changed, perhaps in another process. The
/// check compares a file's metadata, so it needs no watching thread and misses no change. Running
/// work keeps its session.
package final class ContainerBinding: Sendable {
  package let configuration: CKContainer.Configuration
  package let dependencies: ClientDependencies
  /// The store of signed-in accounts.
  let store: any CredentialStore
  private let givenTransport: (any CloudTransport)?
  private let receiver = PushReceiver()
  /// Creates the store for encryption keys.
  private let keyStore: RecordVault.StoreMaker
  private let presentKeys: RecordVault.PresentKeys
  /// The long-lived operations, which a later process can resume.
  let longLived: LongLivedOperations
  private let state: Mutex<State>

  private struct State {
    /// The credentials from the configuration.
    var configured: CloudCredentials
    var transport: (any CloudTransport)?
    var session: CloudSession?
    var persister: TokenPersister?
    /// The caller of the session.
    var choice: CallerResolution?
    /// The version of the credential store that the session is based on.
    var stamp: CredentialStamp?
  }

  /// Binds a container.
  ///
  /// - Parameters:
  ///   - transport: The transport for requests; nil for HTTP.
  ///   - store: The credential store; nil for the configured one, or for one in memory if a
  ///     transport is given.
  package init(
    _ configuration: CKContainer.Configuration, transport: (any CloudTransport)? = nil,
    dependencies: ClientDependencies = .machine, store: (any CredentialStore)? = nil
  ) {
    self.configuration = configuration
    givenTransport = transport
    state = Mutex(State(configured: configuration.credentials.cloud))
    self.dependencies = dependencies
    // Tests pass a transport, and persist nothing unless they configure a folder.
    let isUsers = configuration.accountStorage == .user
    let storage = transport != nil && isUsers ? .memory : configuration.accountStorage
    (keyStore, presentKeys) = (storage.keyStore, storage.presentKeys)
    longLived = LongLivedOperations(storage.operationStore, at: Self.address(of: configuration))
    self.store =
      store ?? (transport == nil ? configuration.accountStorage.store : MemoryCredentialStore())
  }

  var containerIdentifier: String { configuration.containerIdentifier }

  /// The server and the container's address on it.
  package var address: CloudAddress { Self.address(of: configuration) }

  private static func address(of configuration: CKContainer.Configuration) -> CloudAddress {
    CloudAddress(
      server: configuration.server.absoluteString,
      container: ContainerAddress(
        container: configuration.containerIdentifier,
        environment: configuration.environment == .development ? .development : .production))
  }

  // MARK: The session

  /// The session of the current account.
  package func session() throws(CKError) -> CloudSession {
    let (session, hasAccountChanged) = try state.withLock { state throws(CKError) in
      try refresh(&state)
    }
    if hasAccountChanged { postAccountChange() }
    return session
  }

  /// Returns the key that identifies the user of requests; nil without a user.
  func caller() throws(CKError) -> TokenKey? {
    _ = try session()
    return state.withLock { $0.choice?.key }
  }

  /// Returns the session for the accounts as they are stored now.
  ///
  /// - Returns: The session, and whether the account's status may have changed.
  private func refresh(_ state: inout State) throws(CKError) -> (
    CloudSession, hasAccountChanged: Bool
  ) {
    let hasAccounts = Self.hasAccounts(state.configured)
    let stamp = hasAccounts ? try store.stamp(of: address) : .nothing
    if let session = state.session, state.stamp == stamp { return (session, false) }
    // A change between reading the stamp and the accounts is seen at the next use.
    let accounts = hasAccounts ? try storedAccounts(state.configured) : StoredAccounts()
    let choice = CallerResolution(state.configured, accounts)
    defer { (state.choice, state.stamp) = (choice, stamp) }
    if let session = state.session, let before = state.choice, choice.isSameUser(as: before) {
      return (session, choice != before && adopt(choice, session, state.persister))
    }
    let hadOther = state.session != nil
    let transport = try transport(&state)
    let persister = choice.key.map {
      TokenPersister(store, address, $0, token: choice.credentials.webAuthToken, dependencies)
    }
    let session = try makeSession(choice, state.configured, transport, persister)
    (state.session, state.persister) = (session, persister)
    return (session, hadOther)
  }

  /// Returns the stored accounts.
  ///
  /// If the configuration contains the user's token, no sign-in will ever report and replace a
  /// damaged file. So the file is moved aside here, its error is thrown once, and the configured
  /// token is used again.
  private func storedAccounts(_ configured: CloudCredentials) throws(CKError) -> StoredAccounts {
    do throws(CKError) {
      return try store.accounts(at: address)
    } catch {
      guard case .user = configured, let aside = try store.moveDamagedFileAside(at: address) else {
        throw error
      }
      throw CKError(error.code, "\(error.localizedDescription) It was moved to \(aside).")
    }
  }

  /// Adopts a newer token of the same user, from another process or from signing in again.
  ///
  /// - Returns: Whether the server had rejected the previous token.
  private func adopt(
    _ choice: CallerResolution, _ session: CloudSession, _ persister: TokenPersister?
  ) -> Bool {
    guard let token = choice.credentials.webAuthToken, session.credentials.webAuthToken != token,
      // A token that this session stored itself may already have been replaced by a newer one.
      session.standing == .refused || persister?.owns(token) != true
    else { return false }
    let wasRefused = session.standing == .refused
    session.adopt(token)
    persister?.adopted(token)
    return wasRefused
  }

  private func makeSession(
    _ choice: CallerResolution, _ configured: CloudCredentials, _ transport: any CloudTransport,
    _ persister: TokenPersister?
  ) throws(CKError) -> CloudSession {
    let isSignedIn = choice.credentials.isOfUser
    return try CloudSession(
      address: address, credentials: choice.credentials, userRecordName: choice.userRecordName,
      transport: transport,
      dependencies: dependencies,
      vault: RecordVault(
        isOnDevice: configuration.encryptedValues == .device, makeStore: keyStore,
        presentKeys: presentKeys),
      onRenewal: { credentials in
        if let token = credentials.webAuthToken { persister?.renewed(token) }
      },
      onStandingChange: { [weak self] in self?.postAccountChange() },
      remedy: {
        CredentialRemedy.text(for: $0, configured: configured, isSignedIn: isSignedIn)
      })
  }

  /// Creates a session with other credentials that is not shared, and whose tokens are not stored.
  func temporarySession(_ credentials: CloudCredentials) throws(CKError) -> CloudSession {
    let transport = try state.withLock { state throws(CKError) in try self.transport(&state) }
    return try CloudSession(
      address: address, credentials: credentials, transport: transport, dependencies: dependencies)
  }

  private func transport(_ state: inout State) throws(CKError) -> any CloudTransport {
    if let transport = givenTransport ?? state.transport { return transport }
    try configuration.checkConnection()
    CryptographyLibrary.prepare()
    let created = CurlTransport(configuration.connection.settings)
    state.transport = created
    return created
  }

  // MARK: Changes

  /// Whether the caller depends on the stored accounts.
  private static func hasAccounts(_ configured: CloudCredentials) -> Bool {
    switch configured {
    case .none, .developmentUser, .serverKey: false
    case .program, .user: true
    }
  }

  /// Replaces the configured credentials, and posts the account change.
  package func setCredentials(_ credentials: CloudCredentials) throws(CKError) {
    _ = try state.withLock { state throws(CKError) in
      (state.configured, state.session, state.persister) = (credentials, nil, nil)
      return try refresh(&state)
    }
    postAccountChange()
  }

  /// Changes the stored accounts, and posts an account change if they differ.
  @discardableResult
  func change(_ change: (inout StoredAccounts) throws(CKError) -> Void) throws(CKError)
    -> StoredAccounts
  {
    var isChanged = false
    let accounts = try store.update(address) { accounts throws(CKError) in
      let before = accounts
      try change(&accounts)
      isChanged = accounts != before
    }
    let (_, hasAccountChanged) = try state.withLock { state throws(CKError) in try refresh(&state) }
    if isChanged || hasAccountChanged { postAccountChange() }
    return accounts
  }

  /// The signals from the server to this device, from now on.
  package var signals: AsyncStream<PushSignal> { receiver.signals(from: self) }

  /// Notifies the other sync engines of this process that an engine has saved changes.
  package func reportSave(in scope: CKDatabase.Scope, by engine: ObjectIdentifier) {
    receiver.send(.saved(scope, by: engine))
  }

  /// Notifies this process's sync engines that subscriptions were changed.
  ///
  /// The server notifies other devices only.
  func reportSubscriptionChange(in scope: CKDatabase.Scope) {
    receiver.send(.subscriptionsChanged(scope))
  }

  /// Moves listeners to another binding of the same container, which reports an account change.
  ///
  /// Running work keeps its session.
  func replaced(by other: ContainerBinding) {
    receiver.end()
    other.postAccountChange()
  }

  private func postAccountChange() {
    receiver.restart(self)
    NotificationCenter.default.post(
      name: .CKAccountChanged, object: nil,
      userInfo: [Self.containerKey: containerIdentifier, Self.bindingKey: ObjectIdentifier(self)])
  }

  /// Posted when this device may have received the user's encryption keys.
  ///
  /// Identifies the binding as `CKAccountChanged` does.
  package static let keysArrived = Notification.Name("ParhelionEncryptionKeysCame")

  /// The key of the container's identifier in the `userInfo` of `CKAccountChanged`.
  package static let containerKey = "ParhelionContainerIdentifier"
  /// The key of the binding in the `userInfo` of `CKAccountChanged`, because containers of one
  /// identifier may be bound to several servers.
  package static let bindingKey = "ParhelionContainerBinding"
}

extension CKContainer.Configuration.Connection {
  /// The settings in the transport's form.
  package var settings: CurlTransport.Settings {
    var settings = CurlTransport.Settings()
    settings.security.authorityFile = certificateAuthority?.path
    settings.security.clientCertificate = clientCertificate.map {
      CurlTransport.ClientCertificate(
        certificateFile: $0.certificate.path, keyFile: $0.privateKey.path)
    }
    if let proxy { settings.proxy = .server(proxy.absoluteString, exceptions: proxyExceptions) }
    return settings
  }
}

extension CKContainer.Configuration.AccountStorage {
  fileprivate var store: any CredentialStore {
    path.map { FolderCredentialStore(path: $0) } ?? MemoryCredentialStore()
  }

  /// Creates the store for encryption keys: a folder next to the account files.
  fileprivate var keyStore: RecordVault.StoreMaker {
    guard let path else {
      let store = MemoryKeyStore()
      return { store }
    }
    return { () throws(EncryptionError) in try FolderKeyStore(path: path + "/keys") }
  }

  /// Reads the existing keys without creating a folder.
  fileprivate var presentKeys: RecordVault.PresentKeys {
    guard let path else { return { _ in StoredKeys() } }
    return { account throws(EncryptionError) in
      try FolderKeyStore(ifThere: path + "/keys")?.keys(of: account) ?? StoredKeys()
    }
  }

  /// The store for long-lived operations: a folder next to the account files.
  fileprivate var operationStore: any OperationStore {
    path.map { FolderOperationStore(path: $0 + "/operations") } ?? MemoryOperationStore()
  }

  /// The accounts' folder; nil for storage in memory.
  private var path: String? {
    switch self {
    case .memory: nil
    case .folder(let url): url.path
    case .user:
      UserFolder.data(
        ProcessInfo.processInfo.environment,
        home: FileManager.default.homeDirectoryForCurrentUser.path)
        + "/parhelion/accounts"
    }
  }
}
