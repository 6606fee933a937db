import ClientTestSupport
import CloudKitClient
import CloudRecords
import CloudTransport
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Sessions of the signed-in account", .endsAtAll)
struct SessionOfAccountTests {
  /// A separate container for each test, so that notifications do not mix.
  private static func configuration(
    _ name: String,
    _ credentials: CKContainer.Configuration.Credentials = .program(apiToken: "program")
  ) -> CKContainer.Configuration {
    CKContainer.Configuration(
      containerIdentifier: name, server: webAddress("https://cloud.example.com"),
      credentials: credentials)
  }

  /// A server whose users' tokens are `NAME-NUMBER`.
  private static let server = ScriptedTransport { request throws(TransportError) in
    guard let token = request.parameter("ckWebAuthToken") else {
      return .error(421, "AUTHENTICATION_REQUIRED")
    }
    return .caller("_" + token.prefix { $0 != "-" })
  }

  private static func binding(
    _ name: String, _ transport: any CloudTransport = server,
    store: any CredentialStore = MemoryCredentialStore(),
    _ credentials: CKContainer.Configuration.Credentials = .program(apiToken: "program"),
    _ time: PausedClock = PausedClock()
  ) -> ContainerBinding {
    ContainerBinding(
      configuration(name, credentials), transport: transport, dependencies: time.dependencies,
      store: store)
  }

  private static func place(_ name: String) -> CloudAddress {
    CloudAddress(
      server: "https://cloud.example.com",
      container: ContainerAddress(container: name, environment: .development))
  }

  // MARK: Timeouts

  @Test(arguments: [Double.infinity, .greatestFiniteMagnitude, 1e12])
  func `A huge or infinite timeout is limited to about a century`(_ seconds: Double) async throws {
    let limits = Mutex<[Duration?]>([])
    let server = ScriptedTransport { request throws(TransportError) in
      limits.withLock { $0 += [request.idleLimit, request.wholeLimit] }
      return .caller("_ada")
    }
    let container = CKContainer(
      Self.binding("patient", server, .user(apiToken: "program", webAuthToken: "ada-1")))
    let configuration = CKOperation.Configuration()
    configuration.timeoutIntervalForRequest = seconds
    configuration.timeoutIntervalForResource = seconds
    let name = try await container.configuredWith(configuration: configuration) {
      try await $0.userRecordID()
    }
    #expect(name.recordName == "_ada")
    let century = Duration.seconds(3_000_000_000)
    #expect(limits.withLock(\.self) == [century, century])
  }

