import Foundation

/// The words of a text, as a full-text index sees them.
///
/// They equal those of FTS5's tokenizer `unicode61` with `remove_diacritics 2`, so a search has one
/// meaning with an index and without. A word is a run of letters, numbers and private characters;
/// case and diacritics of Latin letters are folded. The tokenizer knows Unicode 6.1: it takes later
/// characters for letters without case. Words of languages without spaces are not separated.
package enum FullTextTokens {
  /// The words, in order.
  package static func tokens(of text: String) -> [String] {
    var tokens: [String] = []
    var token = ""
    for scalar in text.unicodeScalars {
      if isPart(scalar) {
        append(scalar, to: &token)
      } else if !token.isEmpty, !isDroppedMark(scalar) {
        tokens.append(token)
        token = ""
      }
    }
    if !token.isEmpty { tokens.append(token) }
    return tokens
  }

  private static func append(_ scalar: Unicode.Scalar, to token: inout String) {
    if scalar.isASCII {
      let value = scalar.value
      let isUpper = (0x41...0x5A).contains(value)
      token.unicodeScalars.append(isUpper ? Unicode.Scalar(UInt8(value + 32)) : scalar)
    } else {
      token.unicodeScalars.append(folded(scalar))
    }
  }

  // MARK: Characters

  private static func isPart(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII {
      switch scalar {
      case "0"..."9", "A"..."Z", "a"..."z": return true
      default: return false
      }
    }
    let properties = scalar.properties
    guard isKnown(properties) else { return true }
    switch properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .decimalNumber, .letterNumber, .otherNumber, .privateUse:
      return true
    default: return false
    }
  }

  /// Whether the tokenizer's version of Unicode has the character.
  private static func isKnown(_ properties: Unicode.Scalar.Properties) -> Bool {
    properties.age.map { $0 <= (6, 1) } ?? false
  }

  /// Whether a combining mark inside a word is dropped; any other one ends the word.
  private static func isDroppedMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x300...0x304, 0x306...0x30C, 0x30F, 0x311, 0x31B, 0x323...0x328, 0x32D, 0x32E, 0x330,
      0x331:
      true
    default: false
    }
  }

  // MARK: Folding

  private static func folded(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    guard isKnown(scalar.properties) else { return scalar }
    let lower = lowercased(scalar)
    // Only letters whose base is ASCII lose their diacritics.
    guard let base = String(lower).decomposedStringWithCanonicalMapping.unicodeScalars.first,
      base.isASCII, base != lower
    else { return lower }
    return lowercased(base)
  }

  /// The simple case folding, which has one character for one.
  private static func lowercased(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    if let lower = single(scalar.properties.lowercaseMapping), lower != scalar { return lower }
    // A variant such as ς or ſ folds like the letter that shares its capital; ı does not fold.
    guard scalar != "\u{131}", let upper = single(scalar.properties.uppercaseMapping),
      let lower = single(upper.properties.lowercaseMapping)
    else { return scalar }
    return lower
  }

  private static func single(_ text: String) -> Unicode.Scalar? {
    let scalars = text.unicodeScalars
    return scalars.count == 1 ? scalars.first : nil
  }
}
