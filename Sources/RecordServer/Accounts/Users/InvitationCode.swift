import Cryptography

/// A code by which one person may make an account: twenty letters and digits that can be read
/// aloud.
///
/// The server keeps its hash alone, and the code has 100 random bits: the hash does not give it
/// away.
struct InvitationCode: Hashable, Sendable {
  /// The digits of Crockford's Base32: none that is taken for another.
  private static let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
  private static let digitCount = 20
  private static let groupDigits = 5

  private let symbols: [UInt8]

  /// - Parameter bytes: As many random bytes as the code has digits; five bits of each count.
  init(bytes: [UInt8]) {
    precondition(
      bytes.count == Self.digitCount, "A code has \(Self.digitCount) digits, not \(bytes.count).")
    symbols = bytes.map { Self.digits[Int($0 & 31)] }
  }

  /// Reads what a person typed, whatever the case and the dashes; nil if it can be no code.
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

  /// The code in four groups, as people are given it.
  var text: String {
    stride(from: 0, to: symbols.count, by: Self.groupDigits)
      .map { String(decoding: symbols[$0..<$0 + Self.groupDigits], as: UTF8.self) }.joined(
        separator: "-")
  }

  var hash: SecretHash { SecretHash(bytes: DigestAlgorithm.sha256.hash(symbols)) }
}
