/// The end of a string literal: one quote or three, then `numberSigns` number signs.
struct StringDelimiter {
  let numberSigns: Int
  let isMultiline: Bool

  var quotes: Int { isMultiline ? 3 : 1 }
}

extension SourceScanner {
  /// Starts a string literal at its first quote or number sign.
  mutating func beginLiteral(numberSigns: Int) throws(ScanFailure) {
    guard frames.count < Limits.interpolationDepth else {
      throw ScanFailure(
        offset: position,
        message: "strings are nested deeper than \(Limits.interpolationDepth) interpolations")
    }
    let firstQuote = position + numberSigns
    let delimiter = StringDelimiter(
      numberSigns: numberSigns,
      isMultiline: isMultilineOpening(firstQuote, numberSigns: numberSigns))
    frames.append(.literal(delimiter, start: position))
    emit(.string, upTo: firstQuote + delimiter.quotes)
  }

  /// Scans to the end of the literal or to its next interpolation.
  ///
  /// The opening quotes are a separate token.
  mutating func scanLiteralPart(_ delimiter: StringDelimiter, start: Int) throws(ScanFailure) {
    var end = position
    while let next = byte(at: end) {
      if next == UInt8(ascii: "\""), closes(delimiter, at: end) {
        emit(.string, upTo: end + delimiter.quotes + delimiter.numberSigns)
        frames.removeLast()
        return
      }
      if next.isLineEnd && !delimiter.isMultiline { break }
      if next == UInt8(ascii: "\\"), hasNumberSigns(delimiter.numberSigns, at: end + 1) {
        let escaped = end + 1 + delimiter.numberSigns
        if byte(at: escaped) == UInt8(ascii: "(") {
          return beginInterpolation(at: escaped, of: end)
        }
        // The escaped character may be a quote or a backslash, but not the end of the line.
        end = byte(at: escaped).map { $0.isLineEnd ? escaped : escaped + 1 } ?? escaped
      } else {
        end += 1
      }
    }
    throw ScanFailure(offset: start, message: "this string literal is not closed")
  }

  private mutating func beginInterpolation(at parenthesis: Int, of backslash: Int) {
    emit(.string, upTo: parenthesis)
    frames.append(.interpolation(brackets: 1, start: backslash))
    emit(.punctuation, spelling: "(", upTo: parenthesis + 1)
  }

  private func closes(_ delimiter: StringDelimiter, at quote: Int) -> Bool {
    for offset in 0..<delimiter.quotes where byte(at: quote + offset) != UInt8(ascii: "\"") {
      return false
    }
    return hasNumberSigns(delimiter.numberSigns, at: quote + delimiter.quotes)
  }

  private func hasNumberSigns(_ count: Int, at offset: Int) -> Bool {
    (0..<count).allSatisfy { byte(at: offset + $0) == UInt8(ascii: "#") }
  }

  /// Whether three quotes open a multi-line literal.
  ///
  /// In `#"""#` and the like they do not, because the literal closes on the same line.
  private func isMultilineOpening(_ quote: Int, numberSigns: Int) -> Bool {
    guard byte(at: quote + 1) == UInt8(ascii: "\""), byte(at: quote + 2) == UInt8(ascii: "\"")
    else { return false }
    guard numberSigns > 0 else { return true }
    let single = StringDelimiter(numberSigns: numberSigns, isMultiline: false)
    var offset = quote + 1
    while let next = byte(at: offset), !next.isLineEnd {
      if next == UInt8(ascii: "\""), closes(single, at: offset) { return false }
      offset += 1
    }
    return true
  }

  // MARK: - Regular expressions

  /// Scans `#/…/#`, which may span lines.
  mutating func scanExtendedPattern(numberSigns: Int) throws(ScanFailure) {
    var end = position + numberSigns + 1
    while let next = byte(at: end) {
      if next == UInt8(ascii: "\\") {
        end += 2
      } else if next == UInt8(ascii: "/"), hasNumberSigns(numberSigns, at: end + 1) {
        emit(.regularExpression, upTo: end + 1 + numberSigns)
        return
      } else {
        end += 1
      }
    }
    throw ScanFailure(offset: position, message: "this regular expression literal is not closed")
  }

  /// The end of the regular expression that starts at the slash; nil if the slash is an operator.
  ///
  /// As in the compiler, a slash starts an expression only if a value may begin there and no space
  /// follows. Another slash must close it on the same line, outside of a character class and not
  /// after a space.
  func patternEnd() -> Int? {
    guard mayBeginValue, let first = byte(at: position + 1), !first.isBlank else { return nil }
    var end = position + 1
    var isInClass = false
    var groups = 0
    while let next = byte(at: end), !next.isLineEnd {
      switch next {
      case UInt8(ascii: "\\"): end += 1
      case UInt8(ascii: "["): isInClass = true
      case UInt8(ascii: "]"): isInClass = false
      case UInt8(ascii: "(") where !isInClass: groups += 1
      case UInt8(ascii: ")") where !isInClass:
        groups -= 1
        if groups < 0 { return nil }
      case UInt8(ascii: "/") where !isInClass:
        return byte(at: end - 1)?.isBlank == true ? nil : end + 1
      default: break
      }
      end += 1
    }
    return nil
  }

  /// Whether a value may follow the previous token, so that a slash is not a division.
  private var mayBeginValue: Bool {
    guard let last = tokens.last else { return true }
    switch last.kind {
    case .word: return !last.isQuoted && Self.wordsBeforeValues.contains(last.spelling)
    case .punctuation: return ![")", "]", "}", "!", "?"].contains(last.spelling) || startsLine
    case .directive, .number, .string, .regularExpression:
      return startsLine && last.kind != .directive
    }
  }

  private static let wordsBeforeValues: Set<String> = [
    "return", "throw", "in", "case", "where", "if", "guard", "while", "switch", "try", "await",
    "else", "yield", "is",
  ]
}
