import CloudTransport
import Foundation
import Testing

/// Somebody who asks the server in JSON, as its protocol is documented.
struct Client: Sendable {
  let cloud: CloudUnderTest
  let webToken: String?

  /// The address of something at the server, with what proves who asks.
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

/// What the server answered, in JSON.
struct Answer: CustomStringConvertible {
  let response: TransportResponse
  let object: [String: Any]

  init(_ response: TransportResponse) {
    self.response = response
    object = (try? JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any]) ?? [:]
  }

  var status: Int { response.status }
  /// What the server calls the error; nil where it is none.
  var code: String? { object["serverErrorCode"] as? String }
  func list(_ key: String) -> [[String: Any]] { object[key] as? [[String: Any]] ?? [] }

  var description: String {
    "\(status) \(String(decoding: response.body.prefix(2_000), as: UTF8.self))"
  }
}
