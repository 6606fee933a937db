import Foundation
import ManagedObjectModel
import ObjectRows
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing

@Suite struct `Ordered relationships` {
  /// An author with books in the order of their keys.
  private func library(books: Int) throws -> SampleStore {
    let sample = try SampleStore(SampleModels.library())
    let changes = try Changes(sample).insert("Author", 1)
    for key in 1...books {
      try changes.insert("Book", Int64(key), ["author": Reference("Author", 1)])
    }
    try changes.members(
      "Author", "books", of: 1, order: (1...books).map { Reference("Book", Int64($0)) }
    ).saveAll()
    _ = sample.statements.take()
    return sample
  }

  @Test func `Members are numbered in steps`() throws {
    try withTemporaryDirectory { folder in
      let sample = try SampleStore(SampleModels.library(), in: folder)
      try Changes(sample).insert("Author", 1).insert("Book", 1, ["author": Reference("Author", 1)])
        .insert("Book", 2, ["author": Reference("Author", 1)])
        .members("Author", "books", of: 1, order: [Reference("Book", 2), Reference("Book", 1)])
        .saveAll()
      #expect(
        try sample.outsider().rows("SELECT Z_PK, Z_FOK_AUTHOR FROM ZBOOK ORDER BY Z_PK") == [
          [1, 3072], [2, 2048],
        ])
      #expect(try sample.members("Author", "books", of: 1) == ["1: 2 1"])
    }
  }

  @Test func `Only a moved member is written`() throws {
    let sample = try library(books: 5)
    try Changes(sample).members(
      "Author", "books", of: 1, order: [5, 1, 2, 3, 4].map { Reference("Book", $0) }
    )
    .saveAll()
    #expect(
      sample.statements.take() == [
        "BEGIN EXCLUSIVE", "SELECT Z_PK, Z_FOK_AUTHOR FROM ZBOOK WHERE ZAUTHOR = ?",
        "UPDATE ZBOOK SET Z_FOK_AUTHOR = ? WHERE Z_PK = ?", "COMMIT",
      ])
    #expect(try sample.members("Author", "books", of: 1) == ["1: 5 1 2 3 4"])
  }

  @Test func `A member that leaves loses its position, one that stays keeps it`() throws {
    let sample = try library(books: 3)
    try Changes(sample).insert("Author", 2).update(
      "Book", 2, version: 1, ["author": Reference("Author", 2)]
    )
    .update("Book", 3, version: 1, ["author": Reference("Author", 1)]).saveAll()
    #expect(try sample.members("Author", "books", of: 1, 2) == ["1: 1 3", "2: 2"])
    try Changes(sample).update("Book", 1, version: 1, ["author": NSNull()]).saveAll()
    #expect(try sample.members("Author", "books", of: 1, 2) == ["1: 3", "2: 2"])
  }

  @Test func `A join table keeps its order through added and removed pairs`() throws {
    let sample = try SampleStore(SampleModels.library())
    let tags = [3, 1, 2].map { Reference("Tag", $0) }
    let changes = try Changes(sample).insert("Book", 1).insert("Book", 2)
    for tag in tags { try changes.insert("Tag", tag.key) }
    try changes.members("Book", "tags", of: 1, added: tags, order: tags).saveAll()
    #expect(try sample.members("Book", "tags", of: 1) == ["1: 3 1 2"])
    // The pair is reported from the other side and again from this one.
    try Changes(sample).members(
      "Tag", "books", of: 1, added: [Reference("Book", 2), Reference("Book", 1)]
    )
    .members("Book", "tags", of: 1, removed: [tags[2]], order: Array(tags[0...1])).saveAll()
    #expect(try sample.members("Book", "tags", of: 1, 2) == ["1: 3 1", "2: 1"])
    #expect(try sample.members("Tag", "books", of: 1, 2, 3) == ["1: 1 2", "3: 1"])
  }
}
