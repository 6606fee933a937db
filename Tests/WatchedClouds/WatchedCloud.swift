package import CloudKitClient
package import CloudKitTesting
package import CloudTransport
package import CloudWire
package import Foundation
package import Synchronization
import Testing

/// A cloud with two users, whose requests can be observed and disturbed.
///
/// Waits end at once.
package final class WatchedCloud: CloudTransport {
  package let cloud: TestCloud
  private let people: [String: TestDevice]
  private let inner: any CloudTransport

  /// The operations of requests in order.
  package let asked = Mutex<[String]>([])
  /// The stamps of the requests that have one.
  package let stamps = Mutex<[RequestStamp]>([])
  /// The bodies of requests that have one, each followed by the body of the answer.
  package let bodies = Mutex<[String]>([])
  /// The total timeout of each request and download.
  package let limits = Mutex<[Duration?]>([])
  /// The idle timeout of each request.
  package let idleLimits = Mutex<[(operation: String, limit: Duration?)]>([])
  /// The statuses of downloaded files.
  package let fileStatuses = Mutex<[Int]>([])
  /// Decides the injected fault of a request, from its operation.
  package let injectedFault = Mutex<@Sendable (String) -> InjectedFault>({ _ in .none })

  /// Runs with the operation of a request before the request is sent.
  package let between = Mutex<@Sendable (String) async -> Void>({ _ in })

  /// Whether no stream can be opened.
  package let areStreamsBroken = Mutex(false)

  /// The head of the answer to a stream request; nil for the server's own.
  package let streamAnswer = Mutex<TransportResponse?>(nil)

  package enum InjectedFault: Sendable {
    case none
    case lost(TransportError)
    case answerLost(TransportError)
    case answer(TransportResponse)
    /// A gateway sends a page in place of a file; with an error, half of the page.
    case page(TransportResponse, TransportError?)
    /// The disk for downloaded files is full.
    case fullDisk
  }

  package init() async throws {
    cloud = try await TestCloud()
    let (anna, bob) = (try await cloud.signIn("anna"), try await cloud.signIn("bob"))
    people = ["anna": anna, "bob": bob]
    inner = anna.transport
  }

  /// The container of a user's device.
  package func container(_ person: String) -> CKContainer {
    guard let device = people[person] else {
      preconditionFailure("There is no user called \(person).")
    }
    return CKContainer(device.binding(over: self, dependencies: dependencies))
  }

  private var dependencies: ClientDependencies {
    let clock = cloud.clock
    return ClientDependencies(
      now: { clock.now }, wait: { _ in try Task.checkCancellation() }, chance: { 0.5 },
      makeName: { UUID().uuidString })
  }

  /// The container of a user's program that keeps accounts, keys and long-lived operations in a
  /// folder.
  package func container(_ person: String, folder: URL, over transport: (any CloudTransport)? = nil)
    throws
    -> CKContainer
  {
    let token = people[person]?.webAuthToken ?? ""
    let configuration = CKContainer.Configuration(
      containerIdentifier: cloud.container, server: try #require(URL(string: cloud.address)),
      credentials: .user(apiToken: cloud.apiToken, webAuthToken: token),
      accountStorage: .folder(folder))
    return CKContainer(
      ContainerBinding(configuration, transport: transport ?? self, dependencies: dependencies))
  }

  /// The binding of a user's program that keeps accounts in its own store.
  package func binding(
    _ person: String, store: any CredentialStore, _ dependencies: ClientDependencies
  ) throws -> ContainerBinding {
    let configuration = CKContainer.Configuration(
      containerIdentifier: cloud.container, server: try #require(URL(string: cloud.address)),
      credentials: .user(apiToken: cloud.apiToken, webAuthToken: people[person]?.webAuthToken ?? "")
    )
    return ContainerBinding(
      configuration, transport: self, dependencies: dependencies, store: store)
  }

  /// The record name of a user.
  package func name(_ person: String) -> String { people[person]?.userRecordName ?? "" }

  package func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
    let operation = Self.operation(request.address)
    asked.withLock { $0.append(operation) }
    limits.withLock { $0.append(request.wholeLimit) }
    idleLimits.withLock { $0.append((operation, request.idleLimit)) }
    note(request.headers)
    await between.withLock(\.self)(operation)
    let injectedFault = injectedFault.withLock { $0 }(operation)
    if case .lost(let fault) = injectedFault { throw fault }
    if case .answer(let answer) = injectedFault { return answer }
    let answer = try await inner.send(request)
    if case .bytes(let body)? = request.body {
      bodies.withLock { $0 += [body, answer.body].map { String(decoding: $0, as: UTF8.self) } }
    }
    if case .answerLost(let fault) = injectedFault { throw fault }
    return answer
  }

  private func note(_ headers: [(String, String)]) {
    for (name, text) in headers where name == RequestStamp.headerField {
      do {
        let stamp = try RequestStamp(text)
        stamps.withLock { $0.append(stamp) }
      } catch {
        Issue.record(error)
      }
    }
  }

  package func download(
    _ request: TransportRequest, to path: String, progress: @escaping TransportProgress
  ) async throws(TransportError) -> TransportResponse {
    asked.withLock { $0.append("download") }
    limits.withLock { $0.append(request.wholeLimit) }
    let injectedFault = injectedFault.withLock { $0 }("download")
    if case .lost(let fault) = injectedFault { throw fault }
    if case .answer(let answer) = injectedFault { return answer }
    if case .page(let page, let fault) = injectedFault {
      return try take(page, fault, into: path, progress)
    }
    if case .fullDisk = injectedFault { try writeToFullDisk(path) }
    let answer = try await inner.download(request, to: path, progress: progress)
    fileStatuses.withLock { $0.append(answer.status) }
    guard case .answerLost(let fault) = injectedFault else { return answer }
    halve(path)
    throw fault
  }

  /// Receives a page like a transport, which does not know what the file should contain.
  private func take(
    _ page: TransportResponse, _ fault: TransportError?, into path: String,
    _ progress: TransportProgress
  ) throws(TransportError) -> TransportResponse {
    let file = try DownloadFile(path: path)
    defer { file.close() }
    var head = page
    head.body = []
    if try file.begin(head) {
      try file.append(Array(page.body.prefix(page.body.count / (fault == nil ? 1 : 2))))
    }
    progress(file.count, file.total)
    if let fault { throw fault }
    return head
  }

  /// Receives an answer like a transport on a full disk.
  private func writeToFullDisk(_ path: String) throws(TransportError) {
    try? FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/full")
    let file = try DownloadFile(path: path)
    defer { file.close() }
    let head = TransportResponse(status: 206, headers: [("Content-Range", "bytes 0-999/1000")])
    if try file.begin(head) { try file.append([UInt8](repeating: 1, count: 1_000)) }
  }

  /// Truncates a file to half its length.
  private func halve(_ path: String) {
    do {
      let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
      try file.truncate(atOffset: try file.seekToEnd() / 2)
      try file.close()
    } catch {
      Issue.record("\(path) cannot be truncated: \(error)")
    }
  }

  package func open(_ request: TransportRequest) async throws(TransportError) -> TransportStream {
    if areStreamsBroken.withLock(\.self) { throw TransportError(.offline, "No streams.") }
    if let head = streamAnswer.withLock(\.self) {
      return TransportStream(head: head, pieces: AsyncThrowingStream { $0.finish() })
    }
    return try await inner.open(request)
  }

  /// The last two parts of a path, such as `records/modify`.
  private static func operation(_ address: String) -> String {
    let path = address.prefix { $0 != "?" }
    return path.split(separator: "/").suffix(2).joined(separator: "/")
  }
}
