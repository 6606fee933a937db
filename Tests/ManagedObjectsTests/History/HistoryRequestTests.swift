import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import TestSupport
import Testing

@Suite struct HistoryRequestTests {
  typealias Request = NSPersistentHistoryChangeRequest

  /// Five saves: Ada inserts two notes, Ben updates the first, Ada deletes the second, and a save
  /// without an author inserts a third.
  private func withDiary(_ body: (HistoryNotes) throws -> Void) throws {
    try withTemporaryDirectory { folder in
      let diary = try HistoryNotes(in: folder)
      let first = try diary.insert("a", by: "Ada")
      let second = try diary.insert("b", tags: ["x", "y"], by: "Ada")
      try diary.update(first, "text", by: "Ben")
      try diary.delete(second, by: "Ada")
      try diary.insert("c")
      try body(diary)
    }
  }

  private func transactions(_ request: Request, _ stores: HistoryNotes...) throws
    -> [NSPersistentHistoryTransaction]
  {
    try #require(try request.value(from: stores.map(\.store)) as? [NSPersistentHistoryTransaction])
  }

  private func changes(_ request: Request, _ stores: HistoryNotes...) throws
    -> [NSPersistentHistoryChange]
  {
    request.resultType = .changesOnly
    return try #require(
      try request.value(from: stores.map(\.store)) as? [NSPersistentHistoryChange])
  }

  private var everything: Request { .fetchHistory(after: nil as NSPersistentHistoryToken?) }

  // MARK: Transactions and changes

  @Test func `A transaction has its author, contents and date`() throws {
    try withDiary { diary in
      let all = try transactions(everything, diary)
      #expect(all.map(\.transactionNumber) == [1, 2, 3, 4, 5])
      #expect(all.map(\.author) == ["Ada", "Ada", "Ben", "Ada", nil])
      #expect(all.map(\.timestamp) == (1...5).map(HistoryNotes.date))
      #expect(
        all[0].storeID == HistoryNotes.uuid("D") && all[0].bundleID == "tests"
          && all[0].processID == "test")
      #expect(all[0].contextName == "main")
      #expect(
        all.map { $0.changes?.map(\.changeType) } == [
          [.insert], [.insert], [.update], [.delete], [.insert],
        ])
    }
  }

  @Test func `A change has its object, its properties and a deleted object's values`() throws {
    try withDiary { diary in
      let all = try changes(everything, diary)
      #expect(all.map(\.changeID) == [1, 2, 3, 4, 5])
      let uris = all.map { $0.changedObjectID.uriRepresentation().absoluteString }
      #expect(
        uris.map {
          $0.replacingOccurrences(of: "x-coredata://\(HistoryNotes.uuid("D"))/Note/", with: "")
        }
          == [
            "p1", "p2", "p1", "p2", "p3",
          ])
      #expect(all[2].updatedProperties?.map(\.name) == ["body"])
      #expect(all[0].updatedProperties == nil && all[3].updatedProperties == nil)
      #expect(all[3].tombstone?["title"] as? String == "b")
      #expect(all[3].tombstone?["tags"] as? [String] == ["x", "y"])
      #expect(all[2].tombstone == nil)
      #expect(all[2].transaction?.author == "Ben")
      #expect(all[2].transaction?.changes == [all[2]])
    }
  }

  @Test func `A transaction's notification has the identifiers of its objects`() throws {
    try withDiary { diary in
      let all = try transactions(everything, diary)
      let notifications = all.map { $0.objectIDNotification() }
      #expect(notifications[0].name == .NSManagedObjectContextDidSaveObjectIDs)
      let ids = try all.map { try #require($0.changes?.first?.changedObjectID) }
      #expect(
        notifications[0].userInfo?[NSInsertedObjectIDsKey] as? Set<NSManagedObjectID> == [ids[0]])
      #expect(
        notifications[2].userInfo?[NSUpdatedObjectIDsKey] as? Set<NSManagedObjectID> == [ids[2]])
      #expect(
        notifications[3].userInfo?[NSDeletedObjectIDsKey] as? Set<NSManagedObjectID> == [ids[3]])
      #expect(notifications[3].userInfo?.count == 1)
    }
  }

  @Test func `A request returns the kind of result that its result type names`() throws {
    try withDiary { diary in
      let request = everything
      #expect(request.resultType == .transactionsAndChanges)
      request.resultType = .transactionsOnly
      #expect(try transactions(request, diary).allSatisfy { $0.changes == nil })
      request.resultType = .count
      #expect(try request.value(from: [diary.store]) as? Int == 5)
      request.resultType = .statusOnly
      #expect(try request.value(from: [diary.store]) as? Bool == true)
      request.resultType = .objectIDs
      let ids = try #require(try request.value(from: [diary.store]) as? [NSManagedObjectID])
      #expect(ids.map { $0.uriRepresentation().lastPathComponent } == ["p1", "p2", "p3"])
    }
  }

  // MARK: Positions

  @Test func `A request after a token, a transaction or a date returns the later history`() throws {
    try withDiary { diary in
      let second = try transactions(everything, diary)[1]
      let requests: [Request] = [
        .fetchHistory(after: second.token), .fetchHistory(after: second),
        .fetchHistory(after: second.timestamp),
      ]
      for request in requests {
        #expect(try transactions(request, diary).map(\.transactionNumber) == [3, 4, 5])
      }
      #expect(requests[0].token == second.token)
      let latest = try #require(try transactions(everything, diary).last)
      #expect(try transactions(.fetchHistory(after: latest.token), diary) == [])
    }
  }

  @Test func `A token survives archiving`() throws {
    try withDiary { diary in
      let token = try #require(try transactions(everything, diary).dropFirst(2).first?.token)
      let data = try NSKeyedArchiver.archivedData(
        withRootObject: token, requiringSecureCoding: true)
      let read = try #require(
        try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPersistentHistoryToken.self, from: data))
      #expect(read == token && read.hash == token.hash)
      #expect(
        try transactions(.fetchHistory(after: read), diary).map(\.transactionNumber) == [4, 5])
      #expect(read != (try transactions(everything, diary).first?.token))
    }
  }

  @Test func `A token whose successors were deleted has expired`() throws {
    try withDiary { diary in
      let all = try transactions(everything, diary)
      let deletion = Request.deleteHistory(before: all[3].token)
      #expect(deletion.resultType == .statusOnly)
      #expect(try deletion.value(from: [diary.store]) as? Bool == true)
      #expect(try transactions(everything, diary).map(\.transactionNumber) == [4, 5])
      // The history after the third transaction remains.
      #expect(
        try transactions(.fetchHistory(after: all[2].token), diary).map(\.transactionNumber) == [
          4, 5,
        ])
      for token in [all[0].token, all[1].token] {
        let request = Request.fetchHistory(after: token)
        #expect { try request.value(from: [diary.store]) } throws: {
          ($0 as? CocoaError)?.code == .persistentHistoryTokenExpired
        }
      }
    }
  }

  @Test func `A token of a newer copy of the store has expired in an older copy`() throws {
    try withDiary { diary in
      let token = try #require(try transactions(everything, diary).last?.token)
      try withTemporaryDirectory { folder in
        let older = try HistoryNotes(in: folder)
        try older.insert("a")
        #expect { try Request.fetchHistory(after: token).value(from: [older.store]) } throws: {
          ($0 as? CocoaError)?.code == .persistentHistoryTokenExpired
        }
      }
    }
  }

  @Test func `A token beyond the end of the history has expired, but one at the end has not`()
    throws
  {
    try withTemporaryDirectory { folder in
      let (older, newer) = (
        folder.appendingPathComponent("older"), folder.appendingPathComponent("newer")
      )
      for folder in [older, newer] {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      }
      let (short, long) = (try HistoryNotes(in: older), try HistoryNotes(in: newer))
      try short.insert("a")
      for title in ["a", "b"] { try long.insert(title) }
      let tokens = try transactions(everything, long).map(\.token)
      #expect(try transactions(.fetchHistory(after: tokens[0]), short).isEmpty)
      #expect { try Request.fetchHistory(after: tokens[1]).value(from: [short.store]) } throws: {
        ($0 as? CocoaError)?.code == .persistentHistoryTokenExpired
      }
    }
  }

  @Test func `Deletions before a date or a transaction return the number of deleted transactions`()
    throws
  {
    try withDiary { diary in
      let all = try transactions(everything, diary)
      let byDate = Request.deleteHistory(before: all[1].timestamp)
      byDate.resultType = .count
      #expect(try byDate.value(from: [diary.store]) as? Int == 1)
      let byTransaction = Request.deleteHistory(before: all[3])
      byTransaction.resultType = .count
      #expect(try byTransaction.value(from: [diary.store]) as? Int == 2)
      let nothing = Request.deleteHistory(before: nil as NSPersistentHistoryToken?)
      nothing.resultType = .count
      #expect(try nothing.value(from: [diary.store]) as? Int == 0)
      #expect(try transactions(everything, diary).map(\.transactionNumber) == [4, 5])
    }
  }

  // MARK: Fetch requests

  @Test func `Transactions are fetched by their attributes`() throws {
    try withDiary { diary in
      let cases: [(String, [Int64])] = [
        ("author == 'Ada'", [1, 2, 4]), ("author != 'Ada'", [3, 5]), ("author = nil", [5]),
        ("author IN {'Ben', 'Eve'}", [3]),
        ("transactionNumber > 3 AND contextName = 'main'", [4, 5]),
        ("bundleID BEGINSWITH 't' AND processID = 'other'", []),
      ]
      for (format, numbers) in cases {
        let fetch = try #require(NSPersistentHistoryTransaction.fetchRequest)
        fetch.predicate = NSPredicate(format: format)
        let request = Request.fetchHistory(withFetch: fetch)
        #expect(try transactions(request, diary).map(\.transactionNumber) == numbers, "\(format)")
        #expect(try transactions(request, diary).allSatisfy { $0.changes?.count == 1 })
      }
    }
  }

  @Test func `A fetch request filters, sorts and limits the history after a token`() throws {
    try withDiary { diary in
      let request = Request.fetchHistory(after: try transactions(everything, diary)[0].token)
      let fetch = try #require(NSPersistentHistoryTransaction.fetchRequest)
      fetch.predicate = NSPredicate(format: "author != nil")
      fetch.sortDescriptors = [NSSortDescriptor(key: "timestamp", ascending: false)]
      request.fetchRequest = fetch
      #expect(try transactions(request, diary).map(\.transactionNumber) == [4, 3, 2])
      fetch.fetchLimit = 1
      fetch.fetchOffset = 1
      #expect(try transactions(request, diary).map(\.transactionNumber) == [3])
      fetch.fetchOffset = -1
      #expect(try transactions(request, diary).map(\.transactionNumber) == [4])
      fetch.fetchOffset = 1
      request.resultType = .count
      #expect(try request.value(from: [diary.store]) as? Int == 1)
      fetch.fetchLimit = .max
      #expect(try request.value(from: [diary.store]) as? Int == 2)
    }
  }

  @Test func `Predicates compare tokens by their positions in the history`() throws {
    try withDiary { diary in
      let tokens = try transactions(everything, diary).map(\.token)
      let cases: [(NSPredicate, [Int64])] = [
        (NSPredicate(format: "token == %@", tokens[2]), [3]),
        (NSPredicate(format: "token > %@", tokens[2]), [4, 5]),
        (NSPredicate(format: "%@ >= token", tokens[1]), [1, 2]),
        (NSPredicate(format: "token >= %@", tokens[4]), [5]),
        (NSPredicate(format: "token != %@", tokens[0]), [2, 3, 4, 5]),
        (NSPredicate(format: "token IN %@", [tokens[1], tokens[3]]), [2, 4]),
        (NSPredicate(format: "NOT token <= %@ AND author == nil", tokens[3]), [5]),
      ]
      for (predicate, numbers) in cases {
        let fetch = try #require(NSPersistentHistoryTransaction.fetchRequest)
        fetch.predicate = predicate
        #expect(
          try transactions(.fetchHistory(withFetch: fetch), diary).map(\.transactionNumber)
            == numbers, "\(predicate)")
      }
    }
  }

  @Test func `Changes are fetched by their attributes and those of their transactions`() throws {
    try withDiary { diary in
      let object = try changes(everything, diary)[0].changedObjectID
      let cases: [(NSPredicate, [Int64])] = [
        (
          NSPredicate(format: "changeType == %d", NSPersistentHistoryChangeType.delete.rawValue),
          [4]
        ),
        (NSPredicate(format: "changedObjectID == %@", object), [1, 3]),
        (NSPredicate(format: "changedEntity = 'Note' AND transaction.author = 'Ada'"), [1, 2, 4]),
        (NSPredicate(format: "changedEntity == %@ AND changeType == 1", object.entity), [3]),
        (NSPredicate(format: "changedEntity IN %@ AND changeType == 1", [object.entity]), [3]),
        (NSPredicate(format: "changedEntity != %@", object.entity), []),
        (
          NSPredicate(
            format: "transaction.token > %@", try transactions(everything, diary)[3].token), [5]
        ),
      ]
      for (predicate, numbers) in cases {
        let fetch = try #require(NSPersistentHistoryChange.fetchRequest)
        fetch.predicate = predicate
        #expect(
          try changes(.fetchHistory(withFetch: fetch), diary).map(\.changeID) == numbers,
          "\(predicate)")
      }
    }
  }

  @Test func `Transactions of fetched changes contain only those changes`() throws {
    try withDiary { diary in
      let fetch = try #require(NSPersistentHistoryChange.fetchRequest)
      fetch.predicate = NSPredicate(format: "changeType = 2")
      let found = try transactions(.fetchHistory(withFetch: fetch), diary)
      #expect(found.map(\.transactionNumber) == [4])
      #expect(found[0].changes?.map(\.changeID) == [4])
    }
  }

  @Test func `A fetch request for an entity outside the history is rejected`() throws {
    try withDiary { diary in
      let request = Request.fetchHistory(withFetch: NSFetchRequest(entityName: "Note"))
      #expect { try request.value(from: [diary.store]) } throws: {
        let error = $0 as? CocoaError
        return error?.code == .persistentStoreUnsupportedRequestType
          && error?.localizedDescription.contains("Note") == true
      }
    }
  }

  @Test func `Entities name the attributes that predicates may use`() throws {
    let transaction = try #require(NSPersistentHistoryTransaction.entityDescription)
    #expect(transaction.attributesByName["author"]?.attributeType == .stringAttributeType)
    #expect(transaction.attributesByName["timestamp"]?.attributeType == .dateAttributeType)
    let change = try #require(NSPersistentHistoryChange.entityDescription)
    #expect(change.relationshipsByName["transaction"]?.destinationEntity === transaction)
    #expect(NSPersistentHistoryChange.fetchRequest !== NSPersistentHistoryChange.fetchRequest)
  }

  // MARK: Several stores

  @Test func `Tokens hold the positions of several stores`() throws {
    try withTemporaryDirectory { folder in
      let (one, other) = (
        try HistoryNotes(in: folder, digit: "1"), try HistoryNotes(in: folder, digit: "2")
      )
      try one.insert("a")
      try other.insert("b")
      try other.insert("c")
      let all = try transactions(everything, one, other)
      #expect(
        all.map { "\($0.storeID.suffix(1)).\($0.transactionNumber)" } == ["1.1", "2.1", "2.2"])
      try one.insert("d")
      try other.insert("e")
      let later = try transactions(.fetchHistory(after: all[2].token), one, other)
      #expect(later.map { "\($0.storeID.suffix(1)).\($0.transactionNumber)" } == ["1.2", "2.3"])
      // The position after the first transaction precedes everything in the other store.
      let between = try transactions(.fetchHistory(after: all[0].token), one, other)
      #expect(
        between.map { "\($0.storeID.suffix(1)).\($0.transactionNumber)" } == [
          "1.2", "2.1", "2.2", "2.3",
        ])
    }
  }

  @Test(arguments: [1, 2, 3], [true, false])
  func `Pages of a sorted history, each after the last token, have every transaction once`(
    _ limit: Int, _ isOfChanges: Bool
  ) throws {
    try withTemporaryDirectory { folder in
      let (one, other) = (
        try HistoryNotes(in: folder, digit: "1"), try HistoryNotes(in: folder, digit: "2")
      )
      for diary in [one, other] { for title in ["a", "b", "c"] { try diary.insert(title) } }
      let fetch = try #require(
        isOfChanges
          ? NSPersistentHistoryChange.fetchRequest : NSPersistentHistoryTransaction.fetchRequest)
      fetch.sortDescriptors = [
        NSSortDescriptor(key: isOfChanges ? "changeID" : "timestamp", ascending: true)
      ]
      fetch.fetchLimit = limit
      var found: [String] = []
      var token: NSPersistentHistoryToken?
      while found.count < 12 {
        let request = Request.fetchHistory(after: token)
        request.fetchRequest = fetch
        let page = try transactions(request, one, other)
        guard let last = page.last else { break }
        token = last.token
        found += page.map { "\($0.storeID.suffix(1)).\($0.transactionNumber)" }
      }
      #expect(found == ["1.1", "2.1", "1.2", "2.2", "1.3", "2.3"])
    }
  }

  @Test func `Deleting history before a transaction affects only its store`() throws {
    try withTemporaryDirectory { folder in
      let (one, other) = (
        try HistoryNotes(in: folder, digit: "1"), try HistoryNotes(in: folder, digit: "2")
      )
      for diary in [one, other] { for title in ["a", "b"] { try diary.insert(title) } }
      let last = try #require(try transactions(everything, one).last)
      _ = try Request.deleteHistory(before: last).value(from: [one.store, other.store])
      #expect(try transactions(everything, one).count == 1)
      #expect(try transactions(everything, other).count == 2)
    }
  }

  @Test func `A store that does not track history returns an empty history`() throws {
    try withTemporaryDirectory { folder in
      let diary = try HistoryNotes(in: folder, keepsHistory: false)
      try diary.insert("a")
      #expect(try transactions(everything, diary) == [])
    }
  }
}
