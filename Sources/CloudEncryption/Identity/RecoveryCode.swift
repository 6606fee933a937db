import BinaryCoding
import Cryptography

/// What a user keeps on paper to read everything again when all devices are gone: 28 letters and
/// digits.
///
///     K7QF-2M9X-…      26 of them are 130 random bits; the last two let every mistake in one or two places be noticed
///
/// Nobody can guess 130 bits, so a fast derivation is enough (HKDF); slow ones are for secrets that
/// people think of. Letters are those of Crockford's base 32: small ones are taken for large ones,
/// O for 0, I and L for 1, and blanks and dashes do not count.
package struct RecoveryCode: Sendable {
  static let symbolCount = 26
  static let checkCount = 2

  /// The code's symbols, as numbers below 32, without those that check.
  private let symbols: SecretBytes

  /// Makes a code.
  package init(randomBytes: RandomBytes) {
    var symbols = randomBytes(Self.symbolCount).map { $0 & 31 }
    self.symbols = SecretBytes(taking: &symbols)
  }

  /// Reads a code as a person typed it.
  package init(_ text: String) throws(EncryptionError) {
    var symbols: [UInt8] = []
    defer { SecretBytes.wipe(&symbols) }
    for character in text where !Self.isSeparator(character) {
      guard let symbol = Self.symbol(of: character) else {
        throw Self.malformed("“\(character)” is in no recovery code")
      }
      symbols.append(symbol)
    }
    let expected = Self.symbolCount + Self.checkCount
    guard symbols.count == expected else {
      throw Self.malformed("it has \(symbols.count) letters and digits instead of \(expected)")
    }
    guard
      Self.check(Array(symbols.prefix(Self.symbolCount))) == Array(symbols.suffix(Self.checkCount))
    else {
      throw Self.malformed("a letter or digit of it is wrong")
    }
    var taken = Array(symbols.prefix(Self.symbolCount))
    self.symbols = SecretBytes(taking: &taken)
  }

  /// A code that a device keeps.
  init?(symbols: [UInt8]) {
    guard symbols.count == Self.symbolCount, symbols.allSatisfy({ $0 < 32 }) else { return nil }
    self.symbols = SecretBytes(symbols)
  }

  /// What a device keeps of the code.
  var stored: [UInt8] { symbols.bytes }

  /// The code as it is shown, in seven groups of four.
  ///
  /// Texts cannot be wiped: take it when it is shown, and do not keep it.
  package var text: String {
    let all = symbols.bytes + Self.check(symbols.bytes)
    let groups = stride(from: 0, to: all.count, by: 4).map { start in
      String(decoding: all[start..<start + 4].map { Self.alphabet[Int($0)] }, as: UTF8.self)
    }
    return groups.joined(separator: "-")
  }

  /// The key that the code stands for, in one account.
  func key(for account: EncryptionAccount) -> SecretBytes {
    var form = BinaryWriter(purpose: "parhelion.recovery.1")
    form.account(account)
    return KeyDerivation.derive(from: symbols, purpose: form.bytes)
  }

  private static func malformed(_ reason: String) -> EncryptionError {
    EncryptionError(
      .malformedRecoveryCode,
      "This is not a recovery code: \(reason). Compare it with what was written down.")
  }
}

extension RecoveryCode: CustomStringConvertible, CustomReflectable {
  package var description: String { "a recovery code" }
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}

// MARK: - Symbols

extension RecoveryCode {
  private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

  private static func isSeparator(_ character: Character) -> Bool {
    character.isWhitespace || "-–—_.·".contains(character)
  }

  private static func symbol(of character: Character) -> UInt8? {
    guard let ascii = character.asciiValue else { return nil }
    switch ascii & 0xDF {
    case UInt8(ascii: "O"): return 0
    case UInt8(ascii: "I"), UInt8(ascii: "L"): return 1
    default:
      let capital = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(ascii) ? ascii & 0xDF : ascii
      return alphabet.firstIndex(of: capital).map { UInt8($0) }
    }
  }

  /// The two symbols of a Reed-Solomon code over the field of 32 elements: with them, two codes
  /// differ in three places at least.
  private static func check(_ symbols: [UInt8]) -> [UInt8] {
    // With the check symbols a and b behind the others: the sum of all is 0, and so is that of each
    // times a power of the generator.
    var (sum, weighted): (UInt8, UInt8) = (0, 0)
    for (place, symbol) in symbols.enumerated() {
      sum ^= symbol
      weighted ^= product(symbol, power(place))
    }
    // a + b = sum; a·g²⁶ + b·g²⁷ = weighted.
    let (first, second) = (power(symbolCount), power(symbolCount + 1))
    let b = product(weighted ^ product(sum, first), inverse(first ^ second))
    return [sum ^ b, b]
  }

  /// Products modulo x⁵ + x² + 1, for which x generates all elements but 0.
  private static func product(_ one: UInt8, _ other: UInt8) -> UInt8 {
    var (result, shifted): (UInt8, UInt8) = (0, one)
    for bit in 0..<5 {
      if other >> UInt8(bit) & 1 == 1 { result ^= shifted }
      shifted <<= 1
      if shifted & 32 != 0 { shifted ^= 0b100101 }
    }
    return result
  }

  private static func power(_ exponent: Int) -> UInt8 {
    (0..<exponent).reduce(1) { value, _ in product(value, 2) }
  }

  /// In a field of 32 elements, x³⁰ is the inverse of x.
  private static func inverse(_ value: UInt8) -> UInt8 {
    (0..<30).reduce(1) { result, _ in product(result, value) }
  }
}
