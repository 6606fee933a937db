import Foundation
import JSONCoding
import TestSupport
import Testing

@Suite struct `Bytes as base64` {
  @Test func `Bytes of every length are written as Foundation writes them and read back`() throws {
    var random = SeededGenerator.forTest()
    for count in 0..<200 {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      let text = Data(bytes).base64EncodedString()
      #expect(written { $0.base64(bytes.span) } == "\"\(text)\"", "\(random)")
      #expect(try decode(text) == bytes, "\(random)")
      #expect(try decode(text.replacing("=", with: "")) == bytes, "\(random)")
      #expect(try decode(text.replacing("/", with: "\\/")) == bytes, "\(random)")
    }
  }

  static let refused = [
    "A", "AAAAA", "AA=", "AAA==", "A===", "=", "==", "====", "AAAA=", "AAAA====", "AA=A", "A=AA",
    "=AAA", "AA==AAAA",
    "AA AA",
    "AAAA ", " AAAA", "AA-_", "AA_A", "AB==", "AB", "AAB=", "AAB", "AA*A", "éAA", "AAAAé", "AAA\\n",
    "AA\\u0000A",
    "AAAAA===",
    "////=", "AAAAAAA*", "*AAAAAAA",
  ]

  @Test(arguments: refused)
  func `Only the standard alphabet, with complete padding or none, is accepted`(
    text: String
  ) {
    let error = #expect(throws: JSONError.self) { try decode(text) }
    #expect(error?.code == .invalidValue)
  }

  @Test func `Every byte that is not a digit is refused at every place`() {
    let digits = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    for byte in UInt8(0x20)...0x7E
    where !digits.contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") {
      for place in 0..<8 {
        var text = Array("AAAAAAAA".utf8)
        text[place] = byte
        guard byte != UInt8(ascii: "=") || place != 7 else { continue }
        #expect(throws: JSONError.self) { try decode(String(decoding: text, as: UTF8.self)) }
      }
    }
  }

  private func decode(_ text: String) throws(JSONError) -> [UInt8] {
    try read("\"\(text)\"") { reader throws(JSONError) in try reader.base64() }
  }
}
