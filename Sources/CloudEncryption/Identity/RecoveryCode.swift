import BinaryCoding
import Cryptography

/// A code that restores a user's keys after all devices were lost: 28 letters and digits.
///
///     K7QF-2M9X-…      26 symbols of random bits, and 2 that detect any two mistakes
///
/// 130 bits cannot be guessed, so the code needs no slow key derivation as passwords do: HKDF
/// suffices. The alphabet is Crockford's base 32: lowercase letters, O for 0, and I and L for 1 are
/// accepted. Spaces and dashes are ignored.
package struct RecoveryCode: Equatable, Sendable {
  static let symbolCount = 26
  static let checkCount = 2

  /// The code's symbols as numbers below 32, without the check symbols.
  private let symbols: SecretBytes

  /// Creates a random code.
  package init(randomBytes: RandomBytes) {
    var symbols = randomBytes(Self.symbolCount).map { $0 & 31 }
    self.symbols = SecretBytes(taking: &symbols)
  }

  /// Parses a typed code.
  package init(_ text: String) throws(EncryptionError) {
    var symbols: [UInt8] = []
    defer { SecretBytes.wipe(&symbols) }
    for character in text where !Self.isSeparator(character) {
      guard let symbol = Self.symbol(of: character) else {
        throw Self.malformed("“\(character)” is not a character of recovery codes")
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

  /// Creates a code from the stored symbols.
  init?(symbols: [UInt8]) {
    guard symbols.count == Self.symbolCount, symbols.allSatisfy({ $0 < 32 }) else { return nil }
    self.symbols = SecretBytes(symbols)
  }

  /// The stored form of the code.
  var stored: [UInt8] { symbols.bytes }

  /// The code as it is shown, in seven groups of four.
  ///
  /// Swift cannot erase texts from memory, so read this only to show it.
  package var text: String {
    let all = symbols.bytes + Self.check(symbols.bytes)
    let groups = stride(from: 0, to: all.count, by: 4).map { start in
      String(decoding: all[start..<start + 4].map { Self.alphabet[Int($0)] }, as: UTF8.self)
    }
    return groups.joined(separator: "-")
  }

  /// The key that is derived from the code, for one account.
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

  /// The two check symbols of a Reed-Solomon code over the field of 32 elements.
  ///
  /// With them, any two codes differ in at least three places.
  private static func check(_ symbols: [UInt8]) -> [UInt8] {
    // With the check symbols a and b at the end, two sums are 0: that of all symbols, and that of
    // each symbol times gⁱ. Here i is the symbol's index, and g is the generator x.
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

  /// Multiplies modulo x⁵ + x² + 1, where x generates all elements except 0.
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

  /// Returns the inverse of an element: its 30th power, in a field of 32 elements.
  private static func inverse(_ value: UInt8) -> UInt8 {
    (0..<30).reduce(1) { result, _ in product(result, value) }
  }
}
