import ManagedObjectModel
import ObjectRows
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing

@Suite struct `Reading rows by key` {
  @Test func `One row takes one prepared statement`() throws {
    let sample = try SampleStore(SampleModels.library())
    try Changes(sample).insert("Tag", 1).saveAll()
    _ = sample.statements.take()
    _ = try (sample.rows("Tag", 1), sample.rows("Tag", 2))
    #expect(
      sample.statements.take() == [
        "SELECT t0.Z_ENT, t0.Z_PK, t0.Z_OPT, t0.ZLABEL FROM ZTAG t0 WHERE t0.Z_PK = ?",
        "SELECT t0.Z_ENT, t0.Z_PK, t0.Z_OPT, t0.ZLABEL FROM ZTAG t0 WHERE t0.Z_PK = ?",
      ])
    _ = try sample.rows("Tag", 1, 2)
    #expect(
      sample.statements.take() == [
        "SELECT t0.Z_ENT, t0.Z_PK, t0.Z_OPT, t0.ZLABEL FROM ZTAG t0 WHERE t0.Z_PK IN (SELECT value FROM _Z_intarray0)"
      ])
  }

  @Test func `Each row is on a page of its own entity`() throws {
    let sample = try SampleStore(SampleModels.library())
    let changes = Changes(sample)
    for key in 1...30 {
      try changes.insert(
        ["Person", "Employee", "Manager"][key % 3], Int64(key), ["name": "n\(key)"])
    }
    try changes.saveAll()
    let rows = try sample.store.rows(withKeys: (1...31).map { Int64($0) }, layout: sample["Person"])
    #expect(rows.rows.count == 30)
    #expect(
      rows.rows.allSatisfy { row in
        rows.pages[Int(row.page)].layout.entity.name
          == ["Person", "Employee", "Manager"][Int(row.row.key) % 3]
      })
    #expect(rows.pages.map(\.count).reduce(0, +) == 30)
    let managers = try sample.store.rows(
      withKeys: (1...31).map { Int64($0) }, layout: sample["Manager"])
    #expect(
      managers.rows.map(\.row.key).sorted() == stride(from: 2, through: 30, by: 3).map { Int64($0) }
    )
  }

  @Test func `Few rows take small pages, many take larger ones`() throws {
    let sample = try SampleStore(SampleModels.posts())
    let changes = Changes(sample)
    for key in 1...1000 { try changes.insert("Post", Int64(key), ["rank": key]) }
    try changes.saveAll()
    #expect(
      try sample.store.rows(withKeys: [1], layout: sample["Post"]).pages.map(\.capacity) == [1])
    let all = try sample.store.rows(withKeys: (1...1000).map { Int64($0) }, layout: sample["Post"])
    #expect(all.pages.map(\.capacity) == [256, 256, 256, 232])
    #expect(all.rows.count == 1000)
  }

  @Test func `No keys give no rows, without a statement`() throws {
    let sample = try SampleStore(SampleModels.posts())
    #expect(try sample.store.rows(withKeys: [], layout: sample["Post"]).rows.isEmpty)
    #expect(sample.statements.take() == [])
  }
}

@Suite struct `Reading relationships` {
  private func library() throws -> SampleStore {
    let sample = try SampleStore(SampleModels.library())
    let changes = try Changes(sample).insert("Author", 1).insert("Author", 2).insert("Tag", 5)
    for key in [3, 1, 2, 4] as [Int64] {
      try changes.insert(
        "Book", key, ["title": "b\(key)", "author": Reference("Author", key < 4 ? 1 : 2)])
    }
    try changes.insert("Manager", 1, ["name": "m"]).insert(
      "Company", 1, ["head": Reference("Manager", 1)])
    try changes.insert("Company", 2, ["head": Reference("Manager", 1)]).insert("Company", 3)
    try changes.members("Author", "books", of: 1, order: [3, 1, 2].map { Reference("Book", $0) })
    try changes.members("Book", "tags", of: 4, added: [Reference("Tag", 5)]).saveAll()
    _ = sample.statements.take()
    return sample
  }

