import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import SQLiteDriver
import SQLiteStore
import Synchronization
import TestSupport
import Testing

/// Fetch requests for histories.
///
/// A store returns the same results as the predicate in memory, over the whole history.
@Suite struct `Fetch requests for a history` {
  typealias Request = NSPersistentHistoryChangeRequest

  private static let authors: [String?] = ["Ada", "Ben", nil]

  /// Makes random saves, and passes the notes with their history.
  private func withRandomHistory(
    _ body: (HistoryNotes, inout SeededGenerator) throws -> Void
  ) throws {
    var random = SeededGenerator.forTest()
    try withTemporaryDirectory { folder in
      let notes = try HistoryNotes(in: folder)
      var keys: [Int64] = []
      // Two successive saves share a date.
      var seconds = 0.0
      notes.clock = {
        seconds += 0.5
        return Date(timeIntervalSinceReferenceDate: seconds.rounded(.down))
      }
      for number in 0..<40 {
        let author = Self.authors.randomElement(using: &random) ?? nil
        switch Int.random(in: 0..<4, using: &random) {
        case 0 where !keys.isEmpty:
          try notes.delete(
            keys.remove(at: Int.random(in: 0..<keys.count, using: &random)), by: author)
        case 1 where !keys.isEmpty:
          try notes.update(
            keys[Int.random(in: 0..<keys.count, using: &random)], "text \(number)", by: author)
        default: keys.append(try notes.insert("title \(number)", by: author))
        }
      }
      try body(notes, &random)
    }
  }

  private func all<Element>(_ type: NSPersistentHistoryResultType, of notes: HistoryNotes) throws
    -> [Element]
  {
    let request = Request.fetchHistory(after: nil as NSPersistentHistoryToken?)
    request.resultType = type
    return try #require(try request.value(from: [notes.store]) as? [Element])
  }

  // MARK: Agreement

