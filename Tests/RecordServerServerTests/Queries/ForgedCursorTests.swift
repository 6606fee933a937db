import CloudRecords
import CloudWire
import Foundation
import RecordServer
import Testing

/// Clients can compute the checksum in a cursor, so the server bounds the memory that one takes.
@Suite struct `Forged cursors` {
  /// A list of one number, and two numbers for one sort.
  private static let forgeries: [[UInt8]] = [
    [1, 1, 0x30, 34, 1, 0xC0, 2], [2, 1, 0x30, 2, 0xC0, 2, 1, 0x31, 2, 0],
  ]

  @Test(arguments: forgeries)
  func `A cursor with a list or with more values than sorts is rejected`(values: [UInt8])
    async throws
  {
    let ada = try await Cloud().user("_ada")
    for (name, pages) in [("emil", 160), ("emma", 474)] {
      _ = try await ada.put(name, "Book", #""pages":{"value":\#(pages),"type":"INT64"}"#)
    }
    func page(after marker: String? = nil) async throws -> Reply {
      let next = marker.map { #","continuationMarker":"\#($0)""# } ?? ""
      let query = #"{"recordType":"Book","sortBy":[{"fieldName":"pages"}]}"#
      return try await ada.ask(
        .private, .recordsQuery, #"{"query":\#(query),"resultsLimit":1\#(next)}"#)
    }
    let marker = try #require(try await page()["continuationMarker"].text)
    let bytes = try #require(Base64Text.bytes(marker))
    // It ends with the number of values, and each one's name, type and number.
    let own: [UInt8] = [1, 1, 0x30, 2, 0xC0, 2]
    try #require(Array(bytes.suffix(own.count)) == own, "\(bytes)")
    func continued(_ values: [UInt8]) async throws -> Reply {
      let forged = Data(Array(bytes.dropLast(own.count)) + values)
      return try await page(after: forged.base64EncodedString())
    }
    let second = try await continued(own)
    #expect(second["records"][0]["recordName"].text == "emma", "\(second)")
    let reply = try await continued(values)
    #expect(reply.status == 400, "\(reply)")
    #expect(reply["reason"].text?.contains("continuationMarker") == true, "\(reply)")
  }
}
