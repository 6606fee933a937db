import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import SQLiteDriver
import SQLiteStore
import Synchronization
import Testing

/// The pairs of many-to-many relationships that a save passes to its store.
@Suite struct SavedMembershipTests {
  /// Records the pairs of each save.
  private final class PairRecorder: SaveCompanion {
    private let recorded = Mutex<[String]>([])

    func noteSave(
      _ changes: StoreChanges, _ receipt: StoreSaveReceipt, of store: SQLiteRowStore,
      on connection: Connection
    ) {
      let lines = changes.memberships.flatMap { change in
        change.added.map { "\(change.relationship.name) +\(change.owner)-\($0.key)" }
          + change.removed.map { "\(change.relationship.name) -\(change.owner)-\($0.key)" }
      }
      recorded.withLock { $0 = lines.sorted() }
    }

    func noteBatch(of store: SQLiteRowStore, on connection: Connection) throws {}

    func willDeleteHistory(of store: SQLiteRowStore, on connection: Connection) {}

    var lines: [String] { recorded.withLock { $0 } }
  }

  private let office: Office
  private let recorder = PairRecorder()
  private var context: NSManagedObjectContext { office.context }

  init() throws {
    office = try Office(at: URL(fileURLWithPath: "/dev/null"))
    let store = try #require(office.coordinator.openStores.first?.rowStore as? SQLiteRowStore)
    store.companion = recorder
  }

  @Test func `A pair is reported once, whichever sides know it`() throws {
    let (company, site) = (context.company("Ice"), context.insert("Site"))
    company.sites = [site]
    #expect((site.value(forKey: "companies") as? NSSet)?.count == 1)
    try context.save()
    #expect(recorder.lines == ["sites +1-1"])
    company.sites = []
    try context.save()
    #expect(recorder.lines == ["sites -1-1"])
  }

  @Test func `A pair of a relationship that is its own inverse is reported once`() throws {
    let (ada, bob) = (context.person("Ada"), context.person("Bob"))
    bob.friends = [ada]
    try context.save()
    #expect(recorder.lines == ["friends +1-2"])
    ada.friends = []
    try context.save()
    #expect(recorder.lines == ["friends -1-2"])
    ada.friends = [ada]
    try context.save()
    #expect(recorder.lines == ["friends +1-1"])
  }

  @Test func `Pairs of a deleted member are not reported`() throws {
    let (ada, bob) = (context.person("Ada"), context.person("Bob"))
    ada.friends = [bob]
    try context.save()
    context.delete(bob)
    try context.save()
    #expect(recorder.lines == [] && ada.friends.isEmpty)
    #expect(try office.newContext().people().first?.friends.isEmpty == true)
  }
}
