import ManagedObjectModel
import ObjectRows
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing

@Suite struct `Conflicts` {
  private func library() throws -> SampleStore {
    let sample = try SampleStore(SampleModels.library())
    try Changes(sample).insert("Book", 1, ["isbn": "a", "shelf": 1, "place": 1])
      .insert("Book", 2, ["isbn": "b", "shelf": 1, "place": 2]).insert("Book", 3, ["isbn": "c"])
      .saveAll()
    return sample
  }

  /// Conflicts as text.
  private func describe(_ conflicts: [StoreConflict], _ sample: SampleStore) -> [String] {
    conflicts.map { conflict in
      switch conflict {
      case .version(let row, let isDeletion, let persisted):
        "\(isDeletion ? "delete" : "update") \(row.key), stored: \(describe(persisted, sample))"
      case .uniqueness(let constraint, let entity, let rows, let persisted):
        "\(entity.name ?? "")(\(constraint.joined(separator: " "))) "
          + rows.map { "\($0.key)" }.joined(separator: " ")
          + ", stored: \(describe(persisted, sample))"
      }
    }
  }

  private func describe(_ page: RowPage?, _ sample: SampleStore) -> String {
    page.map { $0.layout.describe($0.row(at: 0), sample.layouts) } ?? "none"
  }

