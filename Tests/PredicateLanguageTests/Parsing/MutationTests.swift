import Foundation
import PredicateLanguage
import PredicateTestSupport
import TestSupport
import Testing

@Suite("Hostile format strings")
struct MutationTests {
  /// Parts of mutations: tokens of the lexer, and bytes that it does not know.
  private static let pieces: [String] = [
    "(", ")", "{", "}", "[", "]", ",", ".", "==", "!", "<", "**", "-", "+", "'", "\"", "\\", "%@",
    "%K", "%d", "%",
    "$x",
    "$", "@", "@count", "#", "0x", "1e", "1.", ".5", "99999999999999999999", " ", "\n", "é",
    "\u{0}", "NOT ", "ANY ",
    "IN",
    "CAST(", "SUBQUERY(", "TERNARY(", "FUNCTION(", "SELF", "nil", "AND", "add:to:", "[cd]", "\\u",
    "\\ud800", "a", "::",
  ]

  @Test func `Mutated text never crashes, and a parsed predicate prints to a fixed point`() {
    var generator = SeededGenerator.forTest()
    let seed = "\(generator)"
    var tree = RandomTree(generator: generator, depth: 3)
    var corpus = (0..<60).map { _ in tree.predicate().formatText }
    var readCount = 0
    for _ in 0..<6_000 {
      let index = Int.random(in: 0..<corpus.count, using: &generator)
      let text = mutate(corpus[index], with: corpus, using: &generator)
      let arguments: [Any] = ["a.b", 1, [1, 2]]
      guard let predicate = try? NSPredicate(parsing: text, arguments: arguments) else { continue }
      readCount += 1
      corpus[index] = String(text.prefix(300))
      checkFixedPoint(predicate, text, seed)
    }
    #expect(readCount > 100, "too few mutations were read: the test proves little. \(seed)")
  }

  private func checkFixedPoint(_ predicate: NSPredicate, _ text: String, _ seed: String) {
    let printed = predicate.formatText
    let again = try? NSPredicate(parsing: printed)
    #expect(again?.formatText == printed, "\(text)\nprinted as\n\(printed)\n\(seed)")
    _ = try? predicate.evaluated(with: ["name": "x", "age": 3] as [String: Any])
  }

  private func mutate(_ text: String, with corpus: [String], using generator: inout SeededGenerator)
    -> String
  {
    var bytes = Array(text.utf8)
    for _ in 0...Int.random(in: 0...2, using: &generator) {
      let place = Int.random(in: 0...bytes.count, using: &generator)
      switch Int.random(in: 0..<5, using: &generator) {
      case 0 where place < bytes.count: bytes.remove(at: place)
      case 1 where place < bytes.count: bytes[place] = .random(in: 0...255, using: &generator)
      case 2:
        bytes.removeSubrange(
          place..<min(bytes.count, place + Int.random(in: 0...12, using: &generator)))
      case 3:
        let other = Array(corpus[Int.random(in: 0..<corpus.count, using: &generator)].utf8)
        bytes.insert(contentsOf: other.prefix(Int.random(in: 0...40, using: &generator)), at: place)
      default:
        let piece = Self.pieces[Int.random(in: 0..<Self.pieces.count, using: &generator)]
        bytes.insert(contentsOf: piece.utf8, at: place)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
