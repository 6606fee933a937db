import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import TestSupport
import Testing

private typealias NSExpression = PredicateLanguage.NSExpression
private typealias NSComparisonPredicate = PredicateLanguage.NSComparisonPredicate

/// Behaviour of the store in memory only: closures, snapshots, and fast paths that agree with the
/// slow ones.
@Suite(.tags(.threads)) struct `The store in memory` {
  private func shelf() throws -> ShelfStore {
    try ShelfStore(.memory, in: URL(fileURLWithPath: "/"))
  }

  @Test func `Closures see rows by key, or the objects that the fetch provides`() throws {
    let shelf = try shelf()
    let keys = try shelf.insert(["a", "b"].map { try shelf.draft("Book", ["title": $0]) })
    var fetch = shelf.fetch("Book")
    fetch.specification.predicate = NSPredicate { object, _ in
      (object as? any KeyValueCoding)?.value(forKey: "title") as? String == "b"
    }
    #expect(try shelf.titles(fetch) == ["b"])
    fetch.specification.predicate = NSPredicate { object, _ in object as? Int64 == keys[0].key }
    fetch.object = { row, _ in row.key }
    #expect(try shelf.titles(fetch) == ["a"])
  }

  @Test func `A row keeps its address until it is written`() throws {
    let shelf = try shelf()
    let keys = try shelf.insert(["a", "b"].map { try shelf.draft("Book", ["title": $0]) })
    let before = try shelf.store.fetchRows(shelf.fetch("Book"))
    _ = try shelf.save(.init(updated: [try shelf.edit(keys[0], ["title": "c"])]))
    let after = try shelf.store.fetchRows(shelf.fetch("Book"))
    #expect(shelf.values("title", of: before) == ["a", "b"])
    #expect(shelf.values("title", of: after) == ["c", "b"])
    #expect(before.rows[1].row == after.rows[1].row)
  }

  @Test func `A key that was not reserved is refused`() throws {
    let shelf = try shelf()
    let draft = ShelfStore.Draft(shelf.sample.layout("Book"), key: 77)
    #expect(throws: StoreError.self) { try shelf.save(.init(inserted: [draft])) }
  }

  /// Comparisons of stored slots agree with evaluation.
  @Test func `Values compare as predicates do`() throws {
    var generator = SeededGenerator.forTest()
    let shelf = try shelf()
    let author = try shelf.insert("Author", ["name": "x"])
    let texts = ["", "a", "A", "é", "e\u{301}", "b"]
    for _ in 0..<60 {
      func maybe<Value>(_ value: Value) -> Value? {
        Int.random(in: 0..<5, using: &generator) == 0 ? nil : value
      }
      try shelf.insert(
        "Book",
        [
          "title": maybe(texts.randomElement(using: &generator) ?? ""),
          "pages": maybe(Int32.random(in: -2...2, using: &generator)),
          "shelf": maybe(Int16.random(in: -2...2, using: &generator)),
          "sold": maybe([0, 1, Int64.max, Int64.min].randomElement(using: &generator) ?? 0),
          "rating": maybe(
            [0, -0.0, 1, 1.5, .infinity, .nan].randomElement(using: &generator) ?? 0),
          "lent": maybe(Bool.random(using: &generator)),
          "added": maybe(
            Date(timeIntervalSinceReferenceDate: Double(Int.random(in: 0...2, using: &generator)))),
          "author": maybe(author),
        ])
    }
    let constants: [(String, [Any])] = [
      ("title", texts), ("pages", [0, 1, -2, 1.5, true]), ("shelf", [0, 3]),
      ("sold", [0, Int.max, 1.0]),
      ("rating", [0, 0.0, 1.5, Double.infinity, Double.nan, 1]), ("lent", [true, false, 1, 0]),
      ("added", [Date(timeIntervalSinceReferenceDate: 1)]), ("author", [shelf.objectID(author)]),
    ]
    let operators: [NSComparisonPredicate.Operator] = [
      .equalTo, .notEqualTo, .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo,
    ]
    for (name, values) in constants {
      for value in values.map(Optional.some) + [nil] {
        for type in operators
        where name != "author" || value == nil || type == .equalTo || type == .notEqualTo {
          try checkAgreement(shelf, name, type, value, "\(generator)")
        }
      }
    }
  }

  /// Compares a predicate with an equivalent form that has no fast path, a disjunction with itself.
  private func checkAgreement(
    _ shelf: ShelfStore, _ name: String, _ type: NSComparisonPredicate.Operator, _ value: Any?,
    _ seed: String
  ) throws {
    let comparison = NSComparisonPredicate(
      leftExpression: NSExpression(forKeyPath: name),
      rightExpression: NSExpression(forConstantValue: value),
      modifier: .direct, type: type)
    func keys(_ predicate: NSPredicate) -> [RowKey]? {
      var fetch = shelf.fetch("Book")
      fetch.specification.predicate = predicate
      return try? Array(shelf.store.fetchKeys(fetch))
    }
    let slow = keys(
      NSCompoundPredicate(orPredicateWithSubpredicates: [comparison, NSPredicate(value: false)]))
    // A comparison that is impossible fails in both ways, or only in the slow one.
    guard let slow else { return }
    #expect(keys(comparison) == slow, "\(name) \(type) \(value ?? "nil") \(seed)")
  }

  /// Compares random saves with a dictionary.
  @Test func `The store behaves like a dictionary`() throws {
    var generator = SeededGenerator.forTest()
    let shelf = try shelf()
    var expected: [RowKey: [String: NSObject]] = [:]
    var members: [RowKey: Set<RowKey>] = [:]
    let authors = try shelf.insert((0..<3).map { _ in try shelf.draft("Author") })
    for step in 0..<150 {
      var changes = ShelfStore.Changes()
      var touched: Set<RowKey> = []
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let author = Bool.random(using: &generator) ? authors.randomElement(using: &generator) : nil
        let values: [String: Any?] = [
          "title": "\(step)", "pages": Int32.random(in: 0...9, using: &generator), "author": author,
        ]
        let known = expected.keys.sorted { $0.key < $1.key }.filter { !touched.contains($0) }
        switch (Int.random(in: 0..<4, using: &generator), known.randomElement(using: &generator)) {
        case (0, let key?):
          touched.insert(key)
          changes.deleted.append(key)
          changes.deletedVersion = nil
          expected[key] = nil
          for author in authors { members[author]?.remove(key) }
        case (1, let key?):
          touched.insert(key)
          changes.updated.append(try shelf.edit(key, values))
          note(key, values)
        default:
          let draft = try shelf.draft(Bool.random(using: &generator) ? "Book" : "Novel", values)
          changes.inserted.append(draft)
          touched.insert(draft.key)
          note(draft.key, values)
        }
      }
      guard case .saved = try shelf.save(changes) else { throw ShelfStore.UnexpectedConflict() }
      #expect(
        Set(try shelf.store.fetchKeys(shelf.fetch("Book"))) == Set(expected.keys), "\(generator)")
      for author in authors {
        #expect(
          Set(try shelf.members("Author", "books", author)) == members[author] ?? [], "\(generator)"
        )
      }
    }
    for (key, values) in expected {
      let row = try #require(try shelf.row(key))
      #expect(
        row["title"] as? String == values["title"] as? String
          && row["pages"] as? Int32 == values["pages"] as? Int32)
    }

    func note(_ key: RowKey, _ values: [String: Any?]) {
      expected[key] = values.compactMapValues {
        $0 as? NSObject ?? ($0 as? Int32).map { NSNumber(value: $0) }
      }
      for author in authors { members[author]?.remove(key) }
      if let author = values["author"] as? RowKey { members[author, default: []].insert(key) }
    }
  }

  @Test func `Threads that read during saves see each save as a whole`() async throws {
    let shelf = try shelf()
    let store = shelf.store
    let layout = shelf.sample.layout("Book")
    let fetch = UncheckedFetch(value: shelf.fetch("Book", "pages == 1"))
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<2 {
        group.addTask {
          for _ in 0..<100 {
            // Each save adds two rows, and no reader sees only one of them.
            let count = try? store.count(fetch.value)
            #expect(count.map { $0 % 2 == 0 } ?? false)
          }
        }
      }
      group.addTask {
        for _ in 0..<100 {
          guard let keys = try? store.reserveKeys([(layout, 2)], forSave: true)[0] else { return }
          let page = RowPage(layout: layout, capacity: 2)
          var changes = StoreChanges(
            transaction: TransactionDescription(
              author: nil, contextName: nil, bundleID: "", processID: "", date: Date()))
          for key in keys {
            let row = page.appendRow(key: key, version: 0)
            _ = layout.setValue(1 as Int32, ofAttribute: layout.ordinal(of: "pages") ?? 0, in: row)
            changes.inserted.append(
              RowChange(layout: layout, row: row, changed: OrdinalSet(), expectedVersion: nil))
          }
          guard case .saved? = try? store.save(changes) else { return }
        }
      }
    }
    #expect(try store.count(fetch.value) == 200)
  }
}

// Sendable: it is never changed.
private struct UncheckedFetch: @unchecked Sendable {
  let value: RowFetch
}
