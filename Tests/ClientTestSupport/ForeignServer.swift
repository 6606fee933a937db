package import CloudKitClient
package import CloudTransport
import Foundation
package import Synchronization
import Testing

/// A scripted server that speaks only CloudKit's documented protocol.
///
/// It has one record, and delivers notifications to devices.
package final class ForeignServer: CloudTransport {
  /// The record, as responses contain it.
  package let record = Mutex(
    #"{"recordName":"one","recordType":"Note","recordChangeTag":"1","fields":{}}"#)
  /// Records for lookups by name, as responses contain them.
  ///
  /// If it is empty, every lookup returns the one record.
  package let found = Mutex<[String: String]>([:])
  /// The errors with which operations are rejected, by the end of the request's URL.
  package let refusals = Mutex<[String: String]>([:])
  /// The users in the address book of the caller, as responses contain them.
  package let people = Mutex("")
  /// The responses to other operations, by the end of the request's URL.
  package let answers = Mutex<[String: String]>([:])
  /// The received requests: the end of each URL, and the body.
  package let asked = Mutex<[(operation: String, body: String)]>([])
  /// The responses to long polls, in order.
  private let (messages, sender) = AsyncStream<String>.makeStream()

  /// The URL at which devices wait.
  private static let courier = "https://courier.example.com/wait/c1"

  package init() {}

  /// Responds to the current long poll, or else to the next one.
  package func tell(_ notification: String) { sender.yield(notification) }

  /// The container on this server.
  package func container(
    _ encryptedValues: CKContainer.Configuration.EncryptedValues = .device,
    _ dependencies: ClientDependencies = ClientDependencies(
      now: { Date() }, wait: { _ in try Task.checkCancellation() }, chance: { 0.5 },
      makeName: { UUID().uuidString })
  ) -> CKContainer {
    let configuration = CKContainer.Configuration(
      containerIdentifier: "iCloud.foreign", server: webAddress("https://api.example.com"),
      credentials: .user(apiToken: "program", webAuthToken: "user"), accountStorage: .memory,
      encryptedValues: encryptedValues)
    return CKContainer(ContainerBinding(configuration, transport: self, dependencies: dependencies))
  }

  package func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
    let address = request.address.prefix { $0 != "?" }
    let operation = address.split(separator: "/").suffix(2).joined(separator: "/")
    var body = ""
    if case .bytes(let bytes)? = request.body { body = String(decoding: bytes, as: UTF8.self) }
    asked.withLock { $0.append((operation, body)) }
    if address == Self.courier { return try await notification(request) }
    return answer(operation, request.method, body)
  }

  private func answer(
    _ operation: String, _ method: TransportRequest.Method, _ body: String
  ) -> TransportResponse {
    let record = record.withLock(\.self)
    if let refusal = refusals.withLock({ $0[operation] }) {
      return TransportResponse(status: 400, body: Array(refusal.utf8))
    }
    if operation == "records/lookup", let records = lookedUp(body) {
      return .json(#"{"records":[\#(records)]}"#)
    }
    switch operation {
    case "tokens/create":
      return .json(
        #"{"apnsEnvironment":"development","apnsToken":"AAEC","webcourierURL":"\#(Self.courier)"}"#)
    case "users/caller":
      #expect(method == .get)
      return .caller("_me")
    case "users/discover":
      #expect(method == .get)
      return .json(#"{"users":[\#(people.withLock(\.self))]}"#)
    case "records/lookup", "records/modify": return .json(#"{"records":[\#(record)]}"#)
    default:
      return answers.withLock { $0[operation] }.map { .json($0) } ?? .error(400, "BAD_REQUEST")
    }
  }

  /// The records that a lookup names; nil if every lookup returns the one record.
  private func lookedUp(_ body: String) -> String? {
    struct Wanted: Decodable {
      struct Name: Decodable { var recordName: String }
      var records: [Name]
    }
    let found = found.withLock(\.self)
    guard !found.isEmpty, let wanted = try? JSONDecoder().decode(Wanted.self, from: Data(body.utf8))
    else { return nil }
    return wanted.records.map {
      found[$0.recordName]
        ?? #"{"recordName":"\#($0.recordName)","serverErrorCode":"NOT_FOUND","reason":"Record not found"}"#
    }
    .joined(separator: ",")
  }

  /// Waits for a notification.
  private func notification(_ request: TransportRequest) async throws(TransportError)
    -> TransportResponse
  {
    #expect(request.method == .get)
    for await message in messages { return .json(message) }
    throw TransportError(.cancelled, "The device no longer waits.")
  }

  package func download(
    _ request: TransportRequest, to path: String, progress: @escaping TransportProgress
  ) async throws(TransportError) -> TransportResponse {
    asked.withLock { $0.append((request.address, "")) }
    guard FileManager.default.createFile(atPath: path, contents: Data("abc".utf8)) else {
      throw TransportError(.file, path)
    }
    return TransportResponse(status: 200)
  }

  package func open(_ request: TransportRequest) async throws(TransportError) -> TransportStream {
    Issue.record("A stream was opened at \(request.address).")
    throw TransportError(.offline, "no streams")
  }
}

extension TransportResponse {
  package static func json(_ text: String) -> TransportResponse {
    TransportResponse(status: 200, body: Array(text.utf8))
  }
}
