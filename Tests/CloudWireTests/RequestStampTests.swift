import CloudRecords
import CloudWire
import Testing

@Suite("Request stamps")
struct RequestStampTests {
  @Test func `Stamps are read as they are written`() throws {
    let stamp = RequestStamp(client: "3F2504E0-4F89-41D3-9A0C-0305E82C3301", number: 17, oldest: 16)
    #expect(stamp.text == "3F2504E0-4F89-41D3-9A0C-0305E82C3301 17 16")
    #expect(try RequestStamp(stamp.text) == stamp)
    let last = RequestStamp(client: "a", number: .max, oldest: 1)
    #expect(try RequestStamp(last.text) == last)
  }

  @Test(arguments: [
    "", "a", "a 1", "a 1 1 1", " 1 1", "a 0 0", "a 1 0", "a 1 2", "a -1 1", "a 1  1",
    "a 18446744073709551616 1",
    "a x 1", String(repeating: "a", count: 65) + " 1 1",
  ])
  func `Invalid stamps are rejected`(_ text: String) {
    let error = #expect(throws: CloudError.self) { try RequestStamp(text) }
    #expect(error?.code == .badRequest)
  }
}
