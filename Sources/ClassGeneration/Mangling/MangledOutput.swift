/// The text of a mangled name under construction.
///
/// It records the identifiers and words that later parts can reference, and the last
/// back-reference, with which the next one may be merged.
struct MangledOutput {
  private var text: [UInt8] = Array("$s".utf8)
  private var knownIdentifiers: [String: Int] = [:]
  private var words: [[UInt8]] = []
  private var nextSubstitution = 0
  private var lastReference: Reference?

  /// The finished symbol.
  var symbol: String { String(decoding: text, as: UTF8.self) }

  mutating func append(_ operators: String) { text += operators.utf8 }

  /// Takes the next number for a back-reference.
  mutating func takeSubstitutionIndex() -> Int {
    defer { nextSubstitution += 1 }
    return nextSubstitution
  }

  mutating func appendModule(_ name: String) {
    if name == "Swift" { append("s") } else { appendIdentifier(name) }
  }

  mutating func appendIdentifier(_ identifier: String) {
    if let index = knownIdentifiers[identifier] { return appendSubstitution(index) }
    if identifier.utf8.allSatisfy({ $0 < 0x80 }) {
      appendWithWords(Array(identifier.utf8))
    } else {
      let encoded = Punycode.encode(identifier)
      let separator = encoded.first.map { $0 == "_" || $0.isNumber } == true ? "_" : ""
      append("00\(encoded.utf8.count)\(separator)\(encoded)")
    }
    knownIdentifiers[identifier] = takeSubstitutionIndex()
  }
}

// MARK: - Words

extension MangledOutput {
  /// The maximum number of words to reference: the ABI has 26 letters for them.
  private static let wordLimit = 26

  /// A part of an identifier: new text, or a word that occurred before.
  private enum Piece {
    case text(ArraySlice<UInt8>)
    case word(Int)
  }

  private mutating func appendWithWords(_ identifier: [UInt8]) {
    let pieces = pieces(of: identifier)
    let lastWord = pieces.lastIndex { if case .word = $0 { true } else { false } }
    if lastWord != nil { append("0") }
    for (position, piece) in pieces.enumerated() {
      switch piece {
      case .text(let bytes): text += "\(bytes.count)".utf8 + bytes
      case .word(let index):
        // The last word reference of an identifier is a capital letter. If it ends the identifier,
        // a zero follows.
        text.append(UInt8(ascii: position == lastWord ? "A" : "a") + UInt8(index))
        if position == lastWord, position == pieces.count - 1 { append("0") }
      }
    }
  }

  private mutating func pieces(of identifier: [UInt8]) -> [Piece] {
    var pieces: [Piece] = []
    var textStart = 0
    for range in Self.wordRanges(in: identifier) {
      let word = Array(identifier[range])
      if let index = words.firstIndex(of: word) {
        if textStart < range.lowerBound {
          pieces.append(.text(identifier[textStart..<range.lowerBound]))
        }
        pieces.append(.word(index))
        textStart = range.upperBound
      } else if word.count >= 2, words.count < Self.wordLimit {
        words.append(word)
      }
    }
    if textStart < identifier.count { pieces.append(.text(identifier[textStart...])) }
    return pieces
  }

  /// Returns the ranges of the words in an identifier.
  ///
  /// A word starts at any character but a digit or underscore. It ends before an underscore, before
  /// a capital letter that does not follow a capital letter, or at the end of the identifier.
  private static func wordRanges(in identifier: [UInt8]) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var start: Int?
    for position in 0...identifier.count {
      let byte = position < identifier.count ? identifier[position] : nil
      if let from = start, ends(byte, after: identifier[position - 1]) {
        ranges.append(from..<position)
        start = nil
      }
      if start == nil, let byte, byte != UInt8(ascii: "_"), !isDigit(byte) { start = position }
    }
    return ranges
  }

  private static func ends(_ byte: UInt8?, after previous: UInt8) -> Bool {
    guard let byte, byte != UInt8(ascii: "_") else { return true }
    return isCapital(byte) && !isCapital(previous)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
  private static func isCapital(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
  }
}

// MARK: - Back-references

extension MangledOutput {
  /// The last back-reference.
  ///
  /// Adjacent references are merged: `A2B` references B twice, and `AbC` references B, then C.
  private struct Reference {
    var letter: UInt8
    var isStandard: Bool
    var start: Int
    var end: Int
    var count: Int
  }

  /// The ABI's maximum count of one merged reference.
  private static let repeatLimit = 2048

  mutating func appendSubstitution(_ index: Int) {
    guard index >= 26 else {
      return appendReference(UInt8(ascii: "A") + UInt8(index), prefix: "A", isStandard: false)
    }
    append(index == 26 ? "A_" : "A\(index - 27)_")
  }

  /// Appends a type of the standard library that has its own letter: `S` and the letter.
  mutating func appendStandard(_ letter: Character) {
    guard let byte = letter.asciiValue else { return }
    appendReference(byte, prefix: "S", isStandard: true)
  }

  private mutating func appendReference(_ letter: UInt8, prefix: String, isStandard: Bool) {
    if var last = lastReference, last.end == text.count, last.isStandard == isStandard,
      last.count < Self.repeatLimit
    {
      if last.letter == letter {
        last.count += 1
        text.removeSubrange(last.start...)
        text += "\(last.count)".utf8 + [letter]
        last.end = text.count
        lastReference = last
        return
      }
      if !isStandard {
        text[text.count - 1] += UInt8(ascii: "a") - UInt8(ascii: "A")
        text.append(letter)
        lastReference = Reference(
          letter: letter, isStandard: false, start: text.count - 1, end: text.count, count: 1)
        return
      }
    }
    append(prefix)
    text.append(letter)
    lastReference = Reference(
      letter: letter, isStandard: isStandard, start: text.count - 1, end: text.count, count: 1)
  }
}
