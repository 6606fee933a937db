/// A placeholder of a format string, which takes an argument.
struct Placeholder {
  /// The type of argument that a placeholder takes.
  enum Conversion: Hashable {
    /// `%@`
    case object
    /// `%K`
    case keyPath
    case int8, int16, int32, int64
    case uint8, uint16, uint32, uint64
    /// `%C`: a UTF-16 unit.
    case utf16
    /// `%f`, `%g`, `%e`, `%a`
    case double
    /// `%s`: UTF-8 that ends with a zero byte.
    case cString
    /// `%S`: UTF-16 that ends with a zero unit.
    case utf16String
  }

  let conversion: Conversion
  /// The placeholder's text, for messages.
  let text: String
}

extension Placeholder {
  /// C's length modifiers, longest first, so that `hh` is not read as `h`.
  static let lengthModifiers = ["hh", "ll", "h", "l", "q", "z", "t", "j", "L"]

  /// The placeholder for a length modifier and a conversion letter; nil if it is not supported.
  init?(lengthModifier: String, letter: UInt8) {
    guard let conversion = Self.conversion(lengthModifier, Character(UnicodeScalar(letter))) else {
      return nil
    }
    self.conversion = conversion
    text = "%\(lengthModifier)\(Character(UnicodeScalar(letter)))"
  }

  private static func conversion(_ length: String, _ letter: Character) -> Conversion? {
    switch letter {
    case "@": length.isEmpty ? .object : nil
    case "K": length.isEmpty ? .keyPath : nil
    case "s": length.isEmpty ? .cString : nil
    case "S": length.isEmpty ? .utf16String : nil
    case "c": length.isEmpty ? .int8 : nil
    case "C": length.isEmpty ? .utf16 : nil
    case "f", "F", "e", "E", "g", "G", "a", "A":
      length.isEmpty || length == "l" || length == "L" ? .double : nil
    case "d", "i", "D": signed(length, long: letter == "D")
    case "u", "o", "x", "X", "U", "O": unsigned(length, long: letter == "U" || letter == "O")
    default: nil
    }
  }

  private static func signed(_ length: String, long: Bool) -> Conversion? {
    switch length {
    case "": long ? .int64 : .int32
    case "hh": .int8
    case "h": .int16
    case "l", "ll", "q", "z", "t", "j": .int64
    default: nil
    }
  }

  private static func unsigned(_ length: String, long: Bool) -> Conversion? {
    switch length {
    case "": long ? .uint64 : .uint32
    case "hh": .uint8
    case "h": .uint16
    case "l", "ll", "q", "z", "t", "j": .uint64
    default: nil
    }
  }
}
