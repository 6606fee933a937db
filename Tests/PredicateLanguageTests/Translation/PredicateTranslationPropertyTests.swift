import Foundation
import PredicateLanguage
import TestSupport
import Testing

/// A translated predicate matches the same objects as the Swift predicate.
@Suite struct PredicateTranslationPropertyTests {
  static let written: [Predicate<Post>] = [
    PredicateTranslationTests.comparisons, PredicateTranslationTests.optionals,
    PredicateTranslationTests.texts,
    PredicateTranslationTests.collections, PredicateTranslationTests.calculations,
    PredicateTranslationTests.constants,
  ].flatMap { $0.map(\.0) }

  @Test(arguments: written.indices)
  func `A written predicate matches the same objects in both forms`(_ index: Int) throws {
    var generator = SeededGenerator.forTest()
    let predicate = Self.written[index]
    let translated = try NSPredicate(translating: predicate)
    for _ in 0..<200 {
      let post = generator.post()
      // Swift itself fails for an index outside a collection, so there is no result to compare.
      guard let expected = try? predicate.evaluate(post) else { continue }
      #expect(
        try translated.evaluated(with: post) == expected,
        "\(generator): \(translated.formatText) for \(post.values)")
    }
  }

  @Test func `A random predicate matches the same objects in both forms`() throws {
    var generator = SeededGenerator.forTest()
    let posts = (0..<30).map { _ in generator.post() }
    for _ in 0..<400 {
      let predicate = Predicate<Post> { post in
        RandomConditions(post: post).condition(depth: 4, &generator)
      }
      let translated = try NSPredicate(translating: predicate)
      for post in posts {
        let expected = try predicate.evaluate(post)
        #expect(
          try translated.evaluated(with: post) == expected,
          "\(generator): \(translated.formatText) for \(post.values)")
      }
    }
  }
}

extension SeededGenerator {
  fileprivate mutating func word() -> String {
    ["", "a", "b", "x", "ax", "none", "bob", "X"].randomElement(using: &self) ?? ""
  }

  fileprivate mutating func author(depth: Int = 0) -> Author {
    let author = Author()
    author.age = .random(in: 0...6, using: &self)
    author.name = Bool.random(using: &self) ? word() : nil
    author.mentor = depth < 2 && Bool.random(using: &self) ? self.author(depth: depth + 1) : nil
    return author
  }

  fileprivate mutating func post() -> Post {
    let post = Post()
    post.title = word()
    post.summary = Bool.random(using: &self) ? word() : nil
    post.score = .random(in: -2...8, using: &self)
    post.rating = Double(Int.random(in: -4...12, using: &self)) / 2
    post.bonus = Bool.random(using: &self) ? .random(in: 0...6, using: &self) : nil
    post.isDone = .random(using: &self)
    post.author = Bool.random(using: &self) ? author() : nil
    post.readers = Set((0..<Int.random(in: 0...3, using: &self)).map { _ in author() })
    post.marks = (0..<Int.random(in: 0...3, using: &self)).map { _ in
      .random(in: 0...4, using: &self)
    }
    return post
  }
}

/// Builds random conditions over one variable as the macro would.
private struct RandomConditions {
  typealias Condition = any StandardPredicateExpression<Bool>
  typealias Quantity = any StandardPredicateExpression<Int>
  typealias Build = PredicateExpressions

  let post: Build.Variable<Post>

  func condition(depth: Int, _ generator: inout SeededGenerator) -> Condition {
    guard depth > 0 else { return leaf(&generator) }
    switch Int.random(in: 0..<7, using: &generator) {
    case 0:
      return and(condition(depth: depth - 1, &generator), condition(depth: depth - 1, &generator))
    case 1:
      return or(condition(depth: depth - 1, &generator), condition(depth: depth - 1, &generator))
    case 2: return not(condition(depth: depth - 1, &generator))
    case 3:
      return same(condition(depth: depth - 1, &generator), condition(depth: depth - 1, &generator))
    case 4:
      return compare(quantity(depth: 2, &generator), quantity(depth: 2, &generator), &generator)
    case 5:
      return choose(
        condition(depth: depth - 1, &generator), condition(depth: depth - 1, &generator),
        condition(depth: depth - 1, &generator))
    default: return leaf(&generator)
    }
  }

  private func and(
    _ left: some StandardPredicateExpression<Bool>, _ right: some StandardPredicateExpression<Bool>
  )
    -> Condition
  { Build.build_Conjunction(lhs: left, rhs: right) }

  private func or(
    _ left: some StandardPredicateExpression<Bool>, _ right: some StandardPredicateExpression<Bool>
  )
    -> Condition
  { Build.build_Disjunction(lhs: left, rhs: right) }

  private func not(_ inner: some StandardPredicateExpression<Bool>) -> Condition {
    Build.build_Negation(inner)
  }

  private func same(
    _ left: some StandardPredicateExpression<Bool>, _ right: some StandardPredicateExpression<Bool>
  )
    -> Condition
  { Build.build_Equal(lhs: left, rhs: right) }

