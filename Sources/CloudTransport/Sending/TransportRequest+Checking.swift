extension TransportRequest {
  /// The maximum length of an address.
  ///
  /// Servers accept far less.
  private static let longestAddress = 64 << 10

  /// The reason why the request cannot be sent, or nil.
  package var error: TransportError? { addressError ?? fieldError }

  /// The host and port.
  ///
  /// The rest of an address is not shown because it may contain tokens.
  package var host: String {
    guard let start = address.firstRange(of: "://")?.upperBound else { return shown }
    let authority = address[start...].prefix { !"/?#".contains($0) }
    return String(
      (authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority)
        .prefix(80))
  }

  private var shown: String { String(address.prefix { !"?#".contains($0) }.prefix(80)) }

  private var addressError: TransportError? {
    guard address.begins(with: "http://") || address.begins(with: "https://") else {
      return TransportError(.address, "“\(shown)” does not begin with https:// or http://.")
    }
    guard address.utf8.count <= Self.longestAddress else {
      return TransportError(
        .address,
        "The address at \(host) has more than \(Self.longestAddress) bytes. Send less in it.")
    }
    guard address.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      return TransportError(
        .address,
        "The address at \(host) has characters that addresses must not have. Percent-encode them.")
    }
    return nil
  }

  /// The error of the first header field with a forbidden character, such as a line break.
  private var fieldError: TransportError? {
    let wrong = headers.first { field in
      !Self.isName(field.name) || field.value.utf8.contains { $0 < 0x20 && $0 != 9 || $0 == 0x7F }
    }
    return wrong.map { field in
      TransportError(
        .address,
        "The field “\(field.name.prefix(80))” has a name or a value with characters that header fields must not have."
      )
    }
  }

  private static let isInNames = (UInt8(0)..<0x80).map {
    $0 > 0x20 && !"\"(),/:;<=>?@[\\]{}".utf8.contains($0)
  }

  private static func isName(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.allSatisfy { $0 < 0x7F && isInNames[Int($0)] }
  }
}

extension String {
  /// Whether the text begins with a lowercase text, ignoring case.
  fileprivate func begins(with text: StaticString) -> Bool {
    var own = utf8.makeIterator()
    return text.withUTF8Buffer { expected in
      unsafe expected.allSatisfy { byte in
        guard let next = own.next() else { return false }
        return next == byte
          || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(next) && next | 0x20 == byte
      }
    }
  }
}
