import CloudEncryption
import CloudRecords
package import CloudTransport
package import CurlTransport
package import Foundation
import Synchronization

/// A container that is bound to a server, and the session of whoever is signed in.
///
/// Whether somebody else is signed in now, perhaps by another process, is looked at whenever the
/// session is used: a look at the date of a file, which needs no thread that watches, and misses
/// nothing. Work that has begun goes on with the session that it has.
package final class ContainerBinding: Sendable {
  package let configuration: CKContainer.Configuration
  package let dependencies: ClientDependencies
  /// Where it is known who has signed in.
  let store: any CredentialStore
  private let givenTransport: (any CloudTransport)?
  private let receiver = PushReceiver()
  /// Where the keys of encrypted values are kept.
  private let keyStore: RecordVault.StoreMaker
  private let presentKeys: RecordVault.PresentKeys
  /// What a later process carries on.
  let longLived: LongLivedOperations
  private let state: Mutex<State>

  private struct State {
    /// What the configuration says of who asks.
    var configured: CloudCredentials
    var transport: (any CloudTransport)?
    var session: CloudSession?
    var keeper: TokenPersister?
    /// Whose session it is.
    var choice: CallerResolution?
    /// Of which version of the store.
    var stamp: CredentialStamp?
  }

  /// - Parameters:
  ///   - transport: What carries requests; nil for HTTP.
  ///   - store: Who has signed in; nil for what the configuration says, or, with a transport of
  ///     one's own, for memory.
  package init(
    _ configuration: CKContainer.Configuration, transport: (any CloudTransport)? = nil,
    dependencies: ClientDependencies = .machine, store: (any CredentialStore)? = nil
  ) {
    self.configuration = configuration
    givenTransport = transport
    state = Mutex(State(configured: configuration.credentials.cloud))
    self.dependencies = dependencies
    // Tests bring a transport, and keep nothing unless they name a folder.
    let isUsers = configuration.accountStorage == .user
    let storage = transport != nil && isUsers ? .memory : configuration.accountStorage
    (keyStore, presentKeys) = (storage.keyStore, storage.presentKeys)
    longLived = LongLivedOperations(storage.operationStore, at: Self.address(of: configuration))
    self.store =
      store ?? (transport == nil ? configuration.accountStorage.store : MemoryCredentialStore())
  }

  /// The name of the container.
  var containerIdentifier: String { configuration.containerIdentifier }

  /// Where the container is.
  package var address: CloudAddress { Self.address(of: configuration) }

  private static func address(of configuration: CKContainer.Configuration) -> CloudAddress {
    CloudAddress(
      server: configuration.server.absoluteString,
      container: ContainerAddress(
        container: configuration.containerIdentifier,
        environment: configuration.environment == .development ? .development : .production))
  }

  // MARK: The session

  /// The session of whoever is signed in.
  package func session() throws(CKError) -> CloudSession {
    let (session, isNews) = try state.withLock { state throws(CKError) in try refresh(&state) }
    if isNews { tellOfChange() }
    return session
  }

  /// Whoever is signed in, by what is kept of them; nil where nobody is.
  func caller() throws(CKError) -> TokenKey? {
    _ = try session()
    return state.withLock { $0.choice?.key }
  }

  /// The session for the accounts as they are now.
  ///
  /// - Returns: The session, and whether the account's status may be another one than before.
  private func refresh(_ state: inout State) throws(CKError) -> (CloudSession, isNews: Bool) {
    let hasAccounts = Self.hasAccounts(state.configured)
    let stamp = hasAccounts ? try store.stamp(of: address) : .nothing
    if let session = state.session, state.stamp == stamp { return (session, false) }
    // What changes between the two looks is seen at the next one.
    let accounts = hasAccounts ? try storedAccounts(state.configured) : StoredAccounts()
    let choice = CallerResolution(state.configured, accounts)
    defer { (state.choice, state.stamp) = (choice, stamp) }
    if let session = state.session, let before = state.choice, choice.isSameUser(as: before) {
      return (session, choice != before && adopt(choice, session, state.keeper))
    }
    let hadOther = state.session != nil
    let transport = try transport(&state)
    let keeper = choice.key.map {
      TokenPersister(store, address, $0, token: choice.credentials.webAuthToken, dependencies)
    }
    let session = try makeSession(choice, transport, keeper)
    (state.session, state.keeper) = (session, keeper)
    return (session, hadOther)
  }

  /// What is kept of those who have signed in.
  ///
  /// Where the configuration itself names the user, nobody signs in whom damage could be told to
  /// until then: it is told once, and the configuration's token counts again.
  private func storedAccounts(_ configured: CloudCredentials) throws(CKError) -> StoredAccounts {
    do throws(CKError) {
      return try store.accounts(at: address)
    } catch {
      guard case .user = configured, let aside = try store.setDamageAside(at: address) else {
        throw error
      }
      throw CKError(error.code, "\(error.localizedDescription) It was set aside as \(aside).")
    }
  }

  /// The user has a new token, from another process or by having signed in again.
  ///
  /// - Returns: Whether the server refused the one before.
  private func adopt(_ choice: CallerResolution, _ session: CloudSession, _ keeper: TokenPersister?)
    -> Bool
  {
    guard let token = choice.credentials.webAuthToken, session.credentials.webAuthToken != token,
      // What the session has brought to the store itself was followed by others, perhaps.
      session.standing == .refused || keeper?.knows(token) != true
    else { return false }
    let wasRefused = session.standing == .refused
    session.adopt(token)
    keeper?.adopted(token)
    return wasRefused
  }

  private func makeSession(
    _ choice: CallerResolution, _ transport: any CloudTransport, _ keeper: TokenPersister?
  ) throws(CKError) -> CloudSession {
    try CloudSession(
      address: address, credentials: choice.credentials, userRecordName: choice.userRecordName,
      transport: transport,
      dependencies: dependencies,
      vault: RecordVault(
        isOnDevice: configuration.encryptedValues == .device, makeStore: keyStore,
        presentKeys: presentKeys),
      onRenewal: { credentials in
        if let token = credentials.webAuthToken { keeper?.renewed(token) }
      },
      onStanding: { [weak self] in self?.tellOfChange() })
  }

  /// A session with other credentials, which nobody else uses and whose tokens are not kept.
  func temporarySession(_ credentials: CloudCredentials) throws(CKError) -> CloudSession {
    let transport = try state.withLock { state throws(CKError) in try self.transport(&state) }
    return try CloudSession(
      address: address, credentials: credentials, transport: transport, dependencies: dependencies)
  }

  private func transport(_ state: inout State) throws(CKError) -> any CloudTransport {
    if let transport = givenTransport ?? state.transport { return transport }
    try configuration.checkConnection()
    let made = CurlTransport(configuration.connection.settings)
    state.transport = made
    return made
  }

  // MARK: Changes

  /// Whether who asks can depend on who has signed in.
  private static func hasAccounts(_ configured: CloudCredentials) -> Bool {
    switch configured {
    case .none, .developmentUser, .serverKey: false
    case .program, .user: true
    }
  }

  /// Takes other credentials in the place of the configuration's, and tells the program.
  package func setCredentials(_ credentials: CloudCredentials) throws(CKError) {
    _ = try state.withLock { state throws(CKError) in
      (state.configured, state.session, state.keeper) = (credentials, nil, nil)
      return try refresh(&state)
    }
    tellOfChange()
  }

  /// Changes who is signed in, and tells the program where that is another than before.
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
    let (_, isNews) = try state.withLock { state throws(CKError) in try refresh(&state) }
    if isChanged || isNews { tellOfChange() }
    return accounts
  }

  /// What the server tells this device, from now on.
  package var words: AsyncStream<PushSignal> { receiver.words(from: self) }

  /// An engine has saved something: the others of this program are told.
  func noteSaved(in scope: CKDatabase.Scope, by engine: ObjectIdentifier) {
    receiver.tell(.saved(scope, by: engine))
  }

  /// This program has changed or ended subscriptions: its engines are told, since the server tells
  /// other devices alone.
  func noteSubscriptionsChanged(in scope: CKDatabase.Scope) {
    receiver.tell(.subscriptionsChanged(scope))
  }

  /// The container is bound to something else: who listens listens there, and hears of it as of
  /// another account.
  ///
  /// What has begun goes on with the session that it has.
  func replaced(by other: ContainerBinding) {
    receiver.end()
    other.tellOfChange()
  }

  private func tellOfChange() {
    receiver.restart(self)
    NotificationCenter.default.post(
      name: .CKAccountChanged, object: nil,
      userInfo: [Self.containerKey: containerIdentifier, Self.bindingKey: ObjectIdentifier(self)])
  }

  /// Posted where this device may have got the user's keys for encrypted values; it tells the
  /// binding as `CKAccountChanged` does.
  package static let keysCame = Notification.Name("ParhelionEncryptionKeysCame")

  /// In what `CKAccountChanged` tells: the container's name.
  package static let containerKey = "ParhelionContainerIdentifier"
  /// In what `CKAccountChanged` tells: the binding that has another account, since containers of
  /// one name may be bound to several servers.
  package static let bindingKey = "ParhelionContainerBinding"
}

extension CKContainer.Configuration.Connection {
  /// As the transport has them.
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

  /// Where the keys of encrypted values are kept: in a folder beside the accounts' files.
  fileprivate var keyStore: RecordVault.StoreMaker {
    guard let path else {
      let store = MemoryKeyStore()
      return { store }
    }
    return { () throws(EncryptionError) in try FolderKeyStore(path: path + "/keys") }
  }

  /// The keys that are there already: no folder is made.
  fileprivate var presentKeys: RecordVault.PresentKeys {
    guard let path else { return { _ in StoredKeys() } }
    return { account throws(EncryptionError) in
      try FolderKeyStore(ifThere: path + "/keys")?.keys(of: account) ?? StoredKeys()
    }
  }

  /// Where long-lived operations are kept: in a folder beside the accounts' files.
  fileprivate var operationStore: any OperationStore {
    path.map { FolderOperationStore(path: $0 + "/operations") } ?? MemoryOperationStore()
  }

  /// The accounts' folder; nil where they are kept in memory.
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