  @Test func `Stores and memory agree on transactions`() throws {
    try withRandomHistory { notes, random in
      let all: [NSPersistentHistoryTransaction] = try all(.transactionsAndChanges, of: notes)
      for _ in 0..<300 {
        let predicate = RandomHistoryPredicate(random: random, objects: [], token: all[7].token)
          .next(&random)
        let fetch = try #require(NSPersistentHistoryTransaction.fetchRequest)
        fetch.predicate = predicate
        let after =
          Bool.random(using: &random) ? all[Int.random(in: 0..<all.count, using: &random)] : nil
        let request = Request.fetchHistory(after: after?.token)
        request.fetchRequest = fetch
        var expected = all.filter {
          $0.transactionNumber > after?.transactionNumber ?? 0 && predicate.evaluate(with: $0)
        }
        if Bool.random(using: &random) {
          (fetch.fetchLimit, fetch.fetchOffset) = (
            Int.random(in: 1...5, using: &random), Int.random(in: 0...3, using: &random)
          )
          if Bool.random(using: &random) {
            let key = ["timestamp", "transactionNumber", "author"].randomElement(using: &random)
            let descriptor = NSSortDescriptor(key: key, ascending: Bool.random(using: &random))
            fetch.sortDescriptors = [descriptor]
            expected = expected.enumerated().sorted { one, other in
              let order = descriptor.compare(one.element, to: other.element)
              return order == .orderedSame ? one.offset < other.offset : order == .orderedAscending
            }.map(\.element)
          }
          expected = Array(expected.dropFirst(fetch.fetchOffset).prefix(fetch.fetchLimit))
        }
        let found = try #require(
          try request.value(from: [notes.store]) as? [NSPersistentHistoryTransaction])
        #expect(found == expected, "\(random) \(predicate.formatText)")
        request.resultType = .count
        #expect(try request.value(from: [notes.store]) as? Int == expected.count, "\(random)")
        #expect(found.map { $0.changes ?? [] } == expected.map { $0.changes ?? [] }, "\(random)")
      }
    }
  }

  @Test func `Stores and memory agree on changes`() throws {
    try withRandomHistory { notes, random in
      let all: [NSPersistentHistoryChange] = try all(.changesOnly, of: notes)
      let token = try #require(all[7].transaction?.token)
      for _ in 0..<300 {
        let predicate = RandomHistoryPredicate(
          random: random, objects: all.map(\.changedObjectID), token: token
        )
        .next(&random)
        let fetch = try #require(NSPersistentHistoryChange.fetchRequest)
        fetch.predicate = predicate
        let request = Request.fetchHistory(withFetch: fetch)
        request.resultType = .changesOnly
        var expected = all.filter { predicate.evaluate(with: $0) }
        if Bool.random(using: &random) {
          fetch.fetchLimit = Int.random(in: 1...5, using: &random)
          expected = Array(expected.prefix(fetch.fetchLimit))
        }
        let found = try #require(
          try request.value(from: [notes.store]) as? [NSPersistentHistoryChange])
        #expect(found == expected, "\(random) \(predicate.formatText)")
      }
    }
  }

  // MARK: Cost

  /// The query plans of a request.
  private func plans(_ request: Request, _ notes: HistoryNotes, in folder: URL) throws -> [String] {
    let statements = Mutex<[String]>([])
    var logging = StatementLogging()
    logging.observe = { statement in statements.withLock { $0.append(statement.sql) } }
    let url = folder.appendingPathComponent("D.sqlite")
    let opened = try StoreOpening(url: url, layouts: notes.store.layouts, options: StoreOptions())
      .run()
    let store = try SQLiteRowStore(opened, logging: logging)
    _ = try request.value(from: [store])
    try store.close()
    let connection = try Connection(.file(url.path), options: .readOnly)
    try connection.registerFetchFunctions()
    try connection.integerArray(0).values = [1]
    let asked = statements.withLock { $0 }.filter { sql in
      sql.hasPrefix("SELECT") && !sql.contains("sqlite_schema")
        && (sql.contains("ATRANSACTION") || sql.contains("ACHANGE"))
    }
    return try asked.flatMap { sql in
      var statement = try connection.prepare("EXPLAIN QUERY PLAN \(sql)")
      var steps: [String] = []
      while try statement.step() {
        steps.append("\(statement.row.text(at: statement.row.count - 1) ?? "") | \(sql)")
      }
      return steps
    }
  }

  /// Selective requests, and whether they fetch changes.
  static let selective: [(format: String?, afterToken: Bool, readsChanges: Bool)] = [
    (nil, true, false), ("author == 'Ada'", false, false),
    ("author IN {'Ada', 'Ben'}", false, false),
    ("contextName == 'none'", false, false), ("bundleID == 'none'", false, false),
    ("processID == 'none'", false, false),
    ("timestamp > CAST(5, 'NSDate')", false, false), ("transactionNumber > 3", false, false),
    ("transactionNumber == 3 AND author == 'Ada'", false, false), ("author == nil", false, false),
    ("author == 'Ada'", true, false), ("changeType == 2", true, true),
    ("changedEntity == 'Note'", true, true),
    ("transaction.author == 'Ada'", false, true),
    ("transaction.transactionNumber == 3", false, true),
    ("changeID == 3", false, true), ("changeID > 30", false, true),
  ]

  @Test(arguments: selective)
  func `A selective request scans no table`(format: String?, afterToken: Bool, readsChanges: Bool)
    throws
  {
    try withTemporaryDirectory { folder in
      let notes = try HistoryNotes(in: folder)
      for author in Self.authors { try notes.insert("a", by: author) }
      let all: [NSPersistentHistoryTransaction] = try all(.transactionsAndChanges, of: notes)
      let request = Request.fetchHistory(after: afterToken ? all[1].token : nil)
      if let format {
        request.fetchRequest =
          readsChanges
          ? NSPersistentHistoryChange.fetchRequest : NSPersistentHistoryTransaction.fetchRequest
        request.fetchRequest?.predicate = NSPredicate(format: format)
      }
      let plans = try plans(request, notes, in: folder)
      #expect(!plans.isEmpty)
      let scans = plans.filter { plan in
        plan.hasPrefix("SCAN") && !plan.hasPrefix("SCAN _Z_intarray")
          // The first transaction determines the text format, and the earliest number ends a
          // search.
          && !plan.contains("ORDER BY Z_PK LIMIT 1") && !plan.contains("max(Z_PK)")
          && !plan.contains("min(Z_PK)")
      }
      #expect(scans.isEmpty, "\(scans)")
    }
  }
}

