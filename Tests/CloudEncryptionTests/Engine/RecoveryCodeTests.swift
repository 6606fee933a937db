import CloudEncryption
import Cryptography
import EncryptionTestSupport
import TestSupport
import Testing

@Suite struct `Recovery codes` {
  private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

  private func make(_ generator: inout SeededGenerator) -> RecoveryCode {
    let bytes = (0..<26).map { _ in UInt8.random(in: 0...255, using: &generator) }
    return RecoveryCode { _ in bytes }
  }

  @Test func `A code has seven groups of four and is read as it is written`() throws {
    var generator = SeededGenerator.forTest()
    for _ in 0..<50 {
      let text = make(&generator).text
      #expect(text.split(separator: "-").map(\.count) == [4, 4, 4, 4, 4, 4, 4], "\(generator)")
      #expect(try RecoveryCode(text).text == text, "\(generator)")
    }
  }

  @Test func `Common mistakes in writing and typing are corrected`() throws {
    let code = RecoveryCode { _ in Array(0..<26) }
    #expect(code.text.hasPrefix("0123-4567-89AB-CDEF-GHJK-MNPQ-RS"))
    let typed = [
      code.text.lowercased(), code.text.replacing("-", with: ""),
      code.text.replacing("-", with: " "),
      " \(code.text)\n", code.text.replacing("0", with: "O").replacing("1", with: "l"),
      code.text.replacing("0", with: "o").replacing("1", with: "I").replacing("-", with: "–"),
    ]
    for text in typed { #expect(try RecoveryCode(text).text == code.text, "\(text)") }
  }

  @Test func `No error in one or two places goes unnoticed`() {
    var generator = SeededGenerator.forTest()
    let symbols = Array(make(&generator).text.filter { $0 != "-" })
    func passes(_ symbols: [Character]) -> Bool {
      refusal { _ = try RecoveryCode(String(symbols)) } == nil
    }
    #expect(passes(symbols))
    for place in symbols.indices {
      for symbol in Self.alphabet where symbol != symbols[place] {
        var one = symbols
        one[place] = symbol
        #expect(!passes(one), "\(generator) \(place) \(symbol)")
        let other = Int.random(in: symbols.indices, using: &generator)
        guard other != place else { continue }
        one[other] =
          Self.alphabet.filter { $0 != symbols[other] }.randomElement(using: &generator) ?? "0"
        #expect(!passes(one), "\(generator) \(place) \(symbol) \(other)")
      }
      if place > 0, symbols[place] != symbols[place - 1] {
        var swapped = symbols
        swapped.swapAt(place, place - 1)
        #expect(!passes(swapped), "\(generator) \(place)")
      }
      #expect(!passes(Array(symbols[..<place] + symbols[(place + 1)...])))
    }
  }

  @Test(arguments: [
    "", "K7QF", "U000-0000-0000-0000-0000-0000-0000", "é", "0000-0000-0000-0000-0000-0000-0000-0",
  ])
  func `Invalid codes are rejected`(text: String) {
    #expect(refusal { _ = try RecoveryCode(text) } == "malformedRecoveryCode")
  }

  @Test func `Codes are never printed by accident`() {
    let code = RecoveryCode { _ in Array(0..<26) }
    #expect("\(code)" == "a recovery code")
    #expect(Mirror(reflecting: code).children.isEmpty)
  }
}
