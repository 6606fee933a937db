import CloudWire
import Foundation
import TestSupport
import Testing

@Suite struct `Base64 outside of JSON` {
  @Test func `The result equals Foundation's and is decoded again`() {
    var random = SeededGenerator.forTest()
    for count in 0..<100 {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      let text = Base64Text.text(bytes)
      #expect(text == Data(bytes).base64EncodedString(), "\(random)")
      #expect(Base64Text.bytes(text) == bytes)
      #expect(Base64Text.bytes(text.replacing("=", with: "")) == bytes)
    }
  }

  @Test(arguments: ["A", "AA=", "AB==", "A===", "====", "A A=", "AA-_", "ÄA==", "AAA=A"])
  func `Invalid text is rejected`(text: String) {
    #expect(Base64Text.bytes(text) == nil)
  }
}
