package import CloudKitClient
import CloudRecords
import Foundation
import ParhelionCommands

/// A server in a separate process, with a folder, an application, and a signed-in user.
///
/// When this object is released, the server ends and its folder is removed.
package final class BenchServer: Sendable {
  let figures: ProcessFigures
  /// The server's memory when it was ready, in kilobytes.
  let kilobytesAtStart: Double
  let executable: String
  private let folder: BenchFolder
  private let server: SpawnedServer
  private let account: OwnAccount

  /// Starts a server, and waits until it is ready.
  package init(executable: String, _ options: String...) throws {
    let folder = BenchFolder()
    let data = folder.url.appendingPathComponent("server").path
    do {
      let server = try SpawnedServer(executable: executable, data: data, options)
      folder.note(process: server.processIdentifier)
      let figures = ProcessFigures(process: server.processIdentifier)
      (self.executable, self.server, self.folder, self.figures) = (
        executable, server, folder, figures
      )
      kilobytesAtStart = try figures.residentKilobytes()
      account = try waiting { try await OwnAccount.make(in: ServerFolder(path: data)) }
    } catch {
      throw error is SpawnedServer.NotReady ? ServerBenchmark.Failure.noServer(executable) : error
    }
  }

  deinit {
    folder.forget(process: server.processIdentifier)
    server.end()
  }

  var port: UInt16 { server.port }

  /// The certificate that TLS clients must trust; nil without TLS.
  var certificateAuthority: String? { server.certificateAuthority }

  /// The place of a device's store, for the server's account.
  func place(_ name: String) -> DemoPlace {
    DemoPlace(folder: folder.url.appendingPathComponent(name).path, port: port, account: account)
  }

  /// The path of a file in the benchmark's folder, on the same disk as the server's data.
  package func path(of name: String) -> String { folder.url.appendingPathComponent(name).path }

  /// Adds a device's process, which ends before the folder is removed.
  func note(process: Int32) { folder.note(process: process) }

  /// Removes a device's process, which is about to end.
  func forget(process: Int32) { folder.forget(process: process) }

  /// A client with a new connection.
  func client() throws -> BenchClient { try BenchClient(port: port) }

  /// The bytes of a request for an operation on the user's database.
  func request(_ operation: String, _ body: String) -> [UInt8] {
    post(database: "private/\(operation)", body)
  }

  /// Other signed-in users.
  func people(_ count: Int) throws -> [OwnAccount] {
    let (account, data) = (account, path(of: "server"))
    return try waiting { try await account.others(count, in: ServerFolder(path: data)) }
  }

  /// Registers a device.
  ///
  /// - Parameter person: The device's user; nil for the server's first user.
  /// - Returns: The bytes of the request with which the device waits for changes.
  func wait(of device: String, _ client: BenchClient, person: OwnAccount? = nil) throws -> [UInt8] {
    struct Device: Decodable { let webcourierURL: String }
    let request = post(
      database: "tokens/create", #"{"apnsEnvironment":"development","clientId":"\#(device)"}"#,
      by: person)
    let address = try JSONDecoder().decode(Device.self, from: Data(try client.ask(request)))
      .webcourierURL
    guard let path = address.range(of: "/push/") else { throw BenchClient.Refused(answer: address) }
    return get(String(address[path.lowerBound...]))
  }

  private func post(database path: String, _ body: String, by person: OwnAccount? = nil) -> [UInt8]
  {
    let head = """
      POST \(target(path, person ?? account)) HTTP/1.1\r
      Host: 127.0.0.1:\(port)\r
      Content-Type: application/json\r
      Content-Length: \(body.utf8.count)\r
      \r

      """
    return Array((head + body).utf8)
  }

  private func target(_ path: String, _ account: OwnAccount) -> String {
    let address = account.container
    let container = "\(address.container)/\(address.environment.rawValue)"
    return
      "/database/1/\(container)/\(path)?ckAPIToken=\(account.programToken)&ckWebAuthToken=\(account.userToken)"
  }

  /// The complete URL of an operation on the user's database.
  func address(of operation: String) -> String {
    "http://127.0.0.1:\(port)\(target("private/\(operation)", account))"
  }

  /// The container of another user, for the client library.
  func container(of person: OwnAccount) -> CKContainer { person.separateContainer(port: port) }

  /// The container, for the client library.
  package func container() -> CKContainer { account.cloudContainer(port: port) }

  /// The bytes of a GET request.
  func get(_ target: String) -> [UInt8] {
    Array("GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n".utf8)
  }
}
