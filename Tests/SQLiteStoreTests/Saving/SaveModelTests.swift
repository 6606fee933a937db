import Foundation
import ManagedObjectModel
import ObjectRows
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing

/// A library as plain dictionaries, which a store must equal after the same changes.
private struct Books {
  struct Book: Equatable {
    var version: Int64 = 1
    var values: [String: String] = [:]
    var author: Int64?
  }

  var books: [Int64: Book] = [:]
  var orders: [Int64: [Int64]] = [1: [], 2: [], 3: []]

  /// Whether two books have the same values in a uniqueness constraint.
  var hasDuplicates: Bool {
    let isbns = books.values.compactMap { $0.values["isbn"] }
    let places = books.values.compactMap { book in
      book.values["shelf"].flatMap { shelf in book.values["place"].map { shelf + "/" + $0 } }
    }
    return Set(isbns).count < isbns.count || Set(places).count < places.count
  }

  var text: [String] {
    books.sorted { $0.key < $1.key }.map { key, book in
      "\(key) v\(book.version) \(book.author.map(String.init) ?? "-") "
        + book.values.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: " ")
    }
      + orders.sorted { $0.key < $1.key }.map {
        "\($0): \($1.map(String.init).joined(separator: " "))"
      }
  }
}

/// Random saves of a library, applied to a store and to the dictionaries.
private struct RandomSaves {
  let sample: SampleStore
  var random: SeededGenerator
  var books = Books()
  private var nextKey: Int64 = 1

  init(_ sample: SampleStore, _ random: SeededGenerator) throws {
    self.sample = sample
    self.random = random
    try Changes(sample).insert("Author", 1).insert("Author", 2).insert("Author", 3).saveAll()
  }

