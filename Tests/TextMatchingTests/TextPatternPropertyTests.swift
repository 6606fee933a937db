import Foundation
import TestSupport
import Testing
import TextMatching

@Suite struct TextPatternPropertyTests {
  static let everyOption: [TextOptions] = (0..<16).map { TextOptions(rawValue: $0) }

  /// Whether a text matches a `LIKE` pattern, by exhaustive search.
  ///
  /// Both sides are already folded.
  private func fits(_ text: ArraySlice<Unicode.Scalar>, _ pattern: ArraySlice<Unicode.Scalar>)
    -> Bool
  {
    guard let first = pattern.first else { return text.isEmpty }
    let rest = pattern.dropFirst()
    switch first {
    case "*":
      return fits(text, rest) || (!text.isEmpty && fits(text.dropFirst(), pattern))
    case "?":
      return !text.isEmpty && fits(text.dropFirst(), rest)
    case "\\":
      return text.first == (rest.first ?? first) && fits(text.dropFirst(), rest.dropFirst())
    default:
      return text.first == first && fits(text.dropFirst(), rest)
    }
  }

  @Test func `LIKE agrees with an exhaustive search`() throws {
    var generator = SeededGenerator.forTest()
    for _ in 0..<5_000 {
      let text = generator.narrowText(maximumLength: 12)
      let pattern = generator.pieces(of: ["a", "b", "é", "*", "*", "?", "\\"], maximumLength: 8)
      let expected = fits(Array(text.unicodeScalars)[...], Array(pattern.unicodeScalars)[...])
      #expect(
        try TextPattern(.like, pattern).matches(text) == expected,
        "\(generator): \(text) LIKE \(pattern)")
    }
  }

  /// Literals of few letters overlap themselves, and matches often start inside a failed candidate.
  @Test func `LIKE with self-overlapping literals agrees with an exhaustive search`() throws {
    var generator = SeededGenerator.forTest()
    for _ in 0..<20_000 {
      let text = generator.pieces(of: ["a", "a", "b"], maximumLength: 12)
      let literal = { (generator: inout SeededGenerator) in
        generator.pieces(of: ["a", "aa", "aba", "aab", "b", "?"], maximumLength: 4)
      }
      let pattern = "*\(literal(&generator))*\(literal(&generator))*"
      let expected = fits(Array(text.unicodeScalars)[...], Array(pattern.unicodeScalars)[...])
      for options in [TextOptions(), .caseInsensitive] {
        #expect(
          try TextPattern(.like, pattern, options: options).matches(text) == expected,
          "\(generator): \(text) LIKE \(pattern)")
      }
    }
  }

  @Test func `CONTAINS agrees with a comparison at every position`() throws {
    var generator = SeededGenerator.forTest()
    for _ in 0..<5_000 {
      // Repeated pieces make patterns whose prefixes occur again inside them.
      let pattern = generator.pieces(of: ["a", "aab", "aabaaa", "b"], maximumLength: 5)
      let text =
        generator.pieces(of: ["a", "aab", "aabaaa", "b"], maximumLength: 6)
        + (Bool.random(using: &generator) ? pattern : "")
        + generator.pieces(of: ["a", "b"], maximumLength: 4)
      let expected = !pattern.isEmpty && text.indices.contains { text[$0...].hasPrefix(pattern) }
      #expect(
        try TextPattern(.contains, pattern).matches(text) == expected,
        "\(generator): \(text) CONTAINS \(pattern)")
    }
  }

  @Test(arguments: everyOption)
  func `A text equals, begins with, ends with, contains and is like itself`(_ options: TextOptions)
    throws
  {
    var generator = SeededGenerator.forTest()
    let locale = Locale(identifier: "tr_TR")
    for _ in 0..<500 {
      let (head, middle, tail) = (
        "x\(generator.text())", "x\(generator.text())x", "x\(generator.text())x"
      )
      let text = head + middle + tail
      let escaped = NSRegularExpression.escapedPattern(for: text)
      let wildcards = text.unicodeScalars.map {
        "\\*?".unicodeScalars.contains($0) ? "\\\($0)" : "\($0)"
      }.joined()
      for (`operator`, pattern) in [
        (TextOperator.equal, text), (.beginsWith, head), (.endsWith, tail), (.contains, middle),
        (.like, wildcards),
        (.like, "*"), (.matches, "(?s).*"),
      ] {
        let prepared = try TextPattern(`operator`, pattern, options: options, locale: locale)
        #expect(
          prepared.matches(text),
          "\(generator): \(text) \(`operator`)[\(options.rawValue)] \(pattern)")
      }
      if !options.contains(.caseInsensitive) || options.contains(.normalized) {
        #expect(
          try TextPattern(.matches, escaped, options: options).matches(text),
          "\(generator): \(text)")
      }
    }
  }

  @Test(arguments: everyOption)
  func `Canonically equivalent texts are equal under any folding`(
    _ options: TextOptions
  ) throws {
    var generator = SeededGenerator.forTest()
    let folds = !TextFolding(options).isIdentity
    for _ in 0..<500 {
      let text = generator.text()
      let other = text.decomposedStringWithCanonicalMapping
      let isSame = Array(text.utf8) == Array(other.utf8)
      #expect(
        try TextPattern(.equal, text, options: options).matches(other) == (folds || isSame),
        "\(generator): \(text.debugDescription)")
    }
  }

  @Test(arguments: everyOption)
  func `The fast path for ASCII agrees with the general one`(_ options: TextOptions) throws {
    var generator = SeededGenerator.forTest()
    let ascii = (0..<128).map { String(Unicode.Scalar(UInt8($0))) }
    var compareOptions: String.CompareOptions = []
    if options.contains(.caseInsensitive) { compareOptions.insert(.caseInsensitive) }
    if options.contains(.diacriticInsensitive) { compareOptions.insert(.diacriticInsensitive) }
    if options.contains(.normalized) { compareOptions = [] }
    for name in ["en_US", "tr_TR", "az_AZ", "lt_LT"] {
      let locale = Locale(identifier: name)
      let foldingLocale = options.contains(.localeSensitive) ? locale : nil
      func foldedByFoundation(_ text: String) -> String {
        text.folding(options: compareOptions, locale: foldingLocale)
      }
      let random = (0..<200).map { _ in
        (
          generator.pieces(of: ascii, maximumLength: 4),
          generator.pieces(of: ascii, maximumLength: 4)
        )
      }
      for (text, pattern) in [("I", "i"), ("i", "I"), ("IJ", "ij")] + random {
        let expected =
          Array(foldedByFoundation(text).utf8) == Array(foldedByFoundation(pattern).utf8)
        let prepared = try TextPattern(.equal, pattern, options: options, locale: locale)
        let comment = "\(generator), \(name): \(text.debugDescription) \(pattern.debugDescription)"
        #expect(prepared.matches(text) == expected, "\(comment)")
        #expect(prepared.matches(pattern), "\(comment)")
      }
    }
  }

  @Test func `Folding is idempotent`() {
    var generator = SeededGenerator.forTest()
    for options in Self.everyOption {
      let folding = TextFolding(options, locale: Locale(identifier: "en_US"))
      for _ in 0..<500 {
        let folded = folding.fold(generator.text())
        #expect(
          Array(folding.fold(folded).utf8) == Array(folded.utf8),
          "\(generator): \(folded.debugDescription)")
      }
    }
  }

  @Test func `Random bytes are read safely`() throws {
    var generator = SeededGenerator.forTest()
    let patterns = try TextOperator.allCases.flatMap { `operator` in
      try Self.everyOption.map { try TextPattern(`operator`, "a?.*\u{FFFD}", options: $0) }
    }
    for _ in 0..<200 {
      let bytes = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
        UInt8.random(in: .min ... .max, using: &generator)
      }
      for pattern in patterns where !pattern.options.isEmpty && pattern.operator != .matches {
        let expected = pattern.matches(String(decoding: bytes, as: UTF8.self))
        if TextFolding(pattern.options).isIdentity {
          _ = pattern.matches(utf8: bytes.span)
        } else {
          #expect(pattern.matches(utf8: bytes.span) == expected, "\(generator): \(bytes)")
        }
      }
    }
  }

  @Test(arguments: [
    (
      TextOperator.like, String(repeating: "a*", count: 200) + "b",
      String(repeating: "a", count: 100_000)
    ),
    (
      .contains, String(repeating: "a", count: 5_000) + "b",
      String(repeating: "a", count: 1_000_000)
    ),
    (
      .like, "*" + String(repeating: "a", count: 5_000) + "b*",
      String(repeating: "a", count: 1_000_000)
    ),
  ])
  func `A hostile pattern ends in time`(_ operator: TextOperator, _ pattern: String, _ text: String)
    throws
  {
    let prepared = try TextPattern(`operator`, pattern)
    // A new search from every position would take minutes.
    let duration = processorTime { #expect(!prepared.matches(text)) }
    #expect(duration < .seconds(20))
  }
}
