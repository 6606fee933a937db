package import CloudRecords

/// The name of a development user: one word, such as `ada`.
///
/// Its account has the address `ada@development.invalid`, which receives no mail (RFC 2606). So it
/// never collides with a person's account, and development users can invite each other to shares by
/// address.
package struct DevelopmentUserName: Hashable, Sendable {
  /// The word in lowercase.
  package let word: String
  /// The name of the account.
  let account: SignInName

  /// Parses the name of a development user.
  ///
  /// - Throws: `AUTHENTICATION_FAILED` if the text is not one word of letters, digits, dots, dashes
  ///   and underscores.
  package init(_ text: String) throws(CloudError) {
    guard (1...Self.maximumBytes).contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed)
    else {
      throw CloudError(
        .authenticationFailed,
        "A development user is named by one word of at most \(Self.maximumBytes) letters, digits, dots, dashes and underscores, such as ada."
      )
    }
    account = try SignInName("\(text)@\(Self.host)")
    word = String(account.text.dropLast(Self.host.utf8.count + 1))
  }

  /// The host of the addresses.
  package static let host = "development.invalid"

  /// The maximum length of the local part of an address (RFC 5321).
  private static let maximumBytes = 64

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
      UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
