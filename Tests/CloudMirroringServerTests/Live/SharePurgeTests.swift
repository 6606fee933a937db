import CloudKitClient
import CloudKitTesting
import CloudMirroring
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorModel
import Synchronization
import TestSupport
import Testing

/// Purges of zones.
@Suite struct SharePurgeTests {
  @Test(.endsAtAll)
  func `Case 55: A purged zone takes its objects from everyone, and nothing is sent again`()
    async throws
  {
    try await withSharedPair { pair in
      let phone = try await pair.device("ada")
      try await pair.ada.container.purgeObjectsAndRecordsInZone(
        with: pair.share.recordID.zoneID, in: pair.ada.own)
      try await pair.syncBoth()
      try await phone.sync()
      for device in [pair.ada, phone] { #expect(try await device.people() == ["Carl of Rome"]) }
      #expect(try await pair.bob.people().isEmpty)
      // Sharing continues as before.
      let (_, share, _) = try await pair.ada.share(["Rome"])
      try await pair.ada.sync()
      try await pair.ada.invite(pair.bob, to: share)
      #expect(try await pair.bob.people() == ["Carl of Rome"])
    }
  }

  /// Unsent objects are deleted, too, while on other devices they move to the home zone.
  @Test(.endsAtAll)
  func `A purge deletes objects of the zone that were not sent`() async throws {
    try await withSharedPair { pair in
      try await pair.ada.save { context in
        let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
        person.setValue("Eve", forKey: "name")
        person.setValue(try context.object("Paris", "Town"), forKey: "town")
        context.assign(person, toShared: false)
      }
      try await pair.ada.container.purgeObjectsAndRecordsInZone(
        with: pair.share.recordID.zoneID, in: pair.ada.own)
      #expect(try await pair.ada.people() == ["Carl of Rome"])
      // Nothing of a new share has been sent.
      let (_, share, _) = try await pair.ada.share(["Rome"])
      try await pair.ada.container.purgeObjectsAndRecordsInZone(
        with: share.recordID.zoneID, in: pair.ada.own)
      try await pair.ada.sync()
      let phone = try await pair.device("ada")
      for device in [pair.ada, phone] { #expect(try await device.people() == []) }
    }
  }

  @Test(.endsAtAll)
  func `A purge of the home zone deletes the user's own objects, and mirroring goes on`()
    async throws
  {
    try await withSharedPair { pair in
      let (ada, home) = (pair.ada, CKRecordZone.ID(zoneName: MirrorNames.zone))
      // Objects that were not sent yet.
      try await ada.addTown("Oslo", people: ["Dora"])
      try await ada.container.purgeObjectsAndRecordsInZone(with: home, in: ada.own)
      #expect(try await ada.people() == ["Ada of Paris"])
      try await ada.sync()
      #expect(ada.container.syncState.blocker == nil)
      try await ada.addTown("Oslo", people: ["Eve"])
      try await ada.sync()
      #expect(ada.container.syncState.isUpToDate)
      let phone = try await pair.device("ada")
      #expect(try await phone.people() == ["Ada of Paris", "Eve of Oslo"])
    }
  }

  @Test(.endsAtAll)
  func `Case 56: A purge without a store is tried in every store, even if the zone is gone`()
    async throws
  {
    try await withSharedPair { pair in
      let zoneID = pair.share.recordID.zoneID
      for _ in 0..<2 {
        let count = Mutex(0)
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
          pair.ada.container.purgeObjectsAndRecordsInZone(with: zoneID, in: nil) { zone, error in
            #expect(zone == zoneID && error == nil, "\(error as Any)")
            let all = count.withLock { count in
              count += 1
              return count
            }
            if all == 2 { continuation.resume() }
          }
        }
      }
      let people = try await pair.ada.people()
      #expect(people == ["Carl of Rome"])
    }
  }
}
