import Cryptography

/// A code with which one person can create an account: twenty letters and digits that can be read
/// aloud.
///
/// The code has 100 random bits, so the server can store a plain hash of it.
struct InvitationCode: Hashable, Sendable {
  /// The digits of Crockford's Base32, which avoids similar characters.
  private static let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
  private static let digitCount = 20
  private static let groupDigits = 5

  private let symbols: [UInt8]

  /// Creates a code from random bytes.
  ///
  /// - Parameter bytes: As many random bytes as the code has digits; five bits of each are used.
  init(bytes: [UInt8]) {
    precondition(
      bytes.count == Self.digitCount, "A code has \(Self.digitCount) digits, not \(bytes.count).")
    symbols = bytes.map { Self.digits[Int($0 & 31)] }
  }

  /// Parses a typed code; nil if it is invalid.
  ///
  /// Case, dashes and spaces are ignored. The letter O means 0, and I and L mean 1.
  init?(typed: String) {
    var read: [UInt8] = []
    for byte in typed.uppercased().utf8 where byte != UInt8(ascii: "-") && byte != UInt8(ascii: " ")
    {
      let digit: UInt8 =
        switch byte {
        case UInt8(ascii: "O"): UInt8(ascii: "0")
        case UInt8(ascii: "I"), UInt8(ascii: "L"): UInt8(ascii: "1")
        default: byte
        }
      guard read.count < Self.digitCount, Self.digits.contains(digit) else { return nil }
      read.append(digit)
    }
    guard read.count == Self.digitCount else { return nil }
    symbols = read
  }

  static var byteCount: Int { digitCount }

  /// The code in four groups, for people.
  var text: String {
    stride(from: 0, to: symbols.count, by: Self.groupDigits)
      .map { String(decoding: symbols[$0..<$0 + Self.groupDigits], as: UTF8.self) }.joined(
        separator: "-")
  }

  var hash: SecretHash { SecretHash(bytes: DigestAlgorithm.sha256.hash(symbols)) }
}
