import ClientTestSupport
import CloudKitClient
import CloudRecords
import CloudTransport
import Cryptography
import CurlTransport
import Foundation
import RecordServer
import RecordServerHTTP
import RecordStorage
import Synchronization
import TestSupport
import Testing

@Suite("Signing in on the server's page")
struct SignInPageTests {
  private static let password = "correct horse battery"

  /// A server and a program on this machine.
  private struct World {
    let server: CloudServer
    let container: CKContainer
    let name: String
  }

  private func withWorld(
    _ name: String, callback: String? = "http://127.0.0.1/signed-in",
    _ configure: (inout CloudServer.Configuration) -> Void = { _ in },
    _ body: (World) async throws -> Void
  ) async throws {
    var configuration = CloudServer.Configuration()
    configuration.accounts.passwordCost = .least
    configure(&configuration)
    let server = try await CloudServer.start(on: MemoryStorageEngine(), configuration)
    for user in ["ada", "bob"] {
      _ = try await server.service.accounts.signUp(name: user, password: Self.password, from: nil)
    }
    let token = try await server.service.accounts.createAPIToken(
      for: ContainerAddress(container: name, environment: .development), callbackURL: callback)
    var settings = CurlTransport.Settings()
    settings.proxy = .none
    let transport = CurlTransport(settings)
    let container = CKContainer(
      ContainerBinding(
        CKContainer.Configuration(
          containerIdentifier: name, server: webAddress(server.address),
          credentials: .program(apiToken: token.text)),
        transport: transport, store: MemoryCredentialStore()))
    do {
      try await body(World(server: server, container: container, name: name))
    } catch {
      await transport.shutdown()
      await server.shutdown(within: .zero)
      throw error
    }
    await transport.shutdown()
    await server.shutdown(within: .seconds(20))
  }

  @Test func `Signing out ends the session on the server`() async throws {
    try await withWorld("iCloud.leaving") { world in
      let place = ContainerAddress(container: world.name, environment: .development)
      let token = try await world.server.service.accounts.signIn(
        name: "ada", password: Self.password, to: place, from: nil
      ).webToken
      let ada = try await world.container.signIn(webAuthToken: token)
      #expect(try await world.container.accountStatus() == .available)
      #expect(try await world.container.signOut(ada))
      #expect(try await world.container.accountStatus() == .noAccount)
      let error = await #expect(throws: CKError.self) {
        try await world.container.signIn(webAuthToken: token)
      }
      #expect(error?.code == .notAuthenticated)
    }
  }

  @Test func `If the server cannot be reached, signing out still works on this machine`()
    async throws
  {
    try await withWorld("iCloud.leaving.offline") { world in
      let place = ContainerAddress(container: world.name, environment: .development)
      let token = try await world.server.service.accounts.signIn(
        name: "ada", password: Self.password, to: place, from: nil
      ).webToken
      _ = try await world.container.signIn(webAuthToken: token)
      await world.server.shutdown(within: .zero)
      #expect(try await !world.container.signOut())
      #expect(try world.container.accounts().isEmpty)
    }
  }

  @Test func `The page returns the token to the program`() async throws {
    try await withWorld("iCloud.page") { world in
      let changes = ChangeCounter(world.name)
      let browser = WebBrowser()
      for user in ["ada", "bob"] {
        let account = try await world.container.signIn { page in
          browser.open { try await browser.signIn(user, Self.password, at: page) }
        }
        #expect(account.isCurrent)
        #expect(try await world.container.userRecordID() == account.userRecordID)
        #expect(try await world.container.accountStatus() == .available)
      }
      #expect(changes.take() == 2)
      #expect(try world.container.accounts().count == 2)
      #expect(try await browser.finish().allSatisfy { $0.contains("You are signed in") })
      try world.container.switchAccount(to: world.container.accounts()[0])
      #expect(
        try await world.container.userRecordID() == world.container.accounts()[0].userRecordID)
      // Requests of the signed-in account work.
      let zone = try await world.container.privateCloudDatabase.save(
        CKRecordZone(zoneName: "Notes"))
      #expect(zone.zoneID.zoneName == "Notes")
    }
  }

  @Test func `A forged callback is rejected, and the sign-in continues`() async throws {
    try await withWorld("iCloud.forged") { world in
      let browser = WebBrowser()
      let account = try await world.container.signIn { page in
        browser.open {
          let items = URLComponents(url: page, resolvingAgainstBaseURL: false)?.queryItems ?? []
          let port = items.first { $0.name == "ckCallbackPort" }?.value ?? ""
          var output: [String] = []
          for (query, host) in [
            ("ckWebAuthToken=evil", nil), ("ckWebAuthToken=evil&ckState=guess", nil),
            (
              "ckWebAuthToken=evil&ckState=\(items.first { $0.name == "ckState" }?.value ?? "")",
              "evil.example:\(port)"
            ),
          ] {
            let answer = try await browser.get(
              "http://127.0.0.1:\(port)/signed-in?\(query)", host: host)
            output.append("\(answer.status)")
          }
          return try await output.joined(separator: " ") + " "
            + browser.signIn("ada", Self.password, at: page)
        }
      }
      #expect(try await browser.finish().first?.hasPrefix("403 403 403 ") == true)
      #expect(account.name == nil || account.name == "ada")
    }
  }

  @Test func `Signing in ends at its timeout or when it is cancelled`() async throws {
    try await withWorld("iCloud.late") { world in
      let error = await #expect(throws: CKError.self) {
        try await world.container.signIn(timeLimit: .milliseconds(1)) { _ in }
      }
      #expect(error?.code == .notAuthenticated)
      #expect(error?.localizedDescription.contains("signIn(webAuthToken:)") == true)
      let (opened, mailbox) = AsyncStream<Void>.makeStream()
      let container = world.container
      let task = Task { try await container.signIn { _ in mailbox.yield() } }
      _ = await opened.first { _ in true }
      task.cancel()
      let cancelled = await #expect(throws: CKError.self) { try await task.value }
      #expect(cancelled?.code == .operationCancelled)
      let accounts = try world.container.accounts()
      #expect(accounts.isEmpty)
    }
  }

  @Test func `The page shows the token if the program's API token has no callback`() async throws {
    try await withWorld("iCloud.shown", callback: nil) { world in
      let page = try await world.container.signInPage()
      let text = try await WebBrowser().signIn("ada", Self.password, at: page)
      let start = try #require(text.firstRange(of: "<code>"))
      let token = String(text[start.upperBound...].prefix { $0 != "<" })
      let account = try await world.container.signIn(webAuthToken: token)
      #expect(try world.container.currentAccount() == account)
    }
  }

  @Test func `An unknown API token is reported`() async throws {
    try await withWorld("iCloud.unknown") { world in
      let configuration = CKContainer.Configuration(
        containerIdentifier: world.name, server: webAddress(world.server.address),
        credentials: .program(apiToken: String(repeating: "0", count: 64)), accountStorage: .memory)
      let container = CKContainer(ContainerBinding(configuration))
      let error = await #expect(throws: CKError.self) { try await container.signInPage() }
      #expect(
        error?.localizedDescription.contains("API token") == true,
        "\(error?.localizedDescription ?? "")")
    }
  }

  @Test func `Users stay signed in on a server that renews every token`() async throws {
    try await withWorld("iCloud.renewing") {
      $0.accounts.rotationSeconds = 0
      $0.accounts.graceSeconds = 0
    } _: { world in
      let browser = WebBrowser()
      let account = try await world.container.signIn { page in
        browser.open { try await browser.signIn("ada", Self.password, at: page) }
      }
      for _ in 0..<5 {
        _ = try await world.container.session().fetchCaller()
        #expect(try await world.container.userRecordID() == account.userRecordID)
      }
      #expect(try await world.container.accountStatus() == .available)
      _ = try await browser.finish()
    }
  }
}