  /// Makes one save.
  ///
  /// Returns the expected books, the keys with stale versions, and the store's result.
  mutating func step() throws -> (expected: Books, stale: Set<Int64>, outcome: StoreSaveOutcome) {
    var after = books
    var stale: Set<Int64> = []
    let changes = Changes(sample)
    var touched: Set<Int64> = []
    for _ in 0..<Int.random(in: 1...5, using: &random) {
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<3: try insert(changes, &after)
      case 3..<9: try update(changes, &after, &touched, &stale)
      default: try delete(changes, &after, &touched, &stale)
      }
    }
    try order(changes, &after)
    return (after, stale, try changes.save())
  }

  private mutating func insert(_ changes: Changes, _ after: inout Books) throws {
    var book = Books.Book()
    book.values = randomValues()
    book.author = randomAuthor()
    after.books[nextKey] = book
    try changes.insert("Book", nextKey, rowValues(book))
    nextKey += 1
  }

  private mutating func update(
    _ changes: Changes, _ after: inout Books, _ touched: inout Set<Int64>, _ stale: inout Set<Int64>
  ) throws {
    guard let key = books.books.keys.sorted().randomElement(using: &random),
      touched.insert(key).inserted,
      var book = books.books[key]
    else { return }
    let values = randomValues()
    var changed: [String: Any] = [:]
    for name in ["isbn", "shelf", "place"] where Bool.random(using: &random) {
      book.values[name] = values[name]
      changed[name] = rowValue(name, values[name])
    }
    if Bool.random(using: &random) {
      book.author = randomAuthor()
      changed["author"] = book.author.map { Reference("Author", $0) } ?? NSNull()
    }
    // The row is complete, like that of a context.
    let row = rowValues(book).merging(changed) { _, new in new }
    try changes.update(
      "Book", key, version: version(of: book, key, &stale), row, changing: Array(changed.keys))
    book.version += 1
    after.books[key] = book
  }

  private mutating func delete(
    _ changes: Changes, _ after: inout Books, _ touched: inout Set<Int64>, _ stale: inout Set<Int64>
  ) throws {
    guard let key = books.books.keys.sorted().randomElement(using: &random),
      touched.insert(key).inserted,
      let book = books.books[key]
    else { return }
    changes.delete("Book", key, version: version(of: book, key, &stale))
    after.books[key] = nil
  }

  /// Reorders each author's books, and reports changed orders.
  private mutating func order(_ changes: Changes, _ after: inout Books) throws {
    for author in after.orders.keys.sorted() {
      let before = after.orders[author] ?? []
      let members = after.books.filter { $0.value.author == author }.map(\.key)
      var order = before.filter(members.contains)
      for new in members.sorted() where !order.contains(new) {
        order.insert(new, at: Int.random(in: 0...order.count, using: &random))
      }
      if order.count > 1, Int.random(in: 0..<3, using: &random) == 0 {
        order.append(order.remove(at: Int.random(in: 0..<order.count, using: &random)))
      }
      after.orders[author] = order
      guard order != before else { continue }
      try changes.members("Author", "books", of: author, order: order.map { Reference("Book", $0) })
    }
  }

  private mutating func version(of book: Books.Book, _ key: Int64, _ stale: inout Set<Int64>)
    -> Int64
  {
    guard Int.random(in: 0..<20, using: &random) == 0 else { return book.version }
    stale.insert(key)
    return book.version + 7
  }

  private mutating func randomValues() -> [String: String] {
    var values: [String: String] = [:]
    for (name, count) in [("isbn", 12), ("shelf", 3), ("place", 4)]
    where Int.random(in: 0..<5, using: &random) > 0 {
      values[name] = String(Int.random(in: 1...count, using: &random))
    }
    return values
  }

  private mutating func randomAuthor() -> Int64? {
    let author = Int64.random(in: 0...3, using: &random)
    return author == 0 ? nil : author
  }

  private func rowValue(_ name: String, _ value: String?) -> Any {
    guard let value else { return NSNull() }
    return name == "isbn" ? value : NSNumber(value: Int(value) ?? 0)
  }

  private func rowValues(_ book: Books.Book) -> [String: Any] {
    var values: [String: Any] = [:]
    for (name, value) in book.values { values[name] = rowValue(name, value) }
    if let author = book.author { values["author"] = Reference("Author", author) }
    return values
  }

  /// The store's contents in the form of `Books.text`.
  func stored() throws -> [String] {
    let layout = sample["Book"]
    let found = try sample.store.fetchRows(
      RowFetch(layout: layout, specification: FetchSpecification()))
    let author = layout.slots[try #require(layout.ordinal(of: "author"))]
    let lines = try found.rows.sorted { $0.row.key < $1.row.key }.map { fetched in
      var values: [String: String] = [:]
      for name in ["isbn", "shelf", "place"] {
        let ordinal = try #require(layout.ordinal(of: name))
        values[name] = layout.value(ofAttribute: ordinal, in: fetched.row).map { "\($0)" }
      }
      let owner =
        author.isNull(in: fetched.row) ? nil : author.load(from: fetched.row, as: ToOneValue.self)
      return "\(fetched.row.key) v\(fetched.row.version) \(owner.map { "\($0.key)" } ?? "-") "
        + values.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: " ")
    }
    let members = try sample.members("Author", "books", of: 1, 2, 3)
    return lines
      + (1...3).map { author in members.first { $0.hasPrefix("\(author): ") } ?? "\(author): " }
  }
}

@Suite struct `Random saves` {
  @Test func `Saves agree with the same changes in dictionaries, or conflict without effect`()
    throws
  {
    for _ in 0..<4 {
      var saves = try RandomSaves(SampleStore(SampleModels.library()), SeededGenerator.forTest())
      var counts = (saved: 0, conflicting: 0)
      for step in 0..<120 {
        let place: Comment = "\(saves.random) step \(step)"
        let (expected, stale, outcome) = try saves.step()
        switch outcome {
        case .saved:
          #expect(stale.isEmpty && !expected.hasDuplicates, place)
          saves.books = expected
          counts.saved += 1
        case .conflicts(let conflicts):
          let versions = conflicts.compactMap {
            if case .version(let row, _, _) = $0 { row.key } else { nil }
          }
          #expect(Set(versions) == stale && versions.count == stale.count, place)
          #expect(!stale.isEmpty || expected.hasDuplicates, place)
          counts.conflicting += 1
        }
        let stored = try saves.stored()
        try #require(stored == saves.books.text, place)
      }
      #expect(counts.saved > 20 && counts.conflicting > 20)
    }
  }
}
