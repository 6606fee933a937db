import CloudKitClient
import CloudKitTesting
import CloudMirroring
import CloudRecords
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorLedger
import MirrorModel
import ObjectRows
import TestSupport
import Testing

/// Scopes limit the relationships that sharing follows.
@Suite struct SharingScopeTests {
  private typealias Scope = NSPersistentCloudKitContainer.SharingScope

  /// A device with a town of two people, one of whom sings in a choir with a person of another
  /// town.
  private func withChoir(_ body: (SharingDevice) async throws -> Void) async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let ada = try await SharingDevice(try await cloud.signIn("ada"), in: folder)
      try await ada.addTown("Paris", people: ["Ada", "Bob"])
      try await ada.addTown("Rome", people: ["Carl"])
      try await ada.save { context in
        let choir = NSEntityDescription.insertNewObject(forEntityName: "Group", into: context)
        choir.setValue("Choir", forKey: "title")
        context.assign(choir, toShared: false)
        for name in ["Ada", "Carl"] {
          choir.mutableSetValue(forKey: "members").add(try context.object(name, "Person"))
        }
      }
      try await ada.sync()
      try await body(ada)
      await cloud.end()
    }
  }

  @Test(
    .endsAtAll,
    arguments: [
      (Scope(excludingEntities: ["Group"]), ["Choir"], 3),
      (Scope(excludingRelationships: ["Group": ["members"]]), ["Carl"], 4),
    ])
  func `A scope refuses to share what a relationship reaches beyond it, and names both ends`(
    scope: NSPersistentCloudKitContainer.SharingScope, beyond: [String], inside: Int
  ) async throws {
    try await withChoir { ada in
      let preview = try await ada.preview(["Paris"], within: scope)
      #expect(preview.filter { !$0.isBeyondScope }.count == inside)
      let entity = beyond == ["Choir"] ? "Group" : "Person"
      let objectID = try await ada.objectID(beyond[0], entity)
      #expect(preview.filter(\.isBeyondScope).map(\.objectID) == [objectID])
      let related = try #require(preview.first(where: \.isBeyondScope)?.reachedFrom)
      let zones = try await ada.engines.own.mirror.database.allRecordZones().count
      let error = await #expect(throws: NSError.self) {
        try await ada.share(["Paris"], within: scope)
      }
      for end in [related, objectID] {
        #expect(
          error?.localizedDescription.contains(end.uriRepresentation().absoluteString) == true)
      }
      #expect(try await ada.engines.own.mirror.database.allRecordZones().count == zones)
      #expect(try await ada.zone("Ada") == MirrorNames.zone)
      #expect(try ada.container.fetchShares(in: nil).isEmpty)
    }
  }

  @Test(
    .endsAtAll,
    arguments: [(3, "There is 1 other relation."), (4, "There are 2 other relations.")])
  func `The error of a scope counts the relations that it does not name`(
    choirs: Int, words: String
  ) async throws {
    try await withChoir { ada in
      try await ada.save { context in
        for number in 0..<choirs {
          let choir = NSEntityDescription.insertNewObject(forEntityName: "Group", into: context)
          choir.setValue("Choir \(number)", forKey: "title")
          context.assign(choir, toShared: false)
          choir.mutableSetValue(forKey: "members").add(try context.object("Ada", "Person"))
        }
      }
      let error = await #expect(throws: NSError.self) {
        try await ada.share(["Paris"], within: Scope(excludingEntities: ["Group"]))
      }
      #expect(error?.localizedDescription.contains(words) == true)
    }
  }

  @Test(.endsAtAll)
  func `Without the relationship that led beyond the scope, the rest is shared`() async throws {
    try await withChoir { ada in
      let scope = Scope(excludingEntities: ["Group"])
      try await ada.save { context in
        try context.object("Choir", "Group").mutableSetValue(forKey: "members")
          .remove(try context.object("Ada", "Person"))
      }
      let (moved, share, _) = try await ada.share(["Paris"], within: scope)
      #expect(moved.count == 3)
      try await ada.sync()
      #expect(try await ada.zone("Ada") == share.recordID.zoneID.zoneName)
      #expect(try await ada.zone("Choir", "Group") == MirrorNames.zone)
      #expect(try await ada.zone("Carl") == MirrorNames.zone)
    }
  }

  @Test(.endsAtAll)
  func `A scope that excludes nothing reached shares everything`() async throws {
    try await withChoir { ada in
      let scope = Scope(excludingRelationships: ["Person": ["children", "parent"]])
      let (moved, _, _) = try await ada.share(["Paris"], within: scope)
      #expect(moved.count == 6)
      #expect(try await ada.preview(["Paris"]).count == 6)
    }
  }

  @Test(
    .endsAtAll,
    arguments: [
      Scope(excludingEntities: ["Twon"]), Scope(excludingRelationships: ["Town": ["poeple"]]),
      Scope(excludingRelationships: ["Twon": []]),
    ])
  func `A scope with a name that the model does not have is an error`(
    scope: NSPersistentCloudKitContainer.SharingScope
  ) async throws {
    try await withChoir { ada in
      await #expect(throws: NSError.self) { try await ada.preview(["Paris"], within: scope) }
      await #expect(throws: NSError.self) { try await ada.share(["Paris"], within: scope) }
    }
  }

  @Test(.endsAtAll, arguments: 1...5)
  func `Case 23: A program that ends while objects move goes on at its next start`(steps: Int)
    async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let account = try await cloud.signIn("ada")
      var ada = try await SharingDevice(account, in: folder)
      try await ada.addTown("Paris", people: (1...6).map { "Person \($0)" })
      try await ada.addTown("Rome", people: ["Carl"])
      let (_, share, _) = try await ada.share(["Rome"])
      try await ada.sync()
      let zone = RecordZoneIdentifier(share.recordID.zoneID)
      let town = try await ada.objectID("Paris", "Town")
      let key = RowKey(key: town.key, layoutIndex: Int32(town.layout.index))
      let zones = ada.engines.own.ledger.sharedZones
      try zones.beginSharing([key], in: zone, atOnce: 1)
      for _ in 1..<steps { _ = try zones.moveNext(1) }
      try ada.close()
      ada = try await SharingDevice(account, in: folder, files: ada.files)
      try await ada.sync()
      let records = try await ada.records()
      #expect(records[zone.zoneName]?.count == 9)
      #expect(records[MirrorNames.zone]?.isEmpty ?? true)
      #expect(try await ada.people().count == 7)
      await cloud.end()
    }
  }
}
