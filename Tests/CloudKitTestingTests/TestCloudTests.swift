import CloudKitTesting
import CloudTransport
import Foundation
import TestSupport
import Testing

@Suite("Test clouds")
struct TestCloudTests {
  @Test func `A cloud is freed with its last reference`() async throws {
    var device: TestDevice? = try await TestCloud().signIn("ada")
    let folder = try #require(device).cloud.filesFolder
    weak let cloud = try #require(device).cloud
    #expect(FileManager.default.fileExists(atPath: folder))
    device = nil
    #expect(cloud == nil && !FileManager.default.fileExists(atPath: folder))
  }

  @Test func `A cloud has users with records, through the real server`() async throws {
    let cloud = try await TestCloud()
    let (ada, grace) = (try await cloud.signIn("ada"), try await cloud.signIn("grace"))
    #expect(ada.userRecordName != grace.userRecordName)
    #expect(try await cloud.signIn("ada").userRecordName == ada.userRecordName)
    let saved = try await ada.ask(
      "private", "records/modify",
      #"{"operations":[{"operationType":"create","record":{"recordType":"Note","recordName":"a","fields":{"n":{"value":7}}}}]}"#
    )
    #expect(saved.status == 200 && saved.text.contains(#""recordName":"a""#), "\(saved.text)")
    let look = #"{"records":[{"recordName":"a"}]}"#
    #expect(
      try await ada.ask("private", "records/lookup", look).text.contains(
        "\"created\":{\"timestamp\":1767225600000"))
    #expect(try await grace.ask("private", "records/lookup", look).text.contains("NOT_FOUND"))
    #expect(try await cloud.device().ask("private", "records/lookup", look).status == 421)
    #expect(cloud.serverErrors == [])
    await cloud.end()
  }
}

extension TestDevice {
  /// Sends a request to a database as documented by the protocol.
  func ask(_ database: String, _ operation: String, _ body: String) async throws
    -> TransportResponse
  {
    let tokens =
      "ckAPIToken=\(cloud.apiToken)" + (webAuthToken.map { "&ckWebAuthToken=\($0)" } ?? "")
    let address =
      "\(cloud.address)/database/1/\(cloud.container)/development/\(database)/\(operation)?\(tokens)"
    return try await transport.send(
      TransportRequest(.post, address, body: .bytes(Array(body.utf8))))
  }
}

extension TransportResponse {
  var text: String { String(decoding: body, as: UTF8.self) }
}
