import Foundation
import PredicateLanguage
import Testing

@Suite("Nesting of format strings")
struct NestingTests {
  /// Ways to nest predicates.
  private static let shapes: [(open: String, inner: String, close: String)] = [
    ("(", "a == 1", ")"),
    ("NOT ", "a == 1", ""),
    ("(a == 1 OR ", "a == 1", ")"),
    ("1 == TERNARY(", "a == 1", ", 1, 2)"),
    ("SUBQUERY({1}, $x, ", "a == 1", ").@count == 0"),
  ]

  /// Ways to nest values.
  private static let values: [(open: String, inner: String, close: String)] = [
    ("(1 + ", "1", ")"), ("abs(", "1", ")"), ("{", "1", "}"), ("2 ** ", "1", ""), ("- ", "a", ""),
    ("TERNARY(a == 1, 1, ", "2", ")"), ("", "a", "[0]"), ("", "1", " + 1"), ("", "a", " UNION b"),
    ("CAST(", "a", ", 'NSDate')"),
    ("FUNCTION(a, 'x:', ", "1", ")"), ("$x[", "1", "]"),
  ]

  @Test func `Text up to the limit is parsed, printed and evaluated on a stack of one megabyte`()
    async throws
  {
    let texts = Self.texts(count: 20) + Self.wideTexts
    let failures = await onSmallStack {
      texts.filter { text in
        guard let predicate = try? NSPredicate(parsing: text) else { return true }
        _ = try? predicate.evaluated(with: ["a": 2])
        _ = try? predicate.substituting([:])
        return !predicate.isStructurallyEqual(to: predicate) || predicate.formatText.isEmpty
      }
    }
    #expect(failures.map { $0.prefix(60) } == [])
  }

  @Test func `Text that nests too deeply is an error for every construct`() async {
    let texts = Self.texts(count: 100) + Self.texts(count: 4_000)
    let failures = await onSmallStack {
      texts.filter { text in
        do {
          _ = try NSPredicate(parsing: text)
          return true
        } catch {
          return (error as? PredicateParseError)?.code != .limitExceeded
        }
      }
    }
    #expect(failures.map { $0.prefix(60) } == [])
  }

  @Test func `Negations count together with their operands`() throws {
    func text(_ negations: Int, over calls: Int) -> String {
      String(repeating: "NOT ", count: negations) + "1 == "
        + String(repeating: "abs(", count: calls) + "1"
        + String(repeating: ")", count: calls)
    }
    for (negations, calls) in [(40, 40), (60, 10), (10, 60)] {
      let error = #expect(throws: PredicateParseError.self) {
        try NSPredicate(parsing: text(negations, over: calls))
      }
      #expect(error?.code == .limitExceeded, "\(negations) over \(calls)")
    }
    #expect(try NSPredicate(parsing: text(30, over: 30)).evaluated(with: nil))
  }

  @Test func `The error states the limit`() {
    let error = #expect(throws: PredicateParseError.self) {
      try NSPredicate(parsing: String(repeating: "(", count: 1_000))
    }
    #expect(error?.code == .limitExceeded)
    #expect(error?.message.contains("\(Limits.nesting) levels") == true)
  }

  @Test func `Long chains of AND and OR do not nest`() throws {
    let text = (0..<5_000).map { "a == \($0)" }.joined(separator: " OR ")
    #expect(try NSPredicate(parsing: text).evaluated(with: ["a": 4_999]))
  }

  @Test func `A text that is too long is an error`() {
    let text = "a == '" + String(repeating: "x", count: Limits.formatBytes) + "'"
    let error = #expect(throws: PredicateParseError.self) { try NSPredicate(parsing: text) }
    #expect(error?.code == .limitExceeded)
  }

  @Test func `A key path at the limit is parsed`() throws {
    let path = Array(repeating: "a", count: Limits.pathComponents).joined(separator: ".")
    #expect(try NSPredicate(parsing: "\(path) == nil").evaluated(with: [String: Any]()))
    #expect(
      try NSPredicate(parsing: "%K == nil", arguments: [path]).evaluated(with: [String: Any]()))
  }

  @Test func `A key path with too many keys is an error`() {
    let path = Array(repeating: "a", count: Limits.pathComponents + 1).joined(separator: ".")
    let written = #expect(throws: PredicateParseError.self) {
      try NSPredicate(parsing: "\(path) == 1")
    }
    #expect(written?.code == .limitExceeded)
    let argument = #expect(throws: PredicateParseError.self) {
      try NSPredicate(parsing: "%K == 1", arguments: [path])
    }
    #expect(argument?.code == .limitExceeded)
  }

  /// Text at the parser's nesting limit whose tree is no higher.
  private static var wideTexts: [String] {
    let count = Limits.nesting - 2
    return [
      String(repeating: "(", count: count) + "a == 1" + String(repeating: ")", count: count),
      "a == " + String(repeating: "{", count: count) + "1" + String(repeating: "}", count: count),
      "a == " + String(repeating: "abs(", count: count) + "1"
        + String(repeating: ")", count: count),
    ]
  }

  private static func texts(count: Int) -> [String] {
    func nest(_ shape: (open: String, inner: String, close: String)) -> String {
      String(repeating: shape.open, count: count) + shape.inner
        + String(repeating: shape.close, count: count)
    }
    return shapes.map(nest) + values.map { "a == " + nest($0) }
  }
}

/// Runs the closure on a thread with a stack of one megabyte.
private func onSmallStack(_ body: @escaping @Sendable () -> [String]) async -> [String] {
  await withCheckedContinuation { continuation in
    let thread = Thread { continuation.resume(returning: body()) }
    thread.stackSize = 1 << 20
    thread.start()
  }
}
