import Foundation
import ManagedObjectModel
import ObjectRows
import PredicateLanguage
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing

/// The cost of batch requests in statements, which the log of a store counts.
@Suite struct BatchStatementTests {
  private func store(of authors: Int, in folder: URL) throws -> SampleStore {
    let sample = try SampleStore(SampleModels.library(), in: folder, keepsHistory: true)
    let changes = Changes(sample)
    for key in 1...Int64(authors) {
      try changes.insert("Author", key).insert("Book", key, ["author": Reference("Author", key)])
    }
    try changes.saveAll()
    _ = sample.statements.take()
    return sample
  }

  private func fetch(_ sample: SampleStore, _ entity: String) -> RowFetch {
    RowFetch(layout: sample[entity], specification: FetchSpecification())
  }

  private func statementsOfDeletion(of authors: Int) throws -> [String] {
    try withTemporaryDirectory { folder in
      let sample = try store(of: authors, in: folder)
      let receipt = try sample.store.delete(
        BatchDeletion(fetch: fetch(sample, "Author"), transaction: .sample, reportsKeys: true))
      #expect(receipt.count == authors && receipt.keys.count == authors)
      // The deleted authors, and the books that lost their author.
      #expect(receipt.stale.count == 2 * authors)
      return sample.statements.take()
    }
  }

  @Test func `A deletion runs as many statements for many rows as for few`() throws {
    let few = try statementsOfDeletion(of: 2)
    let many = try statementsOfDeletion(of: 500)
    #expect(few.count == many.count)
    #expect(few.filter { $0.hasPrefix("DELETE FROM ZAUTHOR") }.count == 1)
  }

  private func statementsOfUpdate(of authors: Int) throws -> [String] {
    try withTemporaryDirectory { folder in
      let sample = try store(of: authors, in: folder)
      let layout = sample["Author"]
      let constants = layout.allocateRow(key: 0)
      defer { layout.deallocateRow(constants) }
      let ordinal = try #require(layout.ordinal(of: "name"))
      #expect(layout.setValue("Ada", ofAttribute: ordinal, in: constants))
      let receipt = try sample.store.update(
        BatchUpdate(
          fetch: fetch(sample, "Author"), constants: constants,
          constantOrdinals: OrdinalSet([ordinal]), expressions: [], transaction: .sample,
          reportsKeys: false))
      #expect(receipt.count == authors && receipt.keys.isEmpty)
      return sample.statements.take()
    }
  }

  @Test func `An update runs as many statements for many rows as for few`() throws {
    let few = try statementsOfUpdate(of: 2)
    let many = try statementsOfUpdate(of: 500)
    #expect(few.count == many.count)
    #expect(few.filter { $0.hasPrefix("UPDATE OR FAIL ZAUTHOR") }.count == 1)
  }

  @Test(arguments: [("Employee", "salary"), ("Book", "shelf")])
  func `A computed number beyond 64 bits is an error`(entity: String, name: String) throws {
    let sample = try SampleStore(SampleModels.library())
    try Changes(sample).insert(entity, 1, [name: Int(Int32.max)]).saveAll()
    let layout = sample[entity]
    let constants = layout.allocateRow(key: 0)
    defer { layout.deallocateRow(constants) }
    let cube = BatchUpdate.Assignment(
      ordinal: try #require(layout.ordinal(of: name)), path: [],
      expression: PredicateLanguage.NSExpression(format: "\(name) * \(name) * \(name)"))
    let update = BatchUpdate(
      fetch: fetch(sample, entity), constants: constants, constantOrdinals: OrdinalSet(),
      expressions: [cube], transaction: .sample, reportsKeys: false)
    let error = try #require(throws: StoreError.self) { try sample.store.update(update) }
    #expect(error.code == .batchValue && error.context["property"] == name)
    #expect(try sample.rows(entity, 1) == ["\(entity) 1 v1 \(name)=\(Int32.max)"])
  }

  @Test func `A column whose name contains a keyword needs no collected values`() throws {
    let sample = try SampleStore(model("Item\n  selected Integer64"))
    try Changes(sample).insert("Item", 1, ["selected": 1]).saveAll()
    _ = sample.statements.take()
    let layout = sample["Item"]
    let constants = layout.allocateRow(key: 0)
    defer { layout.deallocateRow(constants) }
    let increment = BatchUpdate.Assignment(
      ordinal: try #require(layout.ordinal(of: "selected")), path: [],
      expression: PredicateLanguage.NSExpression(format: "selected + 1"))
    _ = try sample.store.update(
      BatchUpdate(
        fetch: fetch(sample, "Item"), constants: constants, constantOrdinals: OrdinalSet(),
        expressions: [increment], transaction: .sample, reportsKeys: false))
    #expect(!sample.statements.take().contains { $0.contains("PHB_VALUES") })
    #expect(try sample.rows("Item", 1) == ["Item 1 v2 selected=2"])
  }

  @Test func `A request without matching rows changes nothing`() throws {
    try withTemporaryDirectory { folder in
      let sample = try store(of: 1, in: folder)
      var none = fetch(sample, "Author")
      none.specification.predicate = NSPredicate(format: "name == 'missing'")
      let receipt = try sample.store.delete(
        BatchDeletion(fetch: none, transaction: .sample, reportsKeys: true))
      #expect(!receipt.hasChanges && receipt.transactionNumber == nil)
      #expect(try sample.store.latestHistoryNumber() == 1)
    }
  }
}
