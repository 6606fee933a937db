import Foundation
import ManagedObjectModel
import ObjectRows
import PredicateLanguage
import SQLiteDriver
import SQLiteStore
import Testing

@Suite struct `Collecting rows` {
  private static func wideModel(_ count: Int) -> NSManagedObjectModel {
    let wide = entity("Wide", (0..<count).map { attribute("a\($0)", .integer64AttributeType) })
    let folder = entity("Folder", [attribute("name", .stringAttributeType)])
    relate(.many(folder, "members"), .one(wide, "folder"))
    return model([wide, folder])
  }

  @Test(arguments: [1, 96, 97, 98, 200])
  func `Every attribute is read, however many there are`(count: Int) throws {
    let sample = try SampleStore(Self.wideModel(count))
    let changes = try Changes(sample).insert("Folder", 1)
    for key in 1...3 as ClosedRange<Int64> {
      var values: [String: Any] = ["folder": Reference("Folder", 1)]
      for number in 0..<count { values["a\(number)"] = Int(key) * 1000 + number }
      try changes.insert("Wide", key, values)
    }
    try changes.saveAll()
    let (layout, ordinals) = (
      sample["Wide"], try (0..<count).map { try #require(sample["Wide"].ordinal(of: "a\($0)")) }
    )
    func check(_ found: FetchedRows, _ keys: [Int64]) {
      #expect(found.rows.map(\.row.key) == keys)
      for row in found.rows.map(\.row) {
        #expect(
          ordinals.map { layout.slot($0).load(from: row, as: Int64.self) }
            == (0..<count).map { row.key * 1000 + Int64($0) })
      }
    }
    check(
      try sample.store.fetchRows(RowFetch(layout: layout, specification: FetchSpecification())),
      [1, 2, 3])
    check(try sample.store.rows(withKeys: [2], layout: layout), [2])
    check(try sample.store.rows(withKeys: [1, 3], layout: layout), [1, 3])
    let members = try #require(sample["Folder"].entity.relationshipsByName["members"])
    let related = try sample.store.members(
      of: members, owners: [1], layout: sample["Folder"], includingRows: true)
    check(try #require(related.rows), [1, 2, 3])
  }

  @Test func `Unordered rows without a limit are collected, others are stepped`() throws {
    let store = try LibraryStore()
    func collects(_ configure: (inout FetchSpecification) -> Void) throws -> [Bool] {
      var fetch = try store.fetch("Author", NSPredicate(format: "name > 'a'"))
      configure(&fetch.specification)
      let translated = try [
        store.translator.rows(fetch, selecting: ["ZNAME"]), store.translator.keys(fetch),
        store.translator.count(fetch),
      ]
      return translated.map { $0.query.statement != $0.query.sql }
    }
    #expect(try collects { _ in } == [true, true, false])
    #expect(
      try collects { $0.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)] } == [
        false, false, false,
      ])
    #expect(try collects { $0.fetchLimit = 2 } == [false, false, false])
    #expect(try collects { $0.fetchOffset = 2 } == [false, false, false])
    let all = RowQuery(
      collecting: "SELECT \(Array(repeating: "1", count: 200).joined(separator: ", "))",
      columns: 200)
    #expect(all.statement == all.sql)
  }
}
