import CloudRecords
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorLedger
import MirrorModel
import ObjectRows
import SQLiteDriver
import TestSupport
import Testing

/// Moves of graphs that are too large for one transaction.
@Suite struct LargeMoveTests {
  private static let share = RecordZoneIdentifier(
    zoneName: MirrorNames.shareZonePrefix + "1", ownerName: RecordZoneIdentifier.currentOwnerName)
  private static let otherShare = RecordZoneIdentifier(
    zoneName: MirrorNames.shareZonePrefix + "2", ownerName: RecordZoneIdentifier.currentOwnerName)

  /// A store with two shares that have no objects.
  private func withShare(_ body: (NotesStore, URL) throws -> Void) throws {
    try withNotebook { notes, url in
      for zone in [Self.share, Self.otherShare] {
        try notes.requiredLedger.sharedZones.set([1], isReadOnly: false, of: zone)
      }
      try body(notes, url)
    }
  }

  /// Makes a folder with notes, each with a task that is related to it.
  private func fill(_ notes: NotesStore, _ name: String, count: Int = 6) throws -> NSManagedObject {
    let folder = try notes.insert("Folder", ["name": name])
    for number in 0..<count {
      let note = try notes.insert("Note", ["title": "\(name) \(number)", "folder": folder])
      let task = try notes.insert("Task", ["title": "Task of \(name) \(number)"])
      note.setValue(NSSet(array: [task]), forKey: "related")
    }
    try notes.save()
    return folder
  }

  private func note(_ title: String, _ notes: NotesStore) throws -> NSManagedObject {
    try #require(try notes.find("Note").first { $0.value(forKey: "title") as? String == title })
  }

  private func begin(_ objects: [RowKey], _ notes: NotesStore) throws {
    let zones = try notes.requiredLedger.sharedZones
    try zones.reach(of: objects).check(allowing: nil)
    try zones.beginSharing(objects, in: Self.share, atOnce: 1)
  }

  /// The number of objects in each zone, by the zone's name.
  private func counts(_ notes: NotesStore) throws -> [String: Int] {
    let keys = try ["Folder", "Note", "Tag"].flatMap { try notes.find($0).map(notes.key) }
    let rows = try notes.requiredLedger.records(of: keys)
    #expect(rows.count == keys.count)
    return rows.values.reduce(into: [:]) { $0[$1.identifier.zone.zoneName, default: 0] += 1 }
  }

