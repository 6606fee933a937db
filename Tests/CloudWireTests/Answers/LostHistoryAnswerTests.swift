import CloudRecords
import CloudWire
import JSONCoding
import Testing

@Suite struct `Lost history in errors` {
  @Test(arguments: [nil, 3] as [UInt64?])
  func `The lost history survives encoding and decoding`(readThrough: UInt64?) throws {
    var error = CloudError(.badRequest, "Read again.", extension: .changeTokenExpired)
    error.lostHistory = LostHistory(
      lost: [.init(after: 3, through: 1 << 40), .init(after: 1 << 40 + 7, through: nil)],
      readThrough: readThrough)
    let sent = ErrorResponse(error: error, requestIdentifier: "r")
    var writer = JSONWriter()
    sent.write(to: &writer)
    let body = writer.array()
    let member = #""restoration":{"lost":[{"after":"3","through":"e13wu1og"},{"after":"e13wu1on"}]"#
    #expect(
      String(decoding: body, as: UTF8.self).contains(
        member + (readThrough == nil ? "}" : #","readThrough":"3"}"#)))
    #expect(try ErrorResponse(answer: body) == sent)
  }

  @Test(arguments: [
    "3", #"{"lost":[{"through":"3"}]}"#, #"{"lost":[{"after":"!"}]}"#, #"{"readThrough":3}"#,
  ])
  func `An unreadable lost history is ignored`(member: String) throws {
    let body = #"{"serverErrorCode":"BAD_REQUEST","reason":"Old.","restoration":\#(member)}"#
    #expect(try ErrorResponse(answer: Array(body.utf8)).error == CloudError(.badRequest, "Old."))
  }
}
