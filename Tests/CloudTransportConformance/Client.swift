import CloudTransport
import Foundation
import Testing

/// A client that uses the server's documented JSON protocol.
struct Client: Sendable {
  let cloud: CloudUnderTest
  let webToken: String?

  /// The address of a path at the server, with the client's credentials.
  func address(_ path: String) -> String {
    "\(cloud.address)\(path)?ckAPIToken=\(cloud.apiToken)"
      + (webToken.map { "&ckWebAuthToken=\($0)" } ?? "")
  }

  func request(_ operation: String, _ body: String) -> TransportRequest {
    TransportRequest(
      .post, address("/database/1/\(cloud.container)/private/\(operation)"),
      body: .bytes(Array(body.utf8)))
  }

  @discardableResult
  func ask(_ operation: String, _ body: String) async throws -> Answer {
    Answer(try await cloud.transport.send(request(operation, body)))
  }

  /// Saves a record, and returns it.
  @discardableResult
  func save(_ name: String, _ fields: String = "{}", zone: String = "_defaultZone") async throws
    -> [String: Any]
  {
    let record = #"{"recordType":"Note","recordName":"\#(name)","fields":\#(fields)}"#
    let operation = #"{"operationType":"forceUpdate","record":\#(record)}"#
    let answer = try await ask(
      "records/modify", #"{"operations":[\#(operation)],"zoneID":{"zoneName":"\#(zone)"}}"#)
    return try #require(answer.list("records").first, "\(answer)")
  }
}

/// A response of the server in JSON.
struct Answer: CustomStringConvertible {
  let response: TransportResponse
  let object: [String: Any]

  init(_ response: TransportResponse) {
    self.response = response
    object = (try? JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any]) ?? [:]
  }

  var status: Int { response.status }
  /// The server's error code, or nil if there is no error.
  var code: String? { object["serverErrorCode"] as? String }
  func list(_ key: String) -> [[String: Any]] { object[key] as? [[String: Any]] ?? [] }

  var description: String {
    "\(status) \(String(decoding: response.body.prefix(2_000), as: UTF8.self))"
  }
}
