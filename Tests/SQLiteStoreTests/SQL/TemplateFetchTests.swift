import Foundation
import ManagedObjectModel
import ObjectRows
import PredicateLanguage
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing

@Suite struct `Fetches with a predicate template` {
  let store: LibraryStore

  init() throws { store = try LibraryStore() }

  /// A predicate with a known template, and an equal one without a template.
  private func predicates(_ format: String, _ arguments: [Any]) throws -> (NSPredicate, NSPredicate)
  {
    let predicate = try NSPredicate(parsing: format, arguments: arguments)
    let plain = try predicate.substituting([:])
    #expect(plain.template == nil && plain.isEqual(predicate))
    return (predicate, plain)
  }

  private struct Statement: Equatable {
    let sql: String
    let bindings: [StoredValue]
    let arrays: [[Int64]]
    let isOrdered: Bool

    init(_ statement: FetchStatement) {
      (sql, bindings) = (statement.sql, statement.bindings)
      (arrays, isOrdered) = (statement.integerArrays, statement.isOrdered)
    }
  }

  /// The statement, or the message of the error.
  private func outcome(_ translate: () throws(StoreError) -> FetchStatement) -> Result<
    Statement, Failure
  > {
    do {
      return .success(Statement(try translate()))
    } catch {
      return .failure(Failure(message: error.message))
    }
  }

  private struct Failure: Error, Equatable {
    let message: String
  }

  /// Expects the same statements from a fetch with the template and one without.
  private func expectSameStatements(
    _ format: String, _ arguments: [Any], _ comment: Comment,
    _ change: (inout FetchSpecification) -> Void
  ) throws {
    let (predicate, plain) = try predicates(format, arguments)
    var (one, other) = (try store.fetch("Author", predicate), try store.fetch("Author", plain))
    change(&one.specification)
    change(&other.specification)
    #expect(
      outcome { () throws(StoreError) in try store.translator.keys(one) }
        == outcome { () throws(StoreError) in try store.translator.keys(other) }, comment)
    #expect(
      outcome { () throws(StoreError) in try store.translator.rows(one, selecting: ["ZNAME"]) }
        == outcome { () throws(StoreError) in try store.translator.rows(other, selecting: ["ZNAME"])
        }, comment)
    #expect(
      outcome { () throws(StoreError) in try store.translator.count(one) }
        == outcome { () throws(StoreError) in try store.translator.count(other) }, comment)
  }

  static let integers = Array(0..<40)
  static let texts = (0..<40).map { "text \($0)" }
  private static var calls: [(String, [[Any]])] {
    [
      ("name == %@", [["a"], ["b"], [NSNull()], [3], [["x"]], [Date()], ["a"]]),
      (
        "rating > %@",
        [[1], [2.5], [NSNumber(value: 4)], [NSDecimalNumber(string: "1.5")], ["x"], [true]]
      ),
      (
        "name IN %@",
        [[["a"]], [["b", "c"]], [texts], [[]], [Set(["a"])], ["text"], [[NSNull(), "a"]]]
      ),
      ("rating IN %@", [[[1]], [[1, 2]], [integers], [1...3], [1..<3], [[1.5]]]),
      ("rating BETWEEN %@", [[[1, 2]], [1...2], [[1, 2, 3]]]),
      ("name BEGINSWITH[c] %@ AND rating == %d", [["a", 1], ["b", 2], ["", 0]]),
      ("name MATCHES %@", [["a.*"], ["("], ["b"]]),
      ("works.@count > %d", [[0], [1], [5], [0], [7]]),
      ("works.@count > 0 AND rating == %d", [[0], [1]]),
      ("%d == 1 AND rating == %d", [[1, 2], [2, 2], [1, 3]]),
      ("rating == %d OR %@ == name", [[1, "a"], [2, "b"]]),
      ("rating == 4 AND NOT name == %@", [["a"], ["b"]]), ("name == 'x'", [[], []]),
      ("rating == 1 + 2 AND name == %@", [["a"], ["b"]]),
      ("born == %@", [[Date(timeIntervalSinceReferenceDate: 5)], [4], ["x"]]),
      ("nothing == %@", [[1], [2]]), ("ANY works.title == %@", [["a"], [NSNull()]]),
    ]
  }

  @Test func `The statement equals that of a fetch without a template`() throws {
    var generator = SeededGenerator.forTest()
    let comment = Comment(rawValue: "\(generator)")
    for _ in 0..<400 {
      let (format, arguments) = try #require(Self.calls.randomElement(using: &generator))
      let call = try #require(arguments.randomElement(using: &generator))
      let (limit, offset) = (
        Int.random(in: 0...2, using: &generator), Int.random(in: 0...1, using: &generator)
      )
      let order = Int.random(in: 0...3, using: &generator)
      let includesSubentities = Bool.random(using: &generator)
      try expectSameStatements(format, call, comment) { specification in
        (specification.fetchLimit, specification.fetchOffset) = (limit * 10, offset * 3)
        specification.includesSubentities = includesSubentities
        specification.sortDescriptors =
          [
            nil, [], [NSSortDescriptor(key: "name", ascending: true)],
            [NSSortDescriptor(key: "name", ascending: false)],
          ][order]
      }
    }
    #expect(store.translator.rememberedTemplates > 20)
  }

  private func keys(_ format: String, _ arguments: [Any], of entity: String = "Author") throws
    -> FetchStatement
  {
    try store.translator.keys(
      store.fetch(entity, NSPredicate(parsing: format, arguments: arguments)))
  }

  @Test func `One statement is cached for all arguments of a kind`() throws {
    for number in 0..<10 { _ = try keys("code == %d", [number], of: "Item") }
    #expect(store.translator.rememberedTemplates == 1)
    _ = try keys("code == %d", [1], of: "Book")
    #expect(store.translator.rememberedTemplates == 2)
  }

  @Test(arguments: ["born < now() AND rating == %d", "%d == 1", "rating == 1 + 2 AND rating != %d"])
  func `A computed value prevents caching`(format: String) throws {
    for number in 0..<3 { _ = try keys(format, [number]) }
    #expect(store.translator.rememberedTemplates == 0)
  }

  @Test func `Each fetch reads the time`() throws {
    let moments = try (0..<3).map { number in
      try EvaluationDependencies(now: { Date(timeIntervalSinceReferenceDate: Double(number)) })
        .runAsCurrent {
          try keys("born < now() AND name == %@", ["a"]).bindings[0]
        }
    }
    #expect(moments == [.real(0), .real(1), .real(2)])
  }

  @Test func `The identifier of another store's object is bound as the key 0`() throws {
    let layout = try #require(store.schema.entity(named: "Author")).layout
    let foreign = StoreIdentity(uuid: "other")
    let bound = try [store.identity, foreign, store.identity, nil].enumerated().map {
      key, identity in
      let object = NSManagedObjectID(layout: layout, key: Int64(key + 5), storeIdentity: identity)
      return try keys("owner == %@", [object], of: "Item").bindings
    }
    #expect(bound == [[.integer(5)], [.integer(0)], [.integer(7)], [.integer(8)]])
  }

  @Test func `Templates are evicted when there are too many`() throws {
    for index in 0..<(Limits.translations * 2) {
      for number in 0..<2 { _ = try keys("rating == %d AND name == 'template \(index)'", [number]) }
      #expect(store.translator.rememberedTemplates <= Limits.translations)
    }
    #expect(store.translator.rememberedTemplates > 0)
  }
}
