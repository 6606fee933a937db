import CloudRecords
import CloudWire
import Testing

/// Records as clients send them.
@Suite struct `Records in requests` {
  private func fields(_ json: String) throws -> [RecordInput.NamedField] {
    let body = #"{"operations":[{"operationType":"create","record":{"fields":\#(json)}}]}"#
    return try RecordsModifyRequest(body: Array(body.utf8)).operations[0].record.fields
  }

  private static let places: [(String, FieldInput.Content)] = [
    (#"{"value":"aGk="}"#, .inferred(.string("aGk="))),
    (#"{"value":"aGk=","type":"STRING"}"#, .stated(.string("aGk="))),
    (#"{"value":"aGk=","type":"BYTES"}"#, .stated(.bytes([0x68, 0x69]))),
    (#"{"type":"BYTES","value":"aGk="}"#, .stated(.bytes([0x68, 0x69]))),
    (#"{"value":"aGk=","type":"ENCRYPTED_BYTES"}"#, .stated(.bytes([0x68, 0x69]))),
    (#"{"value":"12","type":"INT64"}"#, .stated(.int64(12))),
    (#"{"value":"12","type":"TIMESTAMP"}"#, .stated(.timestamp(Timestamp(milliseconds: 12)))),
    (#"{"value":"a\"b","type":"UNKNOWN_LIST"}"#, .inferred(.string("a\"b"))),
    (#"{"value":12,"type":"DOUBLE"}"#, .stated(.double(12))),
    (#"{"value":["a"],"type":"STRING_LIST"}"#, .stated(.list(of: .string, [.string("a")]))),
    (#"{"value":null,"type":"STRING"}"#, .clear), (#"{"type":"STRING"}"#, .clear),
  ]

  @Test(arguments: places)
  func `A value may precede or follow its type`(
    json: String, content: FieldInput.Content
  ) throws {
    #expect(try fields(#"{"f":\#(json)}"#).map(\.field.content) == [content])
  }

  @Test(arguments: [
    (
      #"{"value":"a","type":"INT64"}"#,
      "expected a number in the string at operations[0].record.fields.f.value (byte 74)."
    ),
    (
      #"{"value":"a b","type":"BYTES"}"#,
      "expected bytes as base64 at operations[0].record.fields.f.value (byte 74)."
    ),
    (
      #"{"value":"a","type":"X"}"#,
      "Unexpected input: there is no type X at operations[0].record.fields.f.value (byte 74)."
    ),
  ])
  func `A text that contradicts its type is rejected`(json: String, reason: String) {
    let error = #expect(throws: CloudError.self) { try fields(#"{"f":\#(json)}"#) }
    #expect(error?.code == .badRequest)
    #expect(error?.reason == "The request's body cannot be read: \(reason)")
  }

  @Test(arguments: [1, 2, 15, 16, 17, 40])
  func `A field occurs once, among any number of fields`(count: Int) throws {
    let names = (0..<count).map { "f\($0)" }
    func json(_ names: [String]) -> String {
      "{" + names.map { #""\#($0)":1"# }.joined(separator: ",") + "}"
    }
    #expect(try fields(json(names)).map(\.name) == names)
    for again in [names[0], names[count - 1]] {
      let error = #expect(throws: CloudError.self) { try fields(json(names + [again])) }
      #expect(error?.code == .badRequest)
      #expect(error?.reason.contains("appears twice") == true, "\(error?.reason ?? "")")
    }
  }

  @Test func `A file's size is a number, not a text`() throws {
    #expect(throws: CloudError.self) {
      try fields(#"{"f":{"value":{"fileChecksum":"c","size":"3"},"type":"ASSETID"}}"#)
    }
    #expect(
      try fields(#"{"f":{"value":{"fileChecksum":"c","size":3},"type":"ASSETID"}}"#).count == 1)
  }
}
