import Cryptography
import Testing

/// The vectors are those of RFC 4231.
@Suite struct MessageAuthenticationCodeTests {
  struct Vector: Sendable {
    let key: [UInt8]
    let message: [UInt8]
    let hexadecimal: String
  }

  static let vectors = [
    Vector(
      key: Array(repeating: 0x0B, count: 20), message: Array("Hi There".utf8),
      hexadecimal: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
    Vector(
      key: Array("Jefe".utf8), message: Array("what do ya want for nothing?".utf8),
      hexadecimal: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
    Vector(
      key: Array(repeating: 0xAA, count: 20), message: Array(repeating: 0xDD, count: 50),
      hexadecimal: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
    Vector(
      key: Array(repeating: 0xAA, count: 131),
      message: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
      hexadecimal: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
  ]

  @Test(arguments: vectors)
  func `Published test vectors match`(vector: Vector) {
    #expect(
      hexadecimal(MessageAuthenticationCode.make(of: vector.message, key: vector.key))
        == vector.hexadecimal)
  }

  @Test func `An empty message and an empty key have a code`() {
    #expect(
      hexadecimal(MessageAuthenticationCode.make(of: [], key: []))
        == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
  }
}

func hexadecimal(_ bytes: [UInt8]) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
