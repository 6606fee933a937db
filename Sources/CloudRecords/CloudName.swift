/// The rules for the names that clients choose.
///
/// Names become parts of keys, URLs and logs, so they are short printable ASCII.
package enum CloudName: Sendable {
  case recordName
  case zoneName
  case recordType
  case fieldName
  case subscriptionIdentifier
  case container

  /// Says what is wrong with a name, as the predicate of a sentence about it; nil if it is valid.
  package func defect(in name: String) -> String? {
    let bytes = name.utf8
    if bytes.isEmpty { return "is empty" }
    if bytes.count > Limits.nameBytes { return "is longer than \(Limits.nameBytes) bytes" }
    switch self {
    case .recordType, .fieldName: return identifierDefect(bytes)
    case .container: return containerDefect(bytes)
    case .zoneName:
      if bytes.first == UInt8(ascii: "_"), name != RecordZoneIdentifier.defaultZoneName {
        return "begins with an underscore, which is reserved"
      }
      return printableDefect(bytes)
    case .recordName, .subscriptionIdentifier: return printableDefect(bytes)
    }
  }

  private func printableDefect(_ bytes: String.UTF8View) -> String? {
    bytes.allSatisfy { (0x20..<0x7F).contains($0) }
      ? nil : "has characters other than printable ASCII"
  }

  /// Checks that a type's or field's name is a letter, then letters, digits, underscores and dots.
  private func identifierDefect(_ bytes: String.UTF8View) -> String? {
    guard let first = bytes.first, Self.isLetter(first) else {
      return "does not begin with a letter"
    }
    let allowed = bytes.allSatisfy { byte in
      Self.isLetter(byte) || Self.isDigit(byte) || byte == UInt8(ascii: "_")
        || byte == UInt8(ascii: ".")
    }
    return allowed ? nil : "has characters other than letters, digits, underscores and dots"
  }

  private func containerDefect(_ bytes: String.UTF8View) -> String? {
    guard let first = bytes.first, Self.isLetter(first) else {
      return "does not begin with a letter"
    }
    let allowed = bytes.allSatisfy { byte in
      Self.isLetter(byte) || Self.isDigit(byte) || byte == UInt8(ascii: ".")
        || byte == UInt8(ascii: "-")
        || byte == UInt8(ascii: "_")
    }
    return allowed ? nil : "has characters other than letters, digits, dots, dashes and underscores"
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
