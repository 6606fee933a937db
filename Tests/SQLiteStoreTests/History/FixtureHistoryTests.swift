import Foundation
import ManagedObjectModel
import ObjectRows
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing

@Suite(.requiresFixtures) struct `Histories that Apple's framework wrote` {
  private func open(_ name: String, _ body: (SQLiteRowStore, Connection) throws -> Void) throws {
    try withTemporaryDirectory { folder in
      let fixture = try FixtureStore.named(name)
      let url = try fixture.copy(to: folder)
      var options = StoreOptions()
      options.tracksHistory = true
      let opened = try StoreOpening(url: url, layouts: .of(fixture.model()), options: options).run()
      let store = try SQLiteRowStore(opened)
      try body(store, Connection(.file(url.path)))
    }
  }

  @Test func `The history of a store of books is read`() throws {
    try open("CoreDataPlus__SampleModel2_V2.sqlite") { store, _ in
      let rows = try store.history(HistoryQuery())
      #expect(rows.transactions.map(\.number) == [1])
      #expect(rows.transactions[0].bundleID == "com.apple.dt.xctest.tool")
      #expect(rows.transactions[0].processID == "xctest")
      #expect(rows.transactions[0].author == nil)
      #expect(rows.changes.count == 126)
      #expect(Set(rows.changes.map(\.kind)) == [.insertion])
      #expect(
        Set(rows.changes.compactMap(\.layout.entity.name)) == [
          "Book", "GraphicNovel", "Feedback", "Page", "Author",
        ])
    }
  }

  @Test func `The history of a store of notes is read and continued`() throws {
    try open("plaso__NoteStore.sqlite") { store, file in
      let rows = try store.history(HistoryQuery())
      #expect(rows.transactions.count == 84)
      #expect(rows.changes.count == 298)
      #expect(rows.changes.filter { $0.kind == .update }.allSatisfy { !$0.changed.isEmpty })
      #expect(rows.transactions.contains { $0.contextName == "ViewContext" && $0.author != nil })
      #expect(try store.latestHistoryNumber() == 84)
      let location = try #require(store.layouts[named: "ICServerChangeToken"])
      let page = RowPage(layout: location, capacity: 1)
      let keys = try store.reserveKeys([(location, 1)], forSave: true)
      var changes = StoreChanges(transaction: .sample)
      changes.inserted.append(
        RowChange(
          layout: location, row: page.appendRow(key: keys[0][0], version: 0), changed: OrdinalSet(),
          expectedVersion: nil))
      _ = try store.save(changes)
      let newer = try store.history(HistoryQuery(after: 84))
      #expect(newer.transactions.map(\.number) == [85])
      #expect(newer.changes.map(\.number) == [299])
      #expect(try file.value("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16001") == 299)
    }
  }
}