/// Predicates over the attributes of transactions and changes.
private struct RandomHistoryPredicate {
  let objects: [NSManagedObjectID]
  let token: NSPersistentHistoryToken

  init(random: SeededGenerator, objects: [NSManagedObjectID], token: NSPersistentHistoryToken) {
    self.objects = objects
    self.token = token
  }

  func next(_ random: inout SeededGenerator, depth: Int = 0) -> NSPredicate {
    let pick = Int.random(in: 0..<(depth < 3 ? 10 : 7), using: &random)
    guard pick >= 7 else { return leaf(&random) }
    if pick == 9 {
      return NSCompoundPredicate(notPredicateWithSubpredicate: next(&random, depth: depth + 1))
    }
    let parts = (0..<Int.random(in: 1...3, using: &random)).map { _ in
      next(&random, depth: depth + 1)
    }
    return pick == 7
      ? NSCompoundPredicate(andPredicateWithSubpredicates: parts)
      : NSCompoundPredicate(orPredicateWithSubpredicates: parts)
  }

  private func leaf(_ random: inout SeededGenerator) -> NSPredicate {
    let ofTransaction = [
      "author == 'Ada'", "author != 'Ada'", "author == nil", "author != nil",
      "author IN {'Ben', 'Eve'}",
      "'Ben' == author",
      "author == [c] 'ada'", "author BEGINSWITH 'A'", "author > 'B'", "contextName == 'main'",
      "contextName == nil",
      "bundleID == 'tests'", "bundleID != 'tests'", "bundleID == ''", "processID == 'other'",
      "processID IN {'test', ''}", "transactionNumber > 10", "20 >= transactionNumber",
      "transactionNumber IN {3, 4}",
      "transactionNumber BETWEEN {5, 9}", "transactionNumber == 2.5",
      "timestamp > CAST(12, 'NSDate')",
      "timestamp <= CAST(30.5, 'NSDate')", "storeID == '\(HistoryNotes.uuid("D"))'",
      "storeID != '\(HistoryNotes.uuid("D"))'",
      "TRUEPREDICATE", "FALSEPREDICATE",
    ]
    guard !objects.isEmpty else {
      if Int.random(in: 0..<20, using: &random) == 0 {
        return NSPredicate(format: "token == %@", token)
      }
      return NSPredicate(format: ofTransaction.randomElement(using: &random) ?? "")
    }
    let object = objects[Int.random(in: 0..<objects.count, using: &random)]
    switch Int.random(in: 0..<12, using: &random) {
    case 0: return NSPredicate(format: "changedObjectID == %@", object)
    case 1: return NSPredicate(format: "changedObjectID IN %@", [object, objects[0]])
    case 2: return NSPredicate(format: "NOT changedObjectID == %@", object)
    case 3: return NSPredicate(format: "changeType == \(Int.random(in: 0..<3, using: &random))")
    case 4: return NSPredicate(format: "changeType != 1 AND changeID > 8")
    case 5: return NSPredicate(format: "changedEntity == 'Note'")
    case 6: return NSPredicate(format: "changedEntity IN {'Nothing', 'Nobody'}")
    case 7: return NSPredicate(format: "updatedProperties != nil")
    default:
      let format = ofTransaction.randomElement(using: &random) ?? ""
      let names = [
        "author", "contextName", "bundleID", "processID", "transactionNumber", "timestamp",
        "storeID",
      ]
      return NSPredicate(
        format: names.reduce(format) { $0.replacingOccurrences(of: $1, with: "transaction.\($1)") })
    }
  }
}
