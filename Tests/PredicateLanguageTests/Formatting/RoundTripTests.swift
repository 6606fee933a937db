import Foundation
import PredicateLanguage
import PredicateTestSupport
import TestSupport
import Testing

@Suite("Round trip of format strings")
struct RoundTripTests {
  @Test func `The text of any predicate is read back as an equal predicate`() throws {
    let generator = SeededGenerator.forTest()
    var tree = RandomTree(generator: generator)
    for _ in 0..<2_000 {
      let predicate = tree.predicate()
      let text = predicate.formatText
      let again = try NSPredicate(parsing: text)
      #expect(
        again.isStructurallyEqual(to: predicate),
        "\(text)\nread as\n\(again.formatText)\n\(generator)")
      #expect(again.structuralHash == predicate.structuralHash, "\(text) \(generator)")
    }
  }

  @Test func `The text of any expression is read back as an equal expression`() throws {
    let generator = SeededGenerator.forTest()
    var tree = RandomTree(generator: generator)
    for _ in 0..<2_000 {
      let expression = tree.expression()
      let text = expression.description
      let again = try NSExpression(parsing: text)
      #expect(again == expression, "\(text)\nread as\n\(again)\n\(generator)")
      #expect(again.hash == expression.hash, "\(text) \(generator)")
    }
  }
}
