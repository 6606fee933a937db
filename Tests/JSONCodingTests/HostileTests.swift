import Foundation
import JSONCoding
import TestSupport
import Testing

@Suite struct `Hostile documents` {
  @Test func `Random bytes never trap`() {
    var random = SeededGenerator.forTest()
    let alphabet = Array("{}[]\",:\\0123456789-+.eEu truefalsn\u{1}é".utf8) + [0xFF, 0xC3]
    for round in 0..<20_000 {
      let document = (0..<Int.random(in: 0...40, using: &random)).map { _ in
        round.isMultiple(of: 2)
          ? UInt8.random(in: 0...255, using: &random) : alphabet.randomElement(using: &random) ?? 0
      }
      check(document, "\(random)")
    }
  }

  @Test func `Mutated documents never trap, and the verdict agrees with Foundation's`() {
    var random = SeededGenerator.forTest()
    for _ in 0..<5_000 {
      var document = JSONValue.random(&random, depth: 3).bytes
      for _ in 0..<Int.random(in: 1...3, using: &random) { mutate(&document, &random) }
      check(document, "\(random)")
    }
  }

  @Test(arguments: SyntaxCases.accepted + SyntaxCases.refused)
  func `The tables agree with Foundation if its verdict follows the standard`(document: String) {
    check(Array(document.utf8), document)
  }

  @Test func `Every prefix of a random document is refused`() {
    var random = SeededGenerator.forTest()
    for _ in 0..<300 {
      let document = JSONValue.array([JSONValue.random(&random, depth: 4)]).bytes
      for count in 0..<document.count {
        #expect(throws: JSONError.self, "\(random)") { try JSONValue(Array(document[..<count])) }
      }
    }
  }

  private func mutate(_ document: inout [UInt8], _ random: inout SeededGenerator) {
    let pieces = [
      "\"", "\\", "{", "}", "[", "]", ",", ":", "0", "-", ".", "e", "\\u", "\\ud83d", "\\ude00",
      "\n", "1e5", "null",
    ]
    let place = Int.random(in: 0...document.count, using: &random)
    switch Int.random(in: 0...3, using: &random) {
    case 0:
      document.insert(
        contentsOf: Array((pieces.randomElement(using: &random) ?? "").utf8), at: place)
    case 1: document.insert(UInt8.random(in: 0...255, using: &random), at: place)
    case 2 where place < document.count: document.remove(at: place)
    default:
      document.removeSubrange(
        place..<min(document.count, place + Int.random(in: 0...4, using: &random)))
    }
  }

  /// Reads and skips a document, and compares the verdicts with Foundation's.
  private func check(_ document: [UInt8], _ comment: String) {
    let value = Result { () throws(JSONError) in try JSONValue(document) }
    let skipped = Result { () throws(JSONError) in try skip(document) }
    let text = String(decoding: document, as: UTF8.self)
    switch (value, skipped) {
    case (.failure(let error), .success):
      // A decoder refuses more documents than the grammar does.
      #expect([.duplicateKey, .outOfRange].contains(error.code), "\(text) \(comment)")
    case (.success(let value), .success):
      #expect((try? JSONValue(value.bytes)) == value, "\(text) \(comment)")
    case (.success, .failure):
      Issue.record("A document was read that cannot be skipped: \(text) \(comment)")
    case (.failure, .failure): break
    }
    // Foundation refuses numbers out of its range, which the grammar permits.
    if case .failure(let error) = value, error.code == .outOfRange { return }
    guard FoundationVerdict.isMeaningful(for: document) else { return }
    #expect(
      ((try? skipped.get()) != nil) == FoundationVerdict.accepts(document), "\(text) \(comment)")
  }
}

/// The verdict of `JSONSerialization` on a document.
enum FoundationVerdict {
  static func accepts(_ document: [UInt8]) -> Bool {
    (try? JSONSerialization.jsonObject(with: Data(document), options: .fragmentsAllowed)) != nil
  }

  /// Whether the verdict follows the standard.
  ///
  /// It does not if Foundation guesses another encoding from the first bytes (zeros, byte order
  /// marks), or if a comma precedes a closing bracket, which it accepts.
  static func isMeaningful(for document: [UInt8]) -> Bool {
    if document.prefix(4).contains(where: { $0 == 0 || $0 >= 0xEF }) { return false }
    let marks = document.filter { $0 > 0x20 }
    return !zip(marks, marks.dropFirst()).contains {
      $0 == UInt8(ascii: ",") && ($1 == UInt8(ascii: "]") || $1 == UInt8(ascii: "}"))
    }
  }
}
