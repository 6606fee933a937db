import CloudKitClient
import CloudKitTesting
import CloudMirroring
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorModel
import ObjectRows
import TestSupport
import Testing

/// Sharing objects.
///
/// The numbers name the cases of sharing; several suites may test the same case.
@Suite struct ShareTests {
  private static let prefix = MirrorNames.shareZonePrefix

  @Test(.endsAtAll)
  func `Case 1: A shared object moves to a new zone with all that it is related to`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let ada = try await SharingDevice(try await cloud.signIn("ada"), in: folder)
      try await ada.addTown("Paris", people: ["Ada", "Bob"])
      try await ada.addTown("Rome", people: ["Carl"])
      try await ada.sync()
      let before = try await [
        ada.objectID("Ada"), ada.objectID("Bob"), ada.objectID("Paris", "Town"),
      ]
      let (moved, share, _) = try await ada.share(["Ada"], "Person")
      #expect(moved == Set(before))
      #expect(share.recordID.zoneID.zoneName.hasPrefix(Self.prefix))
      #expect(share.recordID.recordName == CKRecordNameZoneWideShare)
      try await ada.sync()
      for (name, entity) in [("Ada", "Person"), ("Bob", "Person"), ("Paris", "Town")] {
        #expect(try await ada.zone(name, entity) == share.recordID.zoneID.zoneName)
      }
      #expect(try await ada.zone("Carl") == MirrorNames.zone)
      #expect(
        try await [ada.objectID("Ada"), ada.objectID("Bob"), ada.objectID("Paris", "Town")]
          == before)
      // The former records are gone, and another device of the user has the same objects.
      let home = try await ada.engines.own.mirror.database.recordZoneChanges(
        inZoneWith: CKRecordZone.ID(zoneName: MirrorNames.zone), since: nil)
      #expect(home.modificationResultsByID.count == 2)
      let phone = try await SharingDevice(try await cloud.signIn("ada"), in: folder)
      try await phone.sync()
      #expect(try await phone.people() == ["Ada of Paris", "Bob of Paris", "Carl of Rome"])
      #expect(try phone.container.fetchShares(in: phone.own).map(\.recordID) == [share.recordID])
      await cloud.end()
    }
  }

  @Test(.endsAtAll)
  func `A participant sees a shared graph, and both write`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let ada = try await SharingDevice(try await cloud.signIn("ada"), in: folder)
      let bob = try await SharingDevice(try await cloud.signIn("bob"), in: folder)
      try await ada.addTown("Paris", people: ["Ada"])
      try await bob.addTown("Oslo", people: ["Own"])
      try await ada.sync()
      try await bob.sync()
      let (_, share, _) = try await ada.share(["Paris"])
      try await ada.sync()
      try await ada.invite(bob, to: share)
      #expect(try await bob.people() == ["Ada of Paris", "Own of Oslo"])
      #expect(try await bob.people(isShared: true) == ["Ada of Paris"])
      try await bob.save { context in
        let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
        person.setValue("Bob", forKey: "name")
        person.setValue(try context.object("Paris", "Town"), forKey: "town")
        context.assign(person, toShared: true)
        try context.object("Ada", "Person").setValue(36, forKey: "age")
      }
      try await bob.sync()
      try await ada.sync()
      #expect(try await ada.people() == ["Ada of Paris", "Bob of Paris"])
      #expect(try await ada.zone("Bob") == share.recordID.zoneID.zoneName)
      await cloud.end()
    }
  }

  // MARK: Creating

  @Test(.endsAtAll)
  func `A new pair of two shared objects is saved in their zone, and arrives`() async throws {
    try await withSharedPair { pair in
      try await pair.ada.save { context in
        let group = NSEntityDescription.insertNewObject(forEntityName: "Group", into: context)
        group.setValue("Choir", forKey: "title")
        context.assign(group, toShared: false)
        group.mutableSetValue(forKey: "members").add(try context.object("Ada", "Person"))
        let eve = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
        eve.setValue("Eve", forKey: "name")
        eve.setValue(try context.object("Paris", "Town"), forKey: "town")
        context.assign(eve, toShared: false)
      }
      try await pair.syncBoth()
      // All three are in the zone of the share.
      try await pair.ada.save { context in
        try context.object("Choir", "Group").mutableSetValue(forKey: "members")
          .add(try context.object("Eve", "Person"))
      }
      try await pair.syncBoth()
      let members = try await pair.bob.container.performBackgroundTask { context in
        try context.object("Choir", "Group").mutableSetValue(forKey: "members").count
      }
      #expect(members == 2)
    }
  }

  @Test(.endsAtAll)
  func `Objects are shared by their IDs, as they are saved`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let ada = try await SharingDevice(try await cloud.signIn("ada"), in: folder)
      try await ada.addTown("Paris", people: ["Ada"])
      let ids = try await [ada.objectID("Ada"), ada.objectID("Paris", "Town")]
      let (moved, share, _) = try await ada.container.share(managedObjectsWith: [ids[0]], to: nil)
      #expect(moved == Set(ids))
      try await ada.sync()
      #expect(try await ada.zone("Ada") == share.recordID.zoneID.zoneName)
      await #expect(throws: NSError.self) {
        try await ada.container.share(managedObjectsWith: [], to: nil)
      }
      await cloud.end()
    }
  }

  @Test(.endsAtAll)
  func `Case 2: Unrelated objects get one zone and one share`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let ada = try await SharingDevice(try await cloud.signIn("ada"), in: folder)
      for town in ["Paris", "Rome", "Oslo"] { try await ada.addTown(town, people: ["Of \(town)"]) }
      let (moved, share, _) = try await ada.share(["Paris", "Rome"])
      #expect(moved.count == 4)
      try await ada.sync()
      #expect(try await ada.zone("Of Rome") == share.recordID.zoneID.zoneName)
      #expect(try await ada.zone("Of Paris") == share.recordID.zoneID.zoneName)
      #expect(try await ada.zone("Of Oslo") == MirrorNames.zone)
      #expect(try ada.container.fetchShares(in: nil).count == 1)
      await cloud.end()
    }
  }

  @Test(.endsAtAll)
  func `Case 3: Objects are added to a share that exists`() async throws {
    try await withSharedPair { pair in
      let share = try #require(try pair.ada.container.fetchShares(in: pair.ada.own).first)
      let (moved, same, _) = try await pair.ada.share(["Rome"], to: share)
      #expect(moved.count == 2)
      #expect(same.recordID == share.recordID)
      try await pair.syncBoth()
      #expect(try await pair.bob.people() == ["Ada of Paris", "Carl of Rome"])
      #expect(try pair.ada.container.fetchShares(in: pair.ada.own).count == 1)
    }
  }

  @Test(.endsAtAll)
  func `Case 4: An object in another share stops the move, and the error names it`() async throws {
    try await withSharedPair { pair in
      try await pair.ada.addTown("Oslo", people: ["Dora"])
      try await pair.ada.sync()
      let shared = try await pair.ada.objectID("Paris", "Town")
      let error = await #expect(throws: NSError.self) {
        try await pair.ada.share(["Oslo", "Paris"])
      }
      #expect(error?.userInfo["ParhelionObjectIDs"] as? [NSManagedObjectID] == [shared])
      #expect(error?.localizedDescription.contains("shared already") == true)
      #expect(try await pair.ada.zone("Dora") == MirrorNames.zone)
      #expect(try pair.ada.container.fetchShares(in: nil).count == 1)
      let preview = try await pair.ada.preview(["Oslo", "Paris"])
      #expect(preview.filter { $0.sharedIn != nil }.map(\.objectID).contains(shared))
    }
  }

  @Test(.endsAtAll)
  func `Case 5: Sharing a member again is an error unless members are allowed`() async throws {
    try await withSharedPair { pair in
      let share = try #require(try pair.ada.container.fetchShares(in: pair.ada.own).first)
      await #expect(throws: NSError.self) { try await pair.ada.share(["Paris"], to: share) }
      try await pair.ada.share(["Paris", "Rome"], to: share, allowingMembers: true)
      try await pair.syncBoth()
      #expect(try await pair.bob.people() == ["Ada of Paris", "Carl of Rome"])
    }
  }

  @Test(.endsAtAll)
  func `Case 6: A many-to-many relationship takes other objects along, which a preview shows`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let ada = try await SharingDevice(try await cloud.signIn("ada"), in: folder)
      try await ada.save { context in
        let group = NSEntityDescription.insertNewObject(forEntityName: "Group", into: context)
        group.setValue("Chess", forKey: "title")
        for name in ["Ada", "Bob"] {
          let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
          person.setValue(name, forKey: "name")
          person.setValue(NSSet(array: [group]), forKey: "groups")
        }
      }
      try await ada.sync()
      let preview = try await ada.preview(["Ada"], "Person")
      let (one, group) = try await (ada.objectID("Ada"), ada.objectID("Chess", "Group"))
      let other = try await ada.objectID("Bob")
      #expect(preview.map(\.objectID) == [one, group, other])
      #expect(preview.map(\.reachedFrom) == [nil, one, group])
      #expect(preview.map(\.relationship) == [nil, "groups", "members"])
      let (moved, share, _) = try await ada.share(["Ada"], "Person")
      #expect(moved == [one, group, other])
      try await ada.sync()
      let records = try await ada.records(in: share.recordID.zoneID)
      // Three objects, two pairs, and the share.
      #expect(records.count == 6)
      #expect(try await ada.records(in: CKRecordZone.ID(zoneName: MirrorNames.zone)).isEmpty)
      await cloud.end()
    }
  }

  @Test(.endsAtAll)
  func `Case 8: A save that relates objects of two shares is refused, and mirroring goes on`()
    async throws
  {
    try await withSharedPair { pair in
      try await pair.ada.share(["Rome"])
      try await pair.ada.sync()
      let (carl, paris) = try await (
        pair.ada.objectID("Carl"), pair.ada.objectID("Paris", "Town")
      )
      let error = await #expect(throws: NSError.self) {
        try await pair.ada.save { context in
          try context.object("Carl", "Person").setValue(
            try context.object("Paris", "Town"), forKey: "town")
        }
      }
      let named = try #require(error?.userInfo["ParhelionObjectIDs"] as? [NSManagedObjectID])
      #expect(
        Set(named).isSubset(of: [
          carl, paris, try await pair.ada.objectID("Rome", "Town"),
          try await pair.ada.objectID("Ada"),
        ]))
      #expect(named.count == 2)
      #expect((error?.userInfo["ParhelionZoneIDs"] as? [CKRecordZone.ID])?.count == 2)
      try await pair.ada.save { context in
        try context.object("Carl", "Person").setValue("c@example.org", forKey: "email")
      }
      try await pair.ada.sync()
      #expect(pair.ada.container.syncState.isUpToDate)
      #expect(try await pair.ada.people().contains("Carl of Rome"))
    }
  }

  @Test(.endsAtAll)
  func `Case 9: A new object that is related to a shared one goes into its zone`() async throws {
    try await withSharedPair { pair in
      try await pair.ada.save { context in
        let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
        person.setValue("Eve", forKey: "name")
        person.setValue(try context.object("Paris", "Town"), forKey: "town")
      }
      try await pair.syncBoth()
      #expect(try await pair.ada.zone("Eve") == pair.zone)
      #expect(try await pair.bob.people() == ["Ada of Paris", "Eve of Paris"])
    }
  }

  @Test(.endsAtAll)
  func `Case 10: A new object that is related to nothing goes into the home zone`() async throws {
    try await withSharedPair { pair in
      try await pair.ada.save { context in
        let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
        person.setValue("Eve", forKey: "name")
      }
      try await pair.syncBoth()
      #expect(try await pair.ada.zone("Eve") == MirrorNames.zone)
      #expect(try await pair.bob.people() == ["Ada of Paris"])
    }
  }

  // MARK: Moving

  @Test(.endsAtAll)
  func `Case 11: A sent object that is related to a shared one moves, and keeps its identity`()
    async throws
  {
    try await withSharedPair { pair in
      let phone = try await pair.device("ada")
      let before = try await [pair.ada.objectID("Carl"), phone.objectID("Carl")]
      try await pair.ada.save { context in
        try context.object("Carl", "Person").setValue(
          try context.object("Paris", "Town"), forKey: "town")
      }
      try await pair.syncBoth()
      try await phone.sync()
      #expect(try await pair.ada.zone("Carl") == pair.zone)
      #expect(try await pair.bob.people() == ["Ada of Paris", "Carl of Paris"])
      #expect(try await phone.people() == ["Ada of Paris", "Carl of Paris"])
      #expect(try await [pair.ada.objectID("Carl"), phone.objectID("Carl")] == before)
      // Rome stays in the home zone.
      #expect(
        try await pair.ada.records(in: CKRecordZone.ID(zoneName: MirrorNames.zone)).count == 1)
    }
  }

  @Test(.endsAtAll)
  func `Case 14: A move that is made offline is sent when the device is online`() async throws {
    try await withSharedPair { pair in
      pair.ada.network.isOnline = false
      try await pair.ada.save { context in
        try context.object("Carl", "Person").setValue(
          try context.object("Paris", "Town"), forKey: "town")
      }
      await #expect(throws: (any Error).self) { try await pair.ada.sync() }
      pair.ada.network.isOnline = true
      try await pair.syncBoth()
      #expect(try await pair.bob.people() == ["Ada of Paris", "Carl of Paris"])
      #expect(try await pair.ada.zone("Carl") == pair.zone)
    }
  }

  @Test(.endsAtAll)
  func `Case 15: An object that is related to an unshared one leaves the share with its children`()
    async throws
  {
    try await withSharedPair { pair in
      try await pair.ada.save { context in
        let child = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
        child.setValue("Child", forKey: "name")
        child.setValue(try context.object("Ada", "Person"), forKey: "parent")
      }
      try await pair.syncBoth()
      #expect(try await pair.bob.people() == ["Ada of Paris", "Child of -"])
      let before = try await pair.ada.objectID("Child")
      try await pair.ada.save { context in
        try context.object("Ada", "Person").setValue(
          try context.object("Rome", "Town"), forKey: "town")
      }
      try await pair.syncBoth()
      for name in ["Ada", "Child", "Carl"] {
        #expect(try await pair.ada.zone(name) == MirrorNames.zone)
      }
      #expect(try await pair.ada.zone("Paris", "Town") == pair.zone)
      #expect(try await pair.bob.people() == [])
      #expect(try await pair.ada.objectID("Child") == before)
    }
  }

  @Test(.endsAtAll)
  func `Case 16: Objects are shared before they were ever sent`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let ada = try await SharingDevice(try await cloud.signIn("ada"), in: folder)
      try await ada.addTown("Paris", people: ["Ada"])
      let (_, share, _) = try await ada.share(["Paris"])
      let objectID = try await ada.objectID("Ada")
      #expect(try ada.container.fetchShares(matching: [objectID]).isEmpty)
      try await ada.sync()
      #expect(
        try ada.container.fetchShares(matching: [objectID])[objectID]?.recordID == share.recordID)
      #expect(try await ada.records(in: CKRecordZone.ID(zoneName: MirrorNames.zone)).isEmpty)
      await cloud.end()
    }
  }

  @Test(.endsAtAll)
  func `Case 17: A parent is shared after its child was sent separately`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let ada = try await SharingDevice(try await cloud.signIn("ada"), in: folder)
      try await ada.addTown("Paris", people: [])
      try await ada.sync()
      try await ada.save { context in
        let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
        person.setValue("Ada", forKey: "name")
        person.setValue(try context.object("Paris", "Town"), forKey: "town")
      }
      try await ada.sync()
      try await ada.share(["Paris"])
      try await ada.sync()
      #expect(ada.container.syncState.isUpToDate)
      #expect(try await ada.zone("Ada")?.hasPrefix(Self.prefix) == true)
      await cloud.end()
    }
  }

  // MARK: Errors

  @Test(.endsAtAll)
  func `Case 18: Sharing without an account or a network moves nothing`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let ada = try await SharingDevice(try await cloud.signIn("ada"), in: folder)
      try await ada.addTown("Paris", people: ["Ada"])
      try await ada.sync()
      ada.network.isOnline = false
      let offline = await #expect(throws: NSError.self) { try await ada.share(["Paris"]) }
      #expect(offline?.userInfo["ParhelionSyncBlocker"] as? String == "offline")
      ada.network.isOnline = true
      #expect(try await ada.zone("Ada") == MirrorNames.zone)
      let stranger = try await SharingDevice(cloud.device(), in: folder)
      try await stranger.addTown("Paris", people: ["Ada"])
      let refused = await #expect(throws: NSError.self) { try await stranger.share(["Paris"]) }
      #expect(refused?.code == 134_400)
      #expect(try stranger.container.fetchShares(in: nil).isEmpty)
      await cloud.end()
    }
  }

  @Test(.endsAtAll)
  func `Case 19: Objects of the shared database cannot be shared`() async throws {
    try await withSharedPair { pair in
      await #expect(throws: NSError.self) { try await pair.bob.share(["Paris"]) }
      let people = try await pair.bob.people()
      #expect(people == ["Ada of Paris"])
    }
  }

  @Test(.endsAtAll)
  func `An object that is named twice is shared once`() async throws {
    try await withSharedPair { pair in
      let (moved, share, _) = try await pair.ada.share(["Rome", "Rome"])
      #expect(moved.count == 2)
      try await pair.ada.sync()
      #expect(try await pair.ada.zone("Carl") == share.recordID.zoneID.zoneName)
    }
  }

  @Test(.endsAtAll)
  func `Case 20: Objects of a context with unsaved changes are not shared`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let ada = try await SharingDevice(try await cloud.signIn("ada"), in: folder)
      try await ada.addTown("Paris", people: ["Ada"])
      let error = await #expect(throws: NSError.self) {
        try await ada.share(["Paris"], changing: { $0.setValue("Lutetia", forKey: "name") })
      }
      #expect(error?.localizedDescription.contains("Save first") == true)
      #expect(try ada.container.fetchShares(in: nil).isEmpty)
      await cloud.end()
    }
  }

  @Test(.endsAtAll)
  func `Case 21: A file of a moved object arrives in the share`() async throws {
    try await withSharedPair { pair in
      let photo = Data((0..<1_500_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
      try await pair.ada.save { context in
        try context.object("Carl", "Person").setValue(photo, forKey: "photo")
      }
      try await pair.ada.sync()
      try await pair.ada.save { context in
        try context.object("Carl", "Person").setValue(
          try context.object("Paris", "Town"), forKey: "town")
      }
      try await pair.syncBoth()
      let arrived = try await pair.bob.container.performBackgroundTask { context in
        try context.object("Carl", "Person").value(forKey: "photo") as? Data
      }
      #expect(arrived == photo)
    }
  }
}
