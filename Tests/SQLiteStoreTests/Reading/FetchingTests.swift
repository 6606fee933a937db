import Foundation
import ManagedObjectModel
import ObjectRows
import PredicateLanguage
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing

@Suite struct `Fetching from a store` {
  private func library() throws -> SampleStore {
    let sample = try SampleStore(SampleModels.library())
    let changes = Changes(sample)
    for key in 1...9 {
      try changes.insert(
        ["Person", "Employee", "Manager"][key % 3], Int64(key), ["name": "n\(key % 4)"])
    }
    try changes.saveAll()
    _ = sample.statements.take()
    return sample
  }

  private func fetch(
    _ sample: SampleStore, _ entity: String,
    _ configure: (inout FetchSpecification) -> Void = { _ in }
  ) -> RowFetch {
    var specification = FetchSpecification()
    specification.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    configure(&specification)
    return RowFetch(layout: sample[entity], specification: specification)
  }

  @Test func `One statement fetches a hierarchy's rows in order`() throws {
    let sample = try library()
    let found = try sample.store.fetchRows(fetch(sample, "Employee"))
    #expect(
      sample.describe(found) == [
        "Employee 4 v1 name=n0", "Manager 8 v1 name=n0", "Employee 1 v1 name=n1",
        "Manager 5 v1 name=n1",
        "Manager 2 v1 name=n2", "Employee 7 v1 name=n3",
      ])
    #expect(sample.statements.take().count == 1)
    #expect(found.pages.map(\.layout.entity.name) == ["Employee", "Manager"])
  }

  @Test func `By default rows are ordered by key`() throws {
    let sample = try library()
    let request = fetch(sample, "Employee") { $0.sortDescriptors = nil }
    let statement = try FetchTranslator(schema: sample.store.schema).keys(request)
    #expect(!statement.sql.contains("ORDER BY"))
    let found = try sample.store.fetchRows(request)
    #expect(found.rows.map(\.row.key) == [1, 2, 4, 5, 7, 8])
    #expect(found.pages.count == 2)
    #expect(try sample.store.fetchKeys(request).map(\.key) == [1, 2, 4, 5, 7, 8])
  }

  @Test func `Subentities can be excluded`() throws {
    let sample = try library()
    let found = try sample.store.fetchRows(
      fetch(sample, "Employee") { $0.includesSubentities = false })
    #expect(found.rows.map(\.row.key) == [4, 1, 7])
  }

  @Test func `Keys and counts are fetched without values`() throws {
    let sample = try library()
    let request = fetch(sample, "Person") { $0.predicate = NSPredicate(format: "name == %@", "n1") }
    let keys = try sample.store.fetchKeys(request)
    #expect(keys.map(\.key).sorted() == [1, 5, 9])
    #expect(keys.first { $0.key == 5 }?.layoutIndex == Int32(sample["Manager"].index))
    #expect(try sample.store.count(request) == 3)
    #expect(sample.statements.take().allSatisfy { !$0.contains("ZSALARY") })
  }

  @Test func `A page has the size of its limit`() throws {
    let sample = try library()
    let found = try sample.store.fetchRows(
      fetch(sample, "Person") { ($0.fetchLimit, $0.fetchOffset) = (3, 2) })
    #expect(found.rows.count == 3)
    #expect(found.pages.allSatisfy { $0.capacity <= 3 })
  }

  @Test func `Dictionaries are fetched in order`() throws {
    let sample = try library()
    let found = try sample.store.fetchDictionaries(
      fetch(sample, "Manager") {
        $0.resultType = .dictionaryResultType
        $0.propertiesToFetch = ["name"]
      })
    #expect(found.map { $0["name"] as? String } == ["n0", "n1", "n2"])
  }

  @Test func `Results do not depend on the size of the previous fetch`() throws {
    let sample = try library()
    let named: [(String, [Int64])] = [
      ("n0", [4, 8]), ("n1", [1, 5, 9]), ("n4", []), ("n2", [2, 6]), ("n1", [1, 5, 9]),
      ("n1", [1, 5, 9]),
    ]
    for (name, keys) in named + named.reversed() {
      let request = fetch(sample, "Person") {
        $0.predicate = NSPredicate(format: "name == %@", name)
        $0.sortDescriptors = nil
      }
      let found = try sample.store.fetchRows(request)
      #expect(found.rows.map(\.row.key) == keys)
      #expect(found.pages.count <= 3)
    }
    #expect(sample.statements.take().count == 12)
  }

  @Test func `A long list of keys is released after its fetch`() throws {
    let sample = try library()
    let request = fetch(sample, "Person") {
      $0.predicate = NSPredicate(
        format: "self IN %@",
        (1...100).map { key in
          NSManagedObjectID(
            layout: sample["Person"], key: Int64(key), storeIdentity: sample.store.identity)
        })
    }
    #expect(try sample.store.count(request) == 9)
    #expect(try sample.rememberedKeys().isEmpty)
  }

  @Test func `A fetch that SQL cannot express is refused`() throws {
    let sample = try library()
    let request = fetch(sample, "Person") { $0.predicate = NSPredicate(format: "shoeSize == 42") }
    let error = try #require(throws: StoreError.self) { try sample.store.fetchRows(request) }
    #expect(error.code == .unsupportedFetch)
  }
}