  private func choose(
    _ test: some StandardPredicateExpression<Bool>, _ first: some StandardPredicateExpression<Bool>,
    _ second: some StandardPredicateExpression<Bool>
  ) -> Condition { Build.build_Conditional(test, first, second) }

  private func compare(
    _ left: some StandardPredicateExpression<Int>, _ right: some StandardPredicateExpression<Int>,
    _ generator: inout SeededGenerator
  ) -> Condition {
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: Build.build_Equal(lhs: left, rhs: right)
    case 1: Build.build_NotEqual(lhs: left, rhs: right)
    case 2: Build.build_Comparison(lhs: left, rhs: right, op: .lessThan)
    case 3: Build.build_Comparison(lhs: left, rhs: right, op: .lessThanOrEqual)
    case 4: Build.build_Comparison(lhs: left, rhs: right, op: .greaterThan)
    default: Build.build_Comparison(lhs: left, rhs: right, op: .greaterThanOrEqual)
    }
  }

  private func leaf(_ generator: inout SeededGenerator) -> Condition {
    let title = Build.build_KeyPath(root: post, keyPath: \.title)
    let summary = Build.build_KeyPath(root: post, keyPath: \.summary)
    let word = Build.build_Arg(["", "a", "x"].randomElement(using: &generator) ?? "")
    let number = Build.build_Arg(Int.random(in: 0...5, using: &generator))
    let isTrue = Build.build_Arg(Bool?.some(.random(using: &generator)))
    switch Int.random(in: 0..<9, using: &generator) {
    case 0: return Build.build_KeyPath(root: post, keyPath: \.isDone)
    case 1: return Build.build_Arg(Bool.random(using: &generator))
    case 2: return Build.build_contains(title, word)
    case 3: return Build.build_starts(title, with: word)
    case 4: return Build.build_Equal(lhs: summary, rhs: Build.build_NilLiteral())
    case 5:
      return Build.build_Equal(
        lhs: Build.build_flatMap(summary) { Build.build_contains($0, word) }, rhs: isTrue)
    case 6:
      return Build.build_NilCoalesce(
        lhs: Build.build_flatMap(summary) { Build.build_contains($0, word) },
        rhs: Build.build_KeyPath(root: post, keyPath: \.isDone))
    case 7:
      let readers = Build.build_KeyPath(root: post, keyPath: \.readers)
      return Build.build_contains(readers) {
        Build.build_Comparison(
          lhs: Build.build_KeyPath(root: $0, keyPath: \.age), rhs: number, op: .greaterThan)
      }
    default: return Build.build_contains(Build.build_KeyPath(root: post, keyPath: \.marks), number)
    }
  }

  private func quantity(depth: Int, _ generator: inout SeededGenerator) -> Quantity {
    let isLeaf = depth == 0
    switch Int.random(in: 0..<(isLeaf ? 4 : 7), using: &generator) {
    case 0: return Build.build_KeyPath(root: post, keyPath: \.score)
    case 1: return Build.build_Arg(Int.random(in: -3...9, using: &generator))
    case 2:
      let marks = Build.build_KeyPath(root: post, keyPath: \.marks)
      return Build.build_KeyPath(root: marks, keyPath: \.count)
    case 3:
      let bonus = Build.build_KeyPath(root: post, keyPath: \.bonus)
      return Build.build_NilCoalesce(
        lhs: bonus, rhs: Build.build_Arg(Int.random(in: 0...3, using: &generator)))
    case 4: return negated(quantity(depth: depth - 1, &generator))
    case 5: return divided(quantity(depth: depth - 1, &generator), &generator)
    default:
      return combined(
        quantity(depth: depth - 1, &generator), quantity(depth: depth - 1, &generator), &generator)
    }
  }

  private func negated(_ inner: some StandardPredicateExpression<Int>) -> Quantity {
    Build.build_UnaryMinus(inner)
  }

  private func divided(
    _ inner: some StandardPredicateExpression<Int>, _ generator: inout SeededGenerator
  ) -> Quantity {
    let divisor = Build.build_Arg([-3, -1, 2, 5].randomElement(using: &generator) ?? 1)
    return Bool.random(using: &generator)
      ? Build.build_Division(lhs: inner, rhs: divisor) as Quantity
      : Build.build_Remainder(lhs: inner, rhs: divisor)
  }

  private func combined(
    _ left: some StandardPredicateExpression<Int>, _ right: some StandardPredicateExpression<Int>,
    _ generator: inout SeededGenerator
  ) -> Quantity {
    switch Int.random(in: 0..<3, using: &generator) {
    case 0: Build.build_Arithmetic(lhs: left, rhs: right, op: .add)
    case 1: Build.build_Arithmetic(lhs: left, rhs: right, op: .subtract)
    default: Build.build_Arithmetic(lhs: left, rhs: right, op: .multiply)
    }
  }
}