  @Test(arguments: 1...5)
  func `A large graph moves in transactions of bounded length`(limit: Int) throws {
    try withShare { notes, _ in
      let folder = try fill(notes, "A")
      _ = try fill(notes, "B")
      try notes.settle()
      try begin([notes.key(folder)], notes)
      let zones = try notes.requiredLedger.sharedZones
      var total = 1
      while let moved = try zones.moveNext(limit) {
        #expect(moved.count <= limit)
        total += moved.count
        #expect(try counts(notes)[Self.share.zoneName, default: 0] == total)
      }
      #expect(total == 13)
      #expect(try counts(notes) == [Self.share.zoneName: 13, MirrorNames.zone: 13])
      // Each object and each pair that the server had leaves a former record.
      #expect(
        try notes.requiredLedger.deferred(.former).filter { $0.zone == NotesStore.zone }.count == 19
      )
    }
  }

  @Test(arguments: 0...8)
  func `A move that the program's end interrupts continues at the next start`(steps: Int) throws {
    try withShare { notes, url in
      let folder = try fill(notes, "A")
      try notes.settle()
      try begin([notes.key(folder)], notes)
      for _ in 0..<steps { _ = try notes.requiredLedger.sharedZones.moveNext(2) }
      #expect(try counts(notes).values.reduce(0, +) == 13)
      try notes.close()
      let again = try NotesStore(at: url, seed: 2)
      try again.requiredLedger.completeOutbox()
      #expect(try counts(again) == [Self.share.zoneName: 13])
      #expect(try again.requiredLedger.sharedZones.moveNext(1) == nil)
      #expect(Set(try again.entries().map(\.record.zone)) == [Self.share])
      try again.close()
    }
  }

  @Test(arguments: 0...8)
  func `Objects that are related to the graph between two transactions follow`(steps: Int) throws {
    try withShare { notes, _ in
      let folder = try fill(notes, "A")
      try notes.settle()
      try begin([notes.key(folder)], notes)
      for _ in 0..<steps { _ = try notes.requiredLedger.sharedZones.moveNext(2) }
      // Each note and task gets a new tag, and one note another graph.
      for note in try notes.find("Note") {
        let tag = try notes.insert("Tag", ["word": "At \(note.value(forKey: "title") ?? "")"])
        note.setValue(NSSet(array: [tag]), forKey: "tags")
      }
      let other = try fill(notes, "B", count: 2)
      try note("A 5", notes).setValue(other, forKey: "folder")
      try notes.save()
      try notes.requiredLedger.sharedZones.finishMoves()
      #expect(try counts(notes) == [Self.share.zoneName: 30])
    }
  }

  @Test(arguments: 0...6)
  func `Objects that are deleted between two transactions do not stop the move`(steps: Int) throws {
    try withShare { notes, _ in
      let folder = try fill(notes, "A")
      try notes.settle()
      try begin([notes.key(folder)], notes)
      for _ in 0..<steps { _ = try notes.requiredLedger.sharedZones.moveNext(2) }
      for note in try notes.find("Note").filter({ $0.entity.name == "Note" }).prefix(3) {
        notes.context.delete(note)
      }
      try notes.save()
      try notes.requiredLedger.sharedZones.finishMoves()
      // The tasks of deleted notes are not related to anything, so they stay where they were.
      let counts = try counts(notes)
      #expect(counts.values.reduce(0, +) == 10)
      #expect(counts[Self.share.zoneName, default: 0] >= 7)
      #expect(try notes.requiredLedger.sharedZones.moveNext(1) == nil)
    }
  }

  @Test(arguments: 0...6)
  func `Relating objects of two shares is rejected while one still moves`(steps: Int) throws {
    try withShare { notes, _ in
      let (folder, other) = (try fill(notes, "A"), try fill(notes, "B"))
      try notes.settle()
      let zones = try notes.requiredLedger.sharedZones
      try zones.beginSharing([notes.key(other)], in: Self.otherShare)
      try zones.finishMoves()
      try begin([notes.key(folder)], notes)
      for _ in 0..<steps { _ = try zones.moveNext(2) }
      let (note, another) = (try note("A 5", notes), try note("B 0", notes))
      note.mutableSetValue(forKey: "related").add(another)
      #expect(throws: (any Error).self) { try notes.save() }
      notes.context.rollback()
      try zones.finishMoves()
      #expect(try counts(notes) == [Self.share.zoneName: 13, Self.otherShare.zoneName: 13])
    }
  }

  @Test func `A save that relates a large graph to a share moves a part, and the rest later`()
    throws
  {
    try withShare { notes, _ in
      let folder = try fill(notes, "A", count: 1)
      try begin([notes.key(folder)], notes)
      try notes.requiredLedger.sharedZones.finishMoves()
      let many = LedgerLimits.movesInTransaction + 50
      let other = try notes.insert("Tag", ["word": "many"])
      for number in 0..<many {
        let note = try notes.insert("Note", ["title": "\(number)"])
        note.setValue(NSSet(array: [other]), forKey: "tags")
      }
      try notes.save()
      #expect(try counts(notes)[Self.share.zoneName] == 3)
      try note("A 0", notes).mutableSetValue(forKey: "tags").add(other)
      try notes.save()
      let moved = try counts(notes)[Self.share.zoneName] ?? 0
      #expect(moved > 3 && moved <= 3 + LedgerLimits.movesInTransaction)
      try notes.requiredLedger.completeOutbox()
      #expect(try counts(notes) == [Self.share.zoneName: many + 4])
    }
  }

  @Test func `Many objects move home in several transactions`() throws {
    try withShare { notes, _ in
      let folder = try fill(notes, "A", count: LedgerLimits.movesInTransaction)
      try begin([notes.key(folder)], notes)
      try notes.requiredLedger.sharedZones.finishMoves()
      let count = 2 * LedgerLimits.movesInTransaction + 1
      #expect(try counts(notes) == [Self.share.zoneName: count])
      try notes.requiredLedger.sharedZones.moveHome(from: Self.share)
      #expect(try counts(notes) == [MirrorNames.zone: count])
    }
  }

  @Test func `The rest of a move is dropped with the share`() throws {
    try withShare { notes, _ in
      let folder = try fill(notes, "A")
      try begin([notes.key(folder)], notes)
      _ = try notes.requiredLedger.sharedZones.moveNext(3)
      try notes.requiredLedger.sharedZones.moveHome(from: Self.share)
      #expect(try notes.requiredLedger.sharedZones.moveNext(3) == nil)
      #expect(try counts(notes) == [MirrorNames.zone: 13])
    }
  }

  @Test func `Former records are read in pages, once the server has the new ones`() throws {
    try withShare { notes, _ in
      let folder = try fill(notes, "A")
      try notes.settle()
      try begin([notes.key(folder)], notes)
      let zones = try notes.requiredLedger.sharedZones
      try zones.finishMoves()
      #expect(try zones.formers(after: nil, limit: 100).left.isEmpty)
      try notes.settle()
      var (left, last, pages): ([DeferredItem], DeferredItem?, Int) = ([], nil, 0)
      repeat {
        let page = try zones.formers(after: last, limit: 5)
        left += page.left
        (last, pages) = (page.last, pages + 1)
      } while last != nil
      #expect((left.count, Set(left).count, pages) == (19, 19, 4))
      #expect(try zones.hasFormers(in: NotesStore.zone))
      #expect(try !zones.hasFormers(in: Self.share))
    }
  }

  // MARK: The sharing limit

  @Test func `The reach ends at the sharing limit, and names the objects beyond it`() throws {
    try withShare { notes, _ in
      let folder = try fill(notes, "A", count: 2)
      let tag = try notes.insert("Tag", ["word": "both"])
      let (note, other) = (
        try note("A 0", notes), try notes.insert("Note", ["title": "other"])
      )
      for each in [note, other] { each.setValue(NSSet(array: [tag]), forKey: "tags") }
      try notes.save()
      let zones = try notes.requiredLedger.sharedZones
      let all = try zones.reach(of: [notes.key(folder)])
      #expect(all.objects.count == 7 && all.steps.allSatisfy { !$0.isBeyondScope })
      let some = try zones.reach(
        of: [notes.key(folder)], within: SharingLimit(relationships: ["Tag": ["notes"]]))
      #expect(some.objects.count == 6)
      #expect(some.steps.filter(\.isBeyondScope).map(\.object) == [notes.key(other)])
      let none = try zones.reach(of: [notes.key(folder)], within: SharingLimit(entities: ["Note"]))
      #expect(none.objects == [notes.key(folder)])
      #expect(none.steps.filter(\.isBeyondScope).count == 2)
      let error = #expect(throws: SharingError.self) { try none.check(allowing: nil) }
      guard case .beyondScope(let relations)? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(relations.map(\.relationship) == ["notes", "notes"])
      #expect(relations.allSatisfy { $0.0 == notes.key(folder) })
    }
  }

  @Test func `An object that joined another share since the search is rejected`() throws {
    try withShare { notes, _ in
      let folder = try fill(notes, "A", count: 1)
      let zones = try notes.requiredLedger.sharedZones
      try zones.reach(of: [notes.key(folder)]).check(allowing: nil)
      try zones.beginSharing([notes.key(folder)], in: Self.otherShare)
      #expect(throws: SharingError.self) {
        try zones.beginSharing([notes.key(folder)], in: Self.share)
      }
      try zones.finishMoves()
      #expect(try counts(notes) == [Self.otherShare.zoneName: 3])
      #expect(throws: SharingError.self) {
        try zones.reach(of: [notes.key(folder)]).check(allowing: Self.share)
      }
      try zones.reach(of: [notes.key(folder)]).check(allowing: Self.otherShare)
    }
  }
}
