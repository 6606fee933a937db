import CloudEncryption
import Cryptography
import EncryptionTestSupport
import Testing

@Suite struct `Safety numbers as QR codes` {
  private static let digits = (0..<60).map { String(($0 * 7 + 3) % 10) }.joined()

  private func rows(_ code: SafetyCode) -> [String] {
    code.modules.map { String($0.map { $0 ? "1" : "0" }) }
  }

  /// The output of another encoder (segno 1.6): version 2, correction M, numeric, mask 2.
  private static let expected = """
    1111111000100111101111111
    1000001000010100101000001
    1011101011001101001011101
    1011101010001110101011101
    1011101010011001001011101
    1000001011011011101000001
    1111111010101010101111111
    0000000011000111000000000
    1011111001110011001111100
    1111010100111010011001101
    0110111010100010001111100
    1000010101011011000001000
    0101011000001100000000011
    1101000001101110101111010
    1001101010001011100110001
    1000100001101000010001110
    1010011101001101111110001
    0000000011101010100010111
    1111111000001000101010001
    1000001010111011100011110
    1011101011011101111111110
    1011101010000100000100101
    1011101010100001011101101
    1000001000101101111100011
    1111111011110101101110001
    """

  @Test func `A code equals another encoder's`() throws {
    let code = try #require(SafetyCode(Self.digits))
    #expect(code.mask == 2)
    #expect(rows(code).joined(separator: "\n") == Self.expected)
    #expect(SafetyCode("30741 852963" + Self.digits.dropFirst(11)) == code)
  }

  @Test func `Only sixty digits have a code`() {
    for text in ["", "1", String(Self.digits.dropLast()), Self.digits + "1"] {
      #expect(SafetyCode(text) == nil)
    }
  }

  @Test func `The text has two rows in each line, and a margin`() throws {
    let lines = try #require(SafetyCode(Self.digits)).text.split(separator: "\n")
    #expect(lines.count == 15 && lines.allSatisfy { $0.count == 29 })
    #expect(lines.first?.allSatisfy { $0 == "█" } == true)
    #expect(lines[1].prefix(9) == "██ ▄▄▄▄▄ ")
  }

  @Test func `The safety number of two users has a code`() {
    let ada = UserKeys(SecretBytes(SecureRandom.bytes(32)), userRecordName: "_ada")
    let bob = UserKeys(SecretBytes(SecureRandom.bytes(32)), userRecordName: "_bob")
    #expect(SafetyCode(SafetyNumber.text(of: ada.identity, and: bob.identity)) != nil)
  }
}