  @Test func `Many owners take one statement, with or without rows`() throws {
    let sample = try library()
    #expect(try sample.members("Author", "books", of: 7, 2, 1, 2) == ["1: 3 1 2", "2: 4"])
    let books = try #require(sample["Author"].entity.relationshipsByName["books"])
    let related = try sample.store.members(
      of: books, owners: [1, 2, 7], layout: sample["Author"], includingRows: true)
    #expect(Array(related.owners) == [1, 1, 1, 2])
    #expect(related.members.map(\.key) == [3, 1, 2, 4])
    let rows = try #require(related.rows)
    #expect(sample.describe(rows).map { $0.split(separator: " ")[1] } == ["3", "1", "2", "4"])
    #expect(
      sample.statements.take() == [
        "SELECT t0.Z_ENT, t0.Z_PK, t0.ZAUTHOR, t0.Z_FOK_AUTHOR FROM _Z_intarray0 o CROSS JOIN ZBOOK t0 "
          + "WHERE t0.ZAUTHOR = o.value",
        "SELECT t0.Z_ENT, t0.Z_PK, t0.Z_OPT, t0.ZAUTHOR, t0.ZISBN, t0.ZPLACE, t0.ZSHELF, t0.ZTITLE, t0.Z_FOK_AUTHOR "
          + "FROM _Z_intarray0 o CROSS JOIN ZBOOK t0 WHERE t0.ZAUTHOR = o.value",
      ])
  }

  @Test func `Owners with consecutive keys are read along their index`() throws {
    let sample = try library()
    #expect(try sample.members("Author", "books", of: 2, 1, 3, 2) == ["1: 3 1 2", "2: 4"])
    #expect(try sample.members("Book", "tags", of: 3, 4) == ["4: 5"])
    #expect(
      sample.statements.take() == [
        "SELECT t0.Z_ENT, t0.Z_PK, t0.ZAUTHOR, t0.Z_FOK_AUTHOR FROM ZBOOK t0 WHERE t0.ZAUTHOR BETWEEN ? AND ?",
        "SELECT t0.Z_ENT, t0.Z_PK, t1.Z_2BOOKS, t1.Z_FOK_7TAGS FROM Z_2TAGS t1 JOIN ZTAG t0 ON t0.Z_PK = t1.Z_7TAGS "
          + "WHERE t1.Z_2BOOKS BETWEEN ? AND ?",
      ])
  }

  @Test func `One owner takes a statement with a parameter`() throws {
    let sample = try library()
    #expect(try sample.members("Author", "books", of: 2) == ["2: 4"])
    #expect(
      sample.statements.take() == [
        "SELECT t0.Z_ENT, t0.Z_PK, t0.ZAUTHOR, t0.Z_FOK_AUTHOR FROM ZBOOK t0 WHERE t0.ZAUTHOR = ?"
      ])
  }

  @Test func `Join table entries without a row are skipped`() throws {
    try withTemporaryDirectory { folder in
      let sample = try SampleStore(SampleModels.library(), in: folder)
      try Changes(sample).insert("Book", 4).insert("Tag", 5)
        .members("Book", "tags", of: 4, added: [Reference("Tag", 5), Reference("Tag", 6)]).saveAll()
      #expect(try sample.members("Book", "tags", of: 4, 5) == ["4: 5"])
      #expect(try sample.members("Tag", "books", of: 5, 6) == ["5: 4", "6: 4"])
    }
  }

  @Test func `To-one relationships find the destinations of their owners`() throws {
    let sample = try library()
    #expect(try sample.members("Company", "head", of: 1, 2, 3) == ["1: 1", "2: 1"])
    #expect(try sample.members("Person", "headed", of: 1) == ["1: 1 2"])
    let head = try #require(sample["Company"].entity.relationshipsByName["head"])
    let related = try sample.store.members(
      of: head, owners: [2], layout: sample["Company"], includingRows: true)
    #expect(related.rows.map(sample.describe) == ["Manager 1 v1 name=m"])
    #expect(related.members.map(\.layoutIndex) == [Int32(sample["Manager"].index)])
  }

  @Test func `No owners take no statement`() throws {
    let sample = try library()
    #expect(try sample.members("Author", "books") == [])
    #expect(sample.statements.take() == [])
  }
}