  @Test(arguments: [-1, 0, Double.nan])
  func `A timeout that is not positive becomes zero`(_ seconds: Double) async throws {
    let limits = Mutex<[Duration?]>([])
    let server = ScriptedTransport { request throws(TransportError) in
      limits.withLock { $0.append(request.idleLimit) }
      throw TransportError(.timedOut, "too late")
    }
    let container = CKContainer(
      Self.binding("hurried", server, .user(apiToken: "program", webAuthToken: "ada-1")))
    let configuration = CKOperation.Configuration()
    configuration.timeoutIntervalForRequest = seconds
    configuration.timeoutIntervalForResource = 0.1
    await #expect {
      try await container.configuredWith(configuration: configuration) {
        try await $0.userRecordID()
      }
    } throws: {
      CKError.networkFailure ~= $0
    }
    #expect(limits.withLock(\.self) == [.zero])
  }

  // MARK: Accounts

  @Test(arguments: ["", "__defaultOwner__"])
  func `An invalid user name is rejected`(_ name: String) async throws {
    let server = ScriptedTransport { _ throws(TransportError) in .caller(name) }
    let container = CKContainer(
      Self.binding("nameless", server, .user(apiToken: "program", webAuthToken: "ada-1")))
    await #expect { _ = try await container.userRecordID() } throws: { CKError.internalError ~= $0 }
    await #expect { _ = try await container.encryption.status() } throws: {
      CKError.internalError ~= $0
    }
  }

  @Test func `A session changes with its account, and the program is notified`() async throws {
    let changes = ChangeCounter("changes")
    let container = CKContainer(Self.binding("changes"))
    #expect(try container.accounts().isEmpty && container.currentAccount() == nil)
    #expect(try container.session().credentials == .program(apiToken: "program"))
    let ada = try await container.signIn(webAuthToken: " ada-1\n")
    #expect(changes.take() == 1)
    let bob = try await container.signIn(webAuthToken: "bob-1")
    #expect(changes.take() == 1)
    #expect(try container.accounts().map(\.userRecordID.recordName) == ["_ada", "_bob"])
    #expect(try container.currentAccount() == bob)
    #expect(try container.session().credentials.webAuthToken == "bob-1")
    #expect(try await container.userRecordID().recordName == "_bob")
    let before = try container.session()
    try container.switchAccount(to: ada)
    #expect(changes.take() == 1)
    #expect(try await container.userRecordID().recordName == "_ada")
    try container.switchAccount(to: ada)
    #expect(changes.take() == 0, "Nothing has changed.")
    #expect(before.credentials.webAuthToken == "bob-1", "A running request keeps its credentials.")
    try await container.signOut()
    #expect(changes.take() == 1)
    #expect(try container.currentAccount() == nil && container.accounts().count == 1)
    #expect(try await container.accountStatus() == .noAccount)
    let error = #expect(throws: CKError.self) { try container.switchAccount(to: ada) }
    #expect(error?.code == .unknownItem && changes.take() == 0)
    try container.switchAccount(to: bob)
    try await container.signOut(bob)
    #expect(try container.accounts().isEmpty && changes.take() == 2)
  }

  @Test func `A session follows another process's changes when it is used`() async throws {
    try await withTemporaryDirectory { folder in
      let changes = ChangeCounter("elsewhere")
      func open() -> CKContainer {
        CKContainer(
          Self.binding("elsewhere", store: FolderCredentialStore(path: folder.path + "/accounts")))
      }
      let (here, there) = (open(), open())
      _ = try await here.signIn(webAuthToken: "ada-1")
      _ = try here.session()
      _ = changes.take()
      let bob = try await there.signIn(webAuthToken: "bob-1")
      #expect(changes.take() == 1)
      #expect(try here.session().credentials.webAuthToken == "bob-1")
      #expect(changes.take() == 1, "The program is notified here, too.")
      let session = try here.session()
      // Another token of the same user is not another account.
      _ = try await there.signIn(webAuthToken: "bob-2")
      _ = changes.take()
      #expect(try here.session() === session && session.credentials.webAuthToken == "bob-2")
      #expect(changes.take() == 0)
      try await there.signOut(bob)
      #expect(try here.session().credentials.webAuthToken == nil)
    }
  }

  @Test func `A sign-in with a token that the server rejects adds no account`() async throws {
    let transport = ScriptedTransport { _ throws(TransportError) in
      .error(401, "AUTHENTICATION_FAILED")
    }
    let container = CKContainer(Self.binding("refusing", transport))
    let error = await #expect(throws: CKError.self) {
      try await container.signIn(webAuthToken: "x")
    }
    #expect(try error?.code == .notAuthenticated && container.accounts().isEmpty)
    let empty = await #expect(throws: CKError.self) {
      try await container.signIn(webAuthToken: " ")
    }
    #expect(empty?.code == .notAuthenticated)
  }

  @Test func `A configured caller has no account`() async throws {
    for (name, credentials, code) in [
      (
        "given", CKContainer.Configuration.Credentials.user(apiToken: "a", webAuthToken: "ada-1"),
        CKError.Code.permissionFailure
      ),
      ("nothing", .none, .notAuthenticated),
    ] {
      let container = CKContainer(
        Self.binding(name, Self.server, store: MemoryCredentialStore(), credentials))
      let error = await #expect(throws: CKError.self) {
        try await container.signIn(webAuthToken: "bob-1")
      }
      #expect(error?.code == code, "\(name)")
      await #expect(throws: CKError.self) { try await container.signOut() }
    }
  }

  @Test func `New credentials are used for the next request`() throws {
    let changes = ChangeCounter("told")
    let binding = Self.binding("told")
    #expect(try binding.session().credentials == .program(apiToken: "program"))
    try binding.setCredentials(.program(apiToken: "another"))
    #expect(try binding.session().credentials == .program(apiToken: "another"))
    #expect(changes.take() == 1)
  }

  // MARK: Status

  @Test(
    arguments: [
      (nil, .noAccount, nil), (.caller("_ada"), .available, nil),
      (.error(401, "AUTHENTICATION_FAILED"), .temporarilyUnavailable, nil),
      (.error(421, "AUTHENTICATION_REQUIRED"), .temporarilyUnavailable, nil),
      (.error(403, "ACCESS_DENIED"), nil, .permissionFailure),
      (.error(503, "TRY_AGAIN_LATER"), nil, .serviceUnavailable),
      (TransportResponse(status: 200, body: Array("<html>".utf8)), nil, .networkFailure),
    ] as [(TransportResponse?, CKAccountStatus?, CKError.Code?)])
  func `The account status follows from the server's answer`(
    _ answer: TransportResponse?, _ status: CKAccountStatus?, _ code: CKError.Code?
  ) async throws {
    let transport = ScriptedTransport { _ throws(TransportError) in
      if let answer { return answer }
      throw TransportError(.offline, "No request is expected.")
    }
    let store = MemoryCredentialStore()
    let (name, time) = ("status", PausedClock())
    if answer != nil {
      try store.update(Self.place(name)) {
        $0.signIn(StoredAccounts.Account(userRecordName: "_ada", webAuthToken: "ada-1"))
      }
    }
    var dependencies = time.dependencies
    dependencies.wait = { _ in }
    let container = CKContainer(
      ContainerBinding(
        Self.configuration(name), transport: transport, dependencies: dependencies, store: store))
    if let status {
      #expect(try await container.accountStatus() == status)
    } else {
      let error = await #expect(throws: CKError.self) { try await container.accountStatus() }
      #expect(error?.code == code)
      let reported: (CKAccountStatus, (any Error)?) = await withCheckedContinuation {
        continuation in
        container.accountStatus { continuation.resume(returning: ($0, $1)) }
      }
      #expect(reported.0 == .couldNotDetermine && (reported.1 as? CKError)?.code == code)
    }
  }

  @Test func `The status follows the results of requests`() async throws {
    let refuses = Mutex(false)
    let asked = Mutex(0)
    let transport = ScriptedTransport { _ throws(TransportError) in
      asked.withLock { $0 += 1 }
      return refuses.withLock(\.self) ? .error(401, "AUTHENTICATION_FAILED") : .caller("_ada")
    }
    let changes = ChangeCounter("following")
    let container = CKContainer(Self.binding("following", transport))
    _ = try await container.signIn(webAuthToken: "ada-1")
    _ = changes.take()
    #expect(try await container.accountStatus() == .available)
    let before = asked.withLock(\.self)
    #expect(try await container.accountStatus() == .available)
    #expect(asked.withLock(\.self) == before, "A known status is not requested again.")
    refuses.withLock { $0 = true }
    await #expect(throws: CKError.self) { try await container.session().fetchCaller() }
    #expect(changes.take() == 1)
    #expect(try await container.accountStatus() == .temporarilyUnavailable)
    #expect(changes.take() == 0)
    refuses.withLock { $0 = false }
    _ = try await container.signIn(webAuthToken: "ada-2")
    #expect(changes.take() >= 1)
    #expect(try await container.accountStatus() == .available)
  }

  @Test func `A rejected API token is reported as such and ends no session`() async throws {
    let refusal =
      #"{"uuid":"u","serverErrorCode":"AUTHENTICATION_FAILED","extensionErrorCode":"API_TOKEN_REFUSED","reason":"The API token is not one of this server for the container iCloud.a in development."}"#
    let transport = ScriptedTransport { _ throws(TransportError) in
      TransportResponse(status: 401, body: Array(refusal.utf8))
    }
    let container = CKContainer(
      ContainerBinding(
        CKContainer.Configuration(
          containerIdentifier: "iCloud.a", server: webAddress("https://a.example"),
          credentials: .user(apiToken: "other", webAuthToken: "ada"), accountStorage: .memory),
        transport: transport))
    let error = await #expect(throws: CKError.self) { try await container.accountStatus() }
    #expect(
      error?.code == .badContainer && error?.localizedDescription.contains("API token") == true)
    #expect(try container.session().standing == .unknown)
  }

  @Test func `Only answers that concern the user change the user's state`() {
    for standing in [UserState.unknown, .accepted, .refused] {
      #expect(
        standing.after(CloudError(.authenticationFailed, "", extension: .apiTokenRefused))
          == standing)
    }
    #expect(UserState.unknown.after(nil) == .accepted)
    #expect(UserState.accepted.after(CloudError(.authenticationFailed, "")) == .refused)
    #expect(UserState.accepted.after(CloudError(.notFound, "")) == .accepted)
    for code in [CloudErrorCode.throttled, .tryAgainLater, .internalError, .accessDenied] {
      #expect(UserState.refused.after(CloudError(code, "")) == .refused)
    }
  }

  // MARK: Damaged files

  /// Overwrites the file of accounts in a folder.
  private func damage(_ folder: String) throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter {
      $0.hasSuffix(".json")
    }
    for name in names { try Data("{".utf8).write(to: URL(fileURLWithPath: folder + "/" + name)) }
  }

  @Test func `Damaged accounts do not count as a sign-out, and signing in repairs them`()
    async throws
  {
    try await withTemporaryDirectory { place in
      let folder = place.path + "/accounts"
      let container = CKContainer(
        Self.binding("damaged", store: FolderCredentialStore(path: folder)))
      _ = try await container.signIn(webAuthToken: "ada-1")
      try damage(folder)
      for _ in 0..<2 {
        await #expect { try await container.accountStatus() } throws: {
          CKError.internalError ~= $0
        }
        #expect(throws: CKError.self) { try container.accounts() }
      }
      #expect(try await container.signIn(webAuthToken: "ada-2").userRecordID.recordName == "_ada")
      #expect(try await container.accountStatus() == .available)
      #expect(try names(folder).count == 1)
    }
  }

  /// The names of files that were set aside.
  private func names(_ folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).filter {
      $0.hasSuffix(".damaged-1")
    }
  }

  @Test
  func `If sign-in is impossible, damage is reported once and the configured user stays`()
    async throws
  {
    try await withTemporaryDirectory { place in
      let folder = place.path + "/accounts"
      func open() -> ContainerBinding {
        Self.binding(
          "given", Self.renewing(), store: FolderCredentialStore(path: folder),
          .user(apiToken: "program", webAuthToken: "ada-1"))
      }
      _ = try await open().session().fetchCaller()
      #expect(try open().session().credentials.webAuthToken == "ada-r1")
      try damage(folder)
      let again = open()
      let error = #expect(throws: CKError.self) { try again.session() }
      #expect(error?.localizedDescription.contains(".damaged-1") == true)
      #expect(try again.session().credentials.webAuthToken == "ada-1")
      #expect(try names(folder).count == 1)
    }
  }

  // MARK: Renewed tokens

  @Test func `A former session's token does not replace a new one`() async throws {
    let asked = Mutex<CloudSession?>(nil)
    let server = ScriptedTransport { request throws(TransportError) in
      // The user signs in again while the answer is in flight.
      asked.withLock(\.self)?.adopt("ada-new")
      return .caller("_ada", renewed: "ada-former")
    }
    let kept = Mutex<[String?]>([])
    let session = try CloudSession(
      address: Self.place("late"), credentials: .user(apiToken: "program", webAuthToken: "ada-1"),
      transport: server,
      onRenewal: { credentials in kept.withLock { $0.append(credentials.webAuthToken) } })
    asked.withLock { $0 = session }
    _ = try await session.fetchCaller()
    #expect(session.credentials.webAuthToken == "ada-new" && kept.withLock(\.self).isEmpty)
    asked.withLock { $0 = nil }
    _ = try await session.fetchCaller()
    #expect(
      session.credentials.webAuthToken == "ada-former" && kept.withLock(\.self) == ["ada-former"])
  }

  @Test func `A former session's rejection does not affect a new one`() async throws {
    let asked = Mutex<CloudSession?>(nil)
    let server = ScriptedTransport { request throws(TransportError) in
      asked.withLock(\.self)?.adopt("ada-new")
      return .error(401, "AUTHENTICATION_FAILED")
    }
    let session = try CloudSession(
      address: Self.place("late"), credentials: .user(apiToken: "program", webAuthToken: "ada-1"),
      transport: server)
    asked.withLock { $0 = session }
    await #expect(throws: CKError.self) { try await session.fetchCaller() }
    #expect(session.standing == .unknown)
    asked.withLock { $0 = nil }
    await #expect(throws: CKError.self) { try await session.fetchCaller() }
    #expect(session.standing == .refused)
  }

  @Test func `A token that a session stored itself does not replace its newer one`() async throws {
    let store = MemoryCredentialStore()
    let time = PausedClock()
    defer { time.endWaits() }
    let binding = Self.binding(
      "newer", Self.renewing(), store: store, .program(apiToken: "program"), time)
    try store.update(binding.address) {
      $0.signIn(StoredAccounts.Account(userRecordName: "_ada", webAuthToken: "ada-1"))
    }
    let session = try binding.session()
    for _ in 0..<3 { _ = try await session.fetchCaller() }
    #expect(store.accounts(at: binding.address).currentAccount?.webAuthToken == "ada-r1")
    #expect(try binding.session().credentials.webAuthToken == "ada-r3")
    // Another process's token is adopted.
    try store.update(binding.address) {
      $0.signIn(StoredAccounts.Account(userRecordName: "_ada", webAuthToken: "ada-other"))
    }
    #expect(try binding.session().credentials.webAuthToken == "ada-other")
  }

  /// A server that renews the token with every answer.
  private static func renewing() -> ScriptedTransport {
    let count = Mutex(0)
    return ScriptedTransport { _ throws(TransportError) in
      let number = count.withLock { count in
        count += 1
        return count
      }
      return .caller("_ada", renewed: "ada-r\(number)")
    }
  }

  @Test func `The first renewed token is written at once, and later ones after a pause`()
    async throws
  {
    let (store, time) = (MemoryCredentialStore(), PausedClock())
    let binding = Self.binding(
      "renewing", Self.renewing(), store: store, .program(apiToken: "program"), time)
    try store.update(binding.address) {
      $0.signIn(StoredAccounts.Account(userRecordName: "_ada", webAuthToken: "ada-1"))
    }
    func kept() throws -> String? {
      store.accounts(at: binding.address).currentAccount?.webAuthToken
    }
    func ask() async throws { _ = try await binding.session().fetchCaller() }
    try await ask()
    #expect(try kept() == "ada-r1")
    for _ in 0..<3 { try await ask() }
    #expect(try kept() == "ada-r1")
    #expect(try binding.session().credentials.webAuthToken == "ada-r4")
    try await yields(while: time.waits.isEmpty)
    #expect(time.waits == [.seconds(30)])
    time.pass(30)
    time.endWaits()
    try await yields(while: try kept() != "ada-r4")
    time.pass(31)
    try await ask()
    #expect(try kept() == "ada-r5")
  }

  @Test func `The last token is written when the session is released`() async throws {
    let store = MemoryCredentialStore()
    let (place, time) = (Self.place("ending"), PausedClock())
    defer { time.endWaits() }
    try store.update(place) {
      $0.signIn(StoredAccounts.Account(userRecordName: "_ada", webAuthToken: "ada-1"))
    }
    do {
      let binding = Self.binding(
        "ending", Self.renewing(), store: store, .program(apiToken: "program"), time)
      for _ in 0..<3 { _ = try await binding.session().fetchCaller() }
    }
    #expect(store.accounts(at: place).currentAccount?.webAuthToken == "ada-r3")
  }

  @Test func `A new session starts with the renewal of its configured token`() async throws {
    let store = MemoryCredentialStore()
    let given = CKContainer.Configuration.Credentials.user(
      apiToken: "program", webAuthToken: "ada-1")
    do {
      let binding = Self.binding("starting", Self.renewing(), store: store, given)
      #expect(try binding.session().credentials.webAuthToken == "ada-1")
      _ = try await binding.session().fetchCaller()
    }
    let again = Self.binding("starting", Self.renewing(), store: store, given)
    #expect(try again.session().credentials.webAuthToken == "ada-r1")
    let other = Self.binding(
      "starting", Self.renewing(), store: store, .user(apiToken: "program", webAuthToken: "bob-1"))
    #expect(try other.session().credentials.webAuthToken == "bob-1")
  }

  @Test func `A session continues if the store cannot be written`() async throws {
    try await withTemporaryDirectory { folder in
      let store = FolderCredentialStore(path: folder.path + "/accounts")
      let binding = Self.binding("stuck", Self.renewing(), store: store)
      _ = try await CKContainer(binding).signIn(webAuthToken: "ada-1")
      let session = try binding.session()
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o666], ofItemAtPath: folder.path + "/accounts/lock")
      _ = try await session.fetchCaller()
      #expect(session.credentials.webAuthToken == "ada-r2")
      let error = await #expect(throws: CKError.self) { try await CKContainer(binding).signOut() }
      #expect(error?.code == .permissionFailure)
    }
  }

  @Test func `Tokens are written at the configured pace`() {
    var pacing = TokenPersistencePolicy()
    let start = Date(timeIntervalSince1970: 1_700_000_000)
    #expect(pacing.renewed(at: start) == .write)
    #expect(pacing.renewed(at: start + 10) == .writeLater(after: .seconds(20)))
    #expect(pacing.renewed(at: start + 11) == .nothing)
    pacing.due(at: start + 30)
    #expect(pacing.renewed(at: start + 31) == .writeLater(after: .seconds(29)))
    pacing.due(at: start + 60)
    #expect(pacing.renewed(at: start + 90) == .write)
    // A clock that was set back does not stop tokens from being written.
    #expect(pacing.renewed(at: start) == .write)
  }

  // MARK: Tokens for pages

  @Test func `A session has a token for a web page`() async throws {
    let tokens = Mutex<[String]>([])
    let transport = ScriptedTransport { request throws(TransportError) in
      guard let api = request.parameter("ckAPIToken"),
        let user = request.parameter("ckWebAuthToken")
      else {
        return .error(421, "AUTHENTICATION_REQUIRED")
      }
      tokens.withLock { $0.append("\(api) \(user)") }
      return api == "wrong"
        ? .error(401, "AUTHENTICATION_FAILED") : .caller("_ada", renewed: "ada-2")
    }
    let container = CKContainer(
      Self.binding(
        "page", transport, store: MemoryCredentialStore(),
        .user(apiToken: "program", webAuthToken: "ada-1"))
    )
    func fetch(_ apiToken: String) async -> Result<String, any Error> {
      await withCheckedContinuation { continuation in
        let operation = CKFetchWebAuthTokenOperation(apiToken: apiToken)
        operation.fetchWebAuthTokenResultBlock = { continuation.resume(returning: $0) }
        container.privateCloudDatabase.add(operation)
      }
    }
    #expect(try await fetch("page").get() == "ada-2")
    #expect(tokens.withLock { $0 } == ["page ada-1"])
    for wrong in ["wrong", ""] {
      let error = await #expect(throws: CKError.self) { try await fetch(wrong).get() }
      #expect(error?.code == (wrong.isEmpty ? .invalidArguments : .notAuthenticated))
    }
  }
}