  @Test func `Version conflicts are collected with the store's rows, and nothing is written`()
    throws
  {
    let sample = try library()
    try Changes(sample).update("Book", 1, version: 1, ["title": "newer"]).delete(
      "Book", 3, version: 1
    ).saveAll()
    let conflicts = try Changes(sample).insert("Book", 9).update(
      "Book", 1, version: 1, ["title": "mine"]
    )
    .update("Book", 2, version: 1, ["title": "fine"]).update(
      "Book", 3, version: 1, ["title": "gone"]
    )
    .delete("Book", 3, version: 1).conflicts()
    #expect(
      describe(conflicts, sample) == [
        "delete 3, stored: none",
        "update 1, stored: Book 1 v2 isbn=a place=1 shelf=1 title=newer",
        "update 3, stored: none",
      ])
    #expect(
      try sample.rows("Book", 1, 2, 9) == [
        "Book 1 v2 isbn=a place=1 shelf=1 title=newer", "Book 2 v1 isbn=b place=2 shelf=1",
      ])
  }

  @Test func `A deletion's conflict shows the changed row`() throws {
    let sample = try library()
    try Changes(sample).update("Book", 1, version: 1, ["title": "newer"]).saveAll()
    let conflicts = try Changes(sample).delete("Book", 1, version: 1).conflicts()
    #expect(
      describe(conflicts, sample) == [
        "delete 1, stored: Book 1 v2 isbn=a place=1 shelf=1 title=newer"
      ])
    try Changes(sample).delete("Book", 1, version: nil).delete("Book", 77, version: nil).saveAll()
    #expect(try sample.rows("Book", 1) == [])
  }

  @Test func `A uniqueness conflict names the constraint, the rows and the store's row`() throws {
    let sample = try library()
    let conflicts = try Changes(sample).insert("Book", 10, ["isbn": "a"]).insert(
      "Book", 11, ["isbn": "a"]
    )
    .insert("Book", 12, ["isbn": "x"]).insert("Book", 13, ["isbn": "x"])
    .update("Book", 3, version: 1, ["shelf": 1, "place": 2]).conflicts()
    #expect(
      describe(conflicts, sample) == [
        "Book(shelf place) 3, stored: Book 2 v1 isbn=b place=2 shelf=1",
        "Book(isbn) 10 11, stored: Book 1 v1 isbn=a place=1 shelf=1",
        "Book(isbn) 12 13, stored: none",
      ])
    #expect(try sample.rows("Book", 3, 10, 12) == ["Book 3 v1 isbn=c"])
  }

  @Test func `Two constraints against one row are two conflicts`() throws {
    let sample = try library()
    let conflicts = try Changes(sample).insert("Book", 10, ["isbn": "a", "shelf": 1, "place": 1])
      .conflicts()
    #expect(
      describe(conflicts, sample) == [
        "Book(isbn) 10, stored: Book 1 v1 isbn=a place=1 shelf=1",
        "Book(shelf place) 10, stored: Book 1 v1 isbn=a place=1 shelf=1",
      ])
  }

  @Test func `Conflicts are found without writing`() throws {
    let sample = try library()
    let found = try Changes(sample).insert("Book", 9, ["isbn": "a"]).update(
      "Book", 2, version: 7, ["title": "x"]
    )
    .check()
    #expect(
      describe(found, sample) == [
        "update 2, stored: Book 2 v1 isbn=b place=2 shelf=1",
        "Book(isbn) 9, stored: Book 1 v1 isbn=a place=1 shelf=1",
      ])
    let fine = try Changes(sample).insert("Book", 9, ["isbn": "z"]).delete("Book", 3, version: 1)
    #expect(try fine.check().isEmpty)
    #expect(try sample.rows("Book", 3, 9) == ["Book 3 v1 isbn=c"])
    try fine.saveAll()
    #expect(try sample.rows("Book", 3, 9) == ["Book 9 v1 isbn=z"])
  }

  @Test func `Missing values do not conflict`() throws {
    let sample = try library()
    try Changes(sample).insert("Book", 10, ["shelf": 1]).insert("Book", 11, ["shelf": 1]).saveAll()
    #expect(try sample.rows("Book", 10, 11).count == 2)
  }

  @Test func `Uniqueness conflicts cover a whole hierarchy`() throws {
    let sample = try SampleStore(SampleModels.library())
    try Changes(sample).insert("Manager", 1, ["email": "m"]).saveAll()
    let conflicts = try Changes(sample).insert("Person", 2, ["email": "m"]).conflicts()
    #expect(describe(conflicts, sample) == ["Person(email) 2, stored: Manager 1 v1 email=m"])
  }

  @Test func `Rows that exchange their values do not conflict`() throws {
    let sample = try library()
    try Changes(sample).update("Book", 1, version: 1, ["isbn": "b"]).update(
      "Book", 2, version: 1, ["isbn": "c"]
    )
    .update("Book", 3, version: 1, ["isbn": "a"]).saveAll()
    #expect(
      try sample.rows("Book", 1, 2, 3) == [
        "Book 1 v2 isbn=b place=1 shelf=1", "Book 2 v2 isbn=c place=2 shelf=1", "Book 3 v2 isbn=a",
      ])
  }

  @Test func `Rows that move up by one are retried once`() throws {
    let sample = try SampleStore(SampleModels.library())
    let (insertion, update) = (Changes(sample), Changes(sample))
    let count = 2000
    for place in 1...count {
      try insertion.insert("Book", Int64(place), ["shelf": 1, "place": place])
      try update.update("Book", Int64(place), version: 1, ["shelf": 1, "place": place + 1])
    }
    try insertion.saveAll()
    _ = sample.statements.take()
    try update.saveAll()
    let updates = sample.statements.take().count { $0.hasPrefix("UPDATE") }
    #expect(updates == 2 * count - 1)
    #expect(
      try sample.rows("Book", 1, Int64(count)) == [
        "Book 1 v2 place=2 shelf=1", "Book \(count) v2 place=\(count + 1) shelf=1",
      ])
  }

  @Test func `Each value that several rows have is one conflict`() throws {
    let sample = try SampleStore(SampleModels.library())
    let (insertion, update) = (Changes(sample), Changes(sample))
    var expected: [String] = []
    for key in 1...Int64(50) {
      try insertion.insert("Book", key, ["isbn": "\(key)"])
      try update.insert("Book", key + 50, ["isbn": "\(key)"])
      try update.insert("Book", key + 100, ["isbn": "\(key)"])
      expected.append("Book(isbn) \(key + 50) \(key + 100), stored: Book \(key) v1 isbn=\(key)")
    }
    try insertion.saveAll()
    let conflicts = try update.conflicts()
    #expect(describe(conflicts, sample) == expected)
  }

  @Test func `Values released by deleted or changed rows do not conflict`() throws {
    let sample = try library()
    try Changes(sample).insert("Book", 10, ["isbn": "a"]).insert("Book", 11, ["isbn": "b"])
      .update("Book", 2, version: 1, ["isbn": "z"]).delete("Book", 1, version: 1).saveAll()
    #expect(
      try sample.rows("Book", 1, 2, 10, 11) == [
        "Book 10 v1 isbn=a", "Book 11 v1 isbn=b", "Book 2 v2 isbn=z place=2 shelf=1",
      ])
  }

  @Test func `A new value that an unchanged row has conflicts`() throws {
    let sample = try library()
    let conflicts = try Changes(sample).update("Book", 1, version: 1, ["isbn": "b"])
      .update("Book", 2, version: 1, ["isbn": "c"]).conflicts()
    #expect(describe(conflicts, sample) == ["Book(isbn) 2, stored: Book 3 v1 isbn=c"])
    #expect(
      try sample.rows("Book", 1, 2) == [
        "Book 1 v1 isbn=a place=1 shelf=1", "Book 2 v1 isbn=b place=2 shelf=1",
      ])
  }

  @Test func `A conflict with an index that the model does not know is an error`() throws {
    try withTemporaryDirectory { folder in
      let sample = try SampleStore(SampleModels.library(), in: folder)
      try sample.outsider().execute("CREATE UNIQUE INDEX surprise ON ZTAG (ZLABEL)")
      try Changes(sample).insert("Tag", 1, ["label": "x"]).saveAll()
      let error = try #require(throws: StoreError.self) {
        _ = try Changes(sample).insert("Tag", 2, ["label": "x"]).save()
      }
      #expect(error.code == .sqlite)
      #expect(error.message.contains("ZTAG"))
      #expect(try sample.rows("Tag", 1, 2) == ["Tag 1 v1 label=x"])
    }
  }
}
