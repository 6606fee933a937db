import CloudKitClient
import CloudRecords
import Foundation
import RecordServer

/// The tool as a server in a process of its own, with a folder, an application, and somebody who has signed in.
///
/// It ends, and its folder goes, with this object.
final class BenchServer {
  let port: UInt16
  /// The file that clients of TLS have to trust; nil without TLS.
  let certificateAuthority: String?
  let figures: ProcessFigures
  /// The kilobytes of memory that it had when it was ready.
  let kilobytesAtStart: Double
  private let folder: URL
  private let process: Process
  /// The server ends with it, and so with this process, whatever ends that.
  private let input: Pipe
  private let tokens: (program: String, user: String)

  private static let container = ContainerAddress(
    container: "iCloud.com.example.measured", environment: .development)

  /// Starts a server, and waits until it is ready.
  init(executable: String, _ options: String...) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("parhelion-bench-\(UUID().uuidString)")
    let data = folder.appendingPathComponent("server").path
    let (process, input) = (Process(), Pipe())
    process.standardInput = input
    do {
      let announcement = try Self.start(process, executable, ["--data", data] + options)
      guard let port = announcement.address.split(separator: ":").last.flatMap({ UInt16($0) }) else {
        throw ServerBenchmark.Failure.noServer(executable)
      }
      let figures = ProcessFigures(process: process.processIdentifier)
      (self.process, self.input, self.folder, self.port, self.figures) = (process, input, folder, port, figures)
      certificateAuthority = announcement.certificateAuthority
      kilobytesAtStart = try figures.residentKilobytes()
      tokens = try waiting { try await Self.signIn(ServerFolder(path: data)) }
    } catch {
      Self.end(process, folder)
      throw error
    }
  }

  deinit { Self.end(process, folder) }

  private static func end(_ process: Process, _ folder: URL) {
    if process.isRunning {
      process.terminate()
      process.waitUntilExit()
    }
    try? FileManager.default.removeItem(at: folder)
  }

  /// The path of a file on the same disk as the server's.
  func path(of name: String) -> String { folder.appendingPathComponent(name).path }

  /// A client of its own connection.
  func client() throws -> BenchClient { try BenchClient(port: port) }

  /// The bytes of a request for an operation on the user's database.
  func request(_ operation: String, _ body: String) -> [UInt8] { post(database: "private/\(operation)", body) }

  /// The bytes of a request by which a device gets an address to wait at.
  func deviceRequest(_ name: String) -> [UInt8] {
    post(database: "tokens/create", #"{"apnsEnvironment":"development","clientId":"\#(name)"}"#)
  }

  private func post(database path: String, _ body: String) -> [UInt8] {
    let head = """
      POST \(target(path)) HTTP/1.1\r
      Host: 127.0.0.1:\(port)\r
      Content-Type: application/json\r
      Content-Length: \(body.utf8.count)\r
      \r

      """
    return Array((head + body).utf8)
  }

  private func target(_ path: String) -> String {
    let container = "\(Self.container.container)/\(Self.container.environment.rawValue)"
    return "/database/1/\(container)/\(path)?ckAPIToken=\(tokens.program)&ckWebAuthToken=\(tokens.user)"
  }

  /// The whole address of an operation on the user's database.
  func address(of operation: String) -> String { "http://127.0.0.1:\(port)\(target("private/\(operation)"))" }

  /// The container, for the client library; the session does not renew its tokens, so that all clients can share them.
  func container() -> CKContainer {
    let (identifier, server) = (Self.container.container, URL(string: "http://127.0.0.1:\(port)"))
    guard let server else { preconditionFailure("An address of numbers is one.") }
    CKContainer.configure(
      CKContainer.Configuration(
        containerIdentifier: identifier, server: server,
        credentials: .user(apiToken: tokens.program, webAuthToken: tokens.user), accountStorage: .memory))
    return CKContainer(identifier: identifier)
  }

  /// The bytes of a request for what an address has.
  func get(_ target: String) -> [UInt8] { Array("GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n".utf8) }

  // MARK: Starting

  /// What a server says when it is ready.
  private struct Announcement: Decodable {
    let address: String
    let certificateAuthority: String?
  }

  private static func start(_ process: Process, _ executable: String, _ arguments: [String]) throws -> Announcement {
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: executable)
    process.arguments =
      [
        "serve", "--port", "0", "--json", "--log", "problems", "--open-metrics", "--until-input-ends", "--limit",
        "requests-per-second=0",
      ]
      + arguments
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    var line = Data()
    while !line.contains(UInt8(ascii: "\n")) {
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else { throw ServerBenchmark.Failure.noServer(executable) }
      line += more
    }
    return try JSONDecoder().decode(Announcement.self, from: line)
  }

  /// Makes an application and an account beside the server, and gives what their requests carry.
  private static func signIn(_ folder: ServerFolder) async throws -> (program: String, user: String) {
    try await folder.withAccounts { accounts in
      let token = try await accounts.createAPIToken(for: container)
      let account = try await accounts.signUp(name: "measured", password: UUID().uuidString, from: nil)
      let session = try await accounts.startSession(of: account, in: container, isKept: true)
      return (token.text, session.webToken)
    }
  }
}
