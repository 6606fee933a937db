import CloudRecords
import Cryptography
import Foundation
import HTTPServer
import RecordServer
import RecordServerHTTP
import RecordStorage
import Synchronization
import TestSupport
import Testing

/// A whole server in this process on storage in memory, with an application and users with
/// accounts.
final class TestService: Sendable {
  static let container = ContainerAddress(
    container: "iCloud.com.example.notes", environment: .development)
  static let password = "correct horse battery"

  let server: CloudServer
  let apiToken: String
  let log: Lines

  /// The lines of the server's log.
  final class Lines: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock(\.self) }
    func append(_ line: String) { lines.withLock { $0.append(line) } }
  }

  private init(_ server: CloudServer, apiToken: String, log: Lines) {
    self.server = server
    self.apiToken = apiToken
    self.log = log
  }

  /// Runs a service for a test, and expects that its answers have described statuses.
  static func run(
    on engine: any StorageEngine = MemoryStorageEngine(),
    container: ContainerAddress = TestService.container,
    _ configure: (inout CloudServer.Configuration) -> Void = { _ in },
    _ body: (TestService) async throws -> Void
  ) async throws {
    var configuration = CloudServer.Configuration()
    configuration.accounts.passwordCost = .least
    let (log, described) = (Lines(), DescribedStatuses())
    configuration.service.log = {
      log.append($0.line)
      described.record($0)
    }
    configuration.service.report = { error, request in Issue.record("\(request ?? "-"): \(error)") }
    configure(&configuration)
    let server = try await CloudServer.start(on: engine, configuration)
    let token = try await server.service.accounts.createAPIToken(for: container)
    do {
      try await body(TestService(server, apiToken: token.text, log: log))
    } catch {
      await server.shutdown(within: .zero)
      throw error
    }
    await server.shutdown(within: .seconds(20))
    try await described.check()
  }

  var accounts: Accounts { server.service.accounts }

  /// A client without a user.
  func client() throws -> WebClient { try WebClient(self) }

  /// A client whose user has signed in.
  func user(_ name: String) async throws -> WebClient {
    _ = try await accounts.signUp(name: name, password: Self.password, from: nil)
    let session = try await accounts.signIn(
      name: name, password: Self.password, to: Self.container, from: nil)
    var client = try WebClient(self)
    client.webToken = session.webToken
    client.userRecordName = session.userRecordName
    return client
  }
}

/// A client of CloudKit Web Services as documented: raw requests with JSON.
struct WebClient {
  let raw: RawClient
  var apiToken: String?
  var webToken: String?
  var userRecordName = ""
  var container = "\(TestService.container.container)/\(TestService.container.environment.rawValue)"

  init(_ testService: TestService) throws {
    raw = try RawClient(port: testService.server.socketAddress.port)
    apiToken = testService.apiToken
  }

  /// Sends a request to a database.
  @discardableResult
  func ask(_ database: String, _ operation: String, _ body: String = "{}") throws -> Reply {
    try post("/database/1/\(container)/\(database)/\(operation)\(query)", body)
  }

  /// The query part of every request.
  var query: String {
    let tokens = [apiToken.map { "ckAPIToken=\($0)" }, webToken.map { "ckWebAuthToken=\($0)" }]
      .compactMap(\.self)
    return tokens.isEmpty ? "" : "?" + tokens.joined(separator: "&")
  }

  @discardableResult
  func post(_ target: String, _ body: String, _ fields: String = "Content-Type: text/plain\r\n")
    throws -> Reply
  {
    let length = "Content-Length: \(body.utf8.count)\r\n"
    try raw.send("POST \(target) HTTP/1.1\r\nHost: cloud.example\r\n\(length)\(fields)\r\n\(body)")
    return Reply(try raw.response())
  }

  @discardableResult
  func get(_ target: String, _ fields: String = "", method: String = "GET") throws -> Reply {
    try raw.send("\(method) \(target) HTTP/1.1\r\nHost: cloud.example\r\n\(fields)\r\n")
    return Reply(try raw.response(hasBody: method != "HEAD"))
  }
}

/// An answer of the server.
struct Reply: CustomStringConvertible {
  var status: Int
  var fields: [String: String]
  var text: String
  var json: JSONNode

  init(_ response: RawClient.Response) {
    status = response.status
    fields = response.fields
    text = response.text
    json = JSONNode(
      try? JSONSerialization.jsonObject(with: Data(response.body), options: .fragmentsAllowed))
  }

  subscript(key: String) -> JSONNode { json[key] }

  /// The protocol's code of the error; nil if it is none.
  var code: String? { json["serverErrorCode"].text }

  var description: String { "\(status) \(text)" }
}

/// A place in a document, which may be missing.
struct JSONNode {
  private let tree: Any?

  init(_ tree: Any?) { self.tree = tree }

  subscript(key: String) -> JSONNode { JSONNode((tree as? [String: Any])?[key]) }

  subscript(index: Int) -> JSONNode {
    let list = tree as? [Any] ?? []
    return JSONNode(list.indices.contains(index) ? list[index] : nil)
  }

  var text: String? { tree as? String }
  var number: Double? { (tree as? NSNumber)?.doubleValue }
  var flag: Bool? { tree as? Bool }
  var isThere: Bool { tree != nil && !(tree is NSNull) }
  var count: Int { (tree as? [Any])?.count ?? 0 }
  var list: [JSONNode] { (tree as? [Any] ?? []).map(JSONNode.init) }
  var keys: Set<String> { Set((tree as? [String: Any] ?? [:]).keys) }
  /// The object as a Foundation dictionary; empty if it is none.
  var object: [String: Any] { tree as? [String: Any] ?? [:] }
}
