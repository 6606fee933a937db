import CloudRecords
import RecordServer
import RecordServerHTTP
import TestSupport
import Testing

/// Makes a server answer with each status in its description.
struct StatusClient {
  private let testService: TestService
  private let ada: WebClient
  private let callbackToken: String
  private let administrator: ExampleAdministrator
  private let deviceToken: String
  private let download: String
  private let forms: DescribedForms
  private let program: SigningProgram

  init(_ testService: TestService) async throws {
    self.testService = testService
    forms = DescribedForms(try testService.client().get("/openapi.json").json)
    program = try await SigningProgram(testService)
    ada = try await testService.user("ada")
    callbackToken = try await testService.accounts.createAPIToken(
      for: TestService.container, callbackURL: "notes://signed-in"
    ).text
    administrator = ExampleAdministrator(
      testService, key: try #require(testService.server.newAdministratorKey))
    let zone =
      #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Trips"}}}]}"#
    #expect(try ada.ask("private", "zones/modify", zone).status == 200)
    let record =
      #"{"operations":[{"operationType":"create","record":{"recordType":"Note","fields":{"title":{"value":"x"}}}}]}"#
    #expect(try ada.ask("private", "records/modify", record).status == 200)
    download = try ada.save(
      try ada.send(Array("contents".utf8), to: try ada.uploadAddress())["singleFile"])
    let tokens = "/device/1/\(ada.container)/tokens/create\(ada.query)"
    deviceToken =
      try #require(
        try ada.post(tokens, #"{"apnsEnvironment":"development"}"#)["webcourierURL"].text
      )
      .split(separator: "?").last.map(String.init) ?? ""
  }

  /// Makes a request that the server should answer with a status, and returns its actual status.
  func provoke(_ status: Int, of operation: DescribedOperation) async throws -> Int {
    let path = operation.path
    if path.hasPrefix("/database") || path.hasPrefix("/device") {
      return try provokeDatabase(status, operation)
    }
    if path.hasPrefix("/push") {
      let token = status == 200 ? deviceToken : "token=unknown"
      return try ask(operation, path + (status == 400 ? "" : "?\(token)"))
    }
    if path.hasPrefix("/admin") { return try await provokeAdministration(status, operation) }
    switch path {
    case "/assets/upload": return try provokeUpload(status, operation)
    case "/assets/download": return try provokeDownload(status, operation)
    case "/share/{invitation}": return try provokeInvitation(status, operation)
    case "/sign-in": return try provokePage(status, operation, .signIn)
    case "/sign-up" where status == 404: return try await provokeClosedPage(operation)
    case "/sign-up": return try provokePage(status, operation, .signUp)
    case "/sign-out": return try provokePage(status, operation, .signOut)
    case "/metrics":
      return try ask(operation, path, status == 200 ? administrator.field : "")
    default: return try ask(operation, path)
    }
  }

  private func provokeAdministration(_ status: Int, _ operation: DescribedOperation) async throws
    -> Int
  {
    switch status {
    case 400: return try ask(operation, operation.path, administrator.field, body: "nonsense")
    case 401: return try ask(operation, operation.path, body: "{}")
    case 404: return try ask(operation, operation.path, administrator.field, body: Self.nothing)
    case 409:
      let body = try await administrator.body(for: operation)
      _ = try ask(operation, operation.path, administrator.field, body: body)
      return try ask(operation, operation.path, administrator.field, body: body)
    case 413:
      return try ask(
        operation, operation.path, administrator.field, body: String(repeating: " ", count: 20_001))
    default:
      let body = try await administrator.body(for: operation)
      let answered = try ask(operation, operation.path, administrator.field, body: body)
      if operation.path == "/admin/1/keys/administrator" { try await administrator.takeNewKey() }
      return answered
    }
  }

  /// Names a user and an item of each kind, none of which exists.
  private static let nothing =
    #"{"name":"unknown@example.com","password":"correct horse battery","role":"None","identifier":"00","container":"iCloud.none","schema":"DEFINE SCHEMA","erase":true}"#

  // MARK: Databases and files

  private func provokeDatabase(_ status: Int, _ operation: DescribedOperation) throws -> Int {
    let path = DescribedOperation.path(of: operation.path)
    let body = operation.method == "GET" ? nil : operation.example ?? "{}"
    switch status {
    case 400: return try ask(operation, path + ada.query, body: "nonsense")
    case 401: return try ask(operation, path, body: body)
    case 403:
      let own = path.replacing("/public/", with: "/private/")
      let hash = body.map(SigningProgram.hash) ?? ""
      return try ask(operation, own, program.fields { "\($0):\(hash):\(own)" }, body: body)
    case 404: return try ask(operation, path + ada.query, body: Self.ofNoZone)
    case 413:
      return try ask(operation, path + ada.query, body: String(repeating: " ", count: 20_001))
    case 421: return try ask(operation, "\(path)?ckAPIToken=\(testService.apiToken)", body: body)
    default: return try ask(operation, path + ada.query, body: body)
    }
  }

  /// The values that each zone operation needs, for a zone that does not exist.
  private static let ofNoZone =
    #"{"zoneID":{"zoneName":"None"},"query":{"recordType":"Note"},"tokens":[{"recordType":"Note","recordName":"r","fieldName":"f"}],"assets":[{"recordName":"r","fieldName":"f","value":{"fileChecksum":"AA==","size":1}}]}"#

  private func provokeUpload(_ status: Int, _ operation: DescribedOperation) throws -> Int {
    let address = try WebClient(again: ada, testService).uploadAddress()
    let form = "Content-Type: multipart/form-data; boundary=x\r\n"
    switch status {
    case 400: return try ask(operation, address, form, body: "nonsense")
    case 403: return try ask(operation, "\(operation.path)?ticket=x", body: "contents")
    case 409:
      let part = "X-Parhelion-Client: 1\r\nContent-Range: bytes 5-12/13\r\n"
      return try ask(operation, address, part, body: "contents")
    case 413: return try ask(operation, address, body: String(repeating: " ", count: 1_001))
    default: return try ask(operation, address, body: "contents")
    }
  }

  private func provokeDownload(_ status: Int, _ operation: DescribedOperation) throws -> Int {
    switch status {
    case 206: try ask(operation, download, "Range: bytes=0-0\r\n")
    case 304: try ask(operation, download, "If-None-Match: *\r\n")
    case 403: try ask(operation, "\(operation.path)?ticket=x")
    case 416: try ask(operation, download, "Range: bytes=1000-\r\n")
    default: try ask(operation, download)
    }
  }

  // MARK: Pages

  private func provokePage(_ status: Int, _ operation: DescribedOperation, _ page: Route.Page)
    throws -> Int
  {
    if status == 400 {
      return try ask(operation, operation.path, body: operation.method == "POST" ? "" : nil)
    }
    guard operation.method == "POST" else {
      return try ask(operation, "\(operation.path)?ckAPIToken=\(testService.apiToken)")
    }
    var browser = try Browser(testService, page, apiToken: status == 303 ? callbackToken : nil)
    if status == 403 { browser.proof = "" }
    let isRight = [200, 303, 409].contains(status)
    if page == .signOut, status == 200 {
      return try browser.send("token=\(ada.webToken ?? "")x").status
    }
    // New users are named after the status.
    let name =
      page == .signUp && status != 409 ? "new\(status)" : isRight ? "ada" : "unknown\(status)"
    let fields = "name=\(name)&password=\(isRight ? "correct+horse+battery" : "wrong+password")"
    if status == 429 { for _ in 0..<2 { _ = try Browser(testService, page).send(fields) } }
    return try browser.send(fields).status
  }

  /// Makes a request to the page of Ada's share, or of a share that does not exist.
  private func provokeInvitation(_ status: Int, _ operation: DescribedOperation) throws -> Int {
    var browser = try InvitationBrowser(
      testService, status == 404 ? "nowhere" : try sharedName(), followsPages: false)
    if operation.method == "GET" {
      guard status == 404 else { return browser.page.status }
      try browser.signIn("ada")
      try browser.load()
      return browser.page.status
    }
    switch status {
    case 303: try browser.signIn("ada")
    case 401: try browser.signIn("unknown-guest")
    case 403: try browser.send("accept", site: "cross-site")
    default:
      try browser.signIn("ada")
      try browser.load()
      let actions = [200: "open", 400: "nothing", 404: "accept", 409: "requests"]
      try browser.send(
        actions[status] ?? "", status == 409 ? ["version": "0", "allowed": "1"] : [:])
    }
    return browser.page.status
  }

  /// The short name of Ada's share, which is created if necessary.
  private func sharedName() throws -> String {
    let zone = #""zoneID":{"zoneName":"Trips"}"#
    let wanted = #"{"records":[{"recordName":"cloudkit.zoneshare"}],\#(zone)}"#
    let known = try ada.ask("private", "records/lookup", wanted)
    if let name = known["records"][0]["shortGUID"].text { return name }
    let saved = try ada.ask(
      "private", "records/modify",
      #"{"operations":[{"operationType":"create","record":{"recordName":"cloudkit.zoneshare","#
        + #""recordType":"cloudkit.share","fields":{}}}],\#(zone)}"#
    )
    return try #require(saved["records"][0]["shortGUID"].text, "\(saved)")
  }

  /// Makes a request to a server on which only administrators create accounts.
  private func provokeClosedPage(_ operation: DescribedOperation) async throws -> Int {
    var status = 0
    try await TestService.run {
      $0.accounts.signUp = .closed
    } _: { testService in
      let fields = operation.method == "POST" ? "Content-Length: 0\r\n" : ""
      status = try testService.client().get(
        "\(operation.path)?ckAPIToken=\(testService.apiToken)", fields, method: operation.method
      )
      .status
    }
    return status
  }

  // MARK: Requests

  private func ask(
    _ operation: DescribedOperation, _ target: String, _ fields: String = "", body: String? = nil
  ) throws -> Int {
    let client = try testService.client().raw
    let length = body.map { "Content-Length: \($0.utf8.count)\r\n" } ?? ""
    try client.send(
      "\(operation.method) \(target) HTTP/1.1\r\nHost: cloud.example\r\n\(length)\(fields)\r\n\(body ?? "")"
    )
    // Streams have no end.
    guard let form = operation.form else { return try client.head().status }
    let reply = Reply(try client.response())
    // A wait without a notification has an empty answer.
    if reply.status == 200, !reply.text.isEmpty {
      #expect(
        forms.mismatches(in: reply.text, as: form) == [], "\(operation.identifier): \(reply)")
    }
    return reply.status
  }
}

extension WebClient {
  /// The same user over a separate connection.
  fileprivate init(again other: WebClient, _ testService: TestService) throws {
    try self.init(testService)
    webToken = other.webToken
  }
}