/// The parts of a browser that signing in needs.
final class WebBrowser: Sendable {
  private let transport: CurlTransport
  private let tasks = Mutex<[Task<String, any Error>]>([])

  init() {
    var settings = CurlTransport.Settings()
    settings.proxy = .none
    transport = CurlTransport(settings)
  }

  /// Runs a person's actions concurrently with the program that opened the browser.
  func open(_ actions: @escaping @Sendable () async throws -> String) {
    let task = Task { try await actions() }
    tasks.withLock { $0.append(task) }
  }

  /// The last page of each sequence of actions.
  func finish() async throws -> [String] {
    var seen: [String] = []
    for task in tasks.withLock(\.self) { seen.append(try await task.value) }
    return seen
  }

  func get(_ address: String, host: String? = nil) async throws -> TransportResponse {
    var request = TransportRequest(.get, address)
    if let host { request.headers.append(("Host", host)) }
    return try await transport.send(request)
  }

  /// Submits the form and follows the redirect.
  func signIn(_ name: String, _ password: String, at page: URL) async throws -> String {
    let form = try await get(page.absoluteString)
    let text = String(decoding: form.body, as: UTF8.self)
    let proof = part(of: text, after: #"name="proof" value=""#)
    let action = part(of: text, after: #"action=""#).replacing("&amp;", with: "&")
    var request = TransportRequest(
      .post, "\(page.scheme ?? "")://\(page.host ?? ""):\(page.port ?? 80)\(action)")
    let typed = "proof=\(proof)&name=\(name)&password=\(password.replacing(" ", with: "+"))"
    request.body = .bytes(Array(typed.utf8))
    request.headers = [
      ("Content-Type", "application/x-www-form-urlencoded"),
      ("Cookie", String((form["Set-Cookie"] ?? "").prefix { $0 != ";" })),
    ]
    var answer = try await transport.send(request)
    if let location = answer["Location"] { answer = try await get(location) }
    return String(decoding: answer.body, as: UTF8.self)
  }

  private func part(of text: String, after start: String) -> String {
    guard let range = text.firstRange(of: start) else { return "" }
    return String(text[range.upperBound...].prefix { $0 != "\"" })
  }
}
