import CloudKitClient
import CloudKitTesting
import CloudMirroring
import Foundation
import ManagedObjects
import TestSupport
import Testing

/// Moves between zones that meet other devices' moves and deletions before they are sent.
@Suite(.endsAtAll) struct MoveConflictTests {
  @Test func `An object that was deleted before its move was sent is deleted everywhere`()
    async throws
  {
    try await withSharedPair { pair in
      let phone = try await pair.device("ada")
      try await pair.move("Carl", to: "Paris", pair.ada)
      try await pair.ada.save { context in
        context.delete(try context.object("Carl", "Person"))
      }
      // Its record changes, so its former version cannot be deleted.
      try await phone.save { try $0.object("Carl", "Person").setValue(44, forKey: "age") }
      try await phone.sync()
      try await expect(["Ada of Paris"], pair.ada, phone)
    }
  }

  @Test func `The deletion of an object reaches a device that moved it to a share and back`()
    async throws
  {
    try await withSharedPair { pair in
      let phone = try await pair.device("ada")
      try await pair.move("Carl", to: "Paris", pair.ada)
      try await pair.move("Carl", to: "Rome", pair.ada)
      try await phone.save { context in context.delete(try context.object("Carl", "Person")) }
      try await phone.sync()
      try await expect(["Ada of Paris"], pair.ada, phone)
    }
  }

  @Test func `The deletion of an object reaches a device that has not sent its move yet`()
    async throws
  {
    try await withSharedPair { pair in
      let phone = try await pair.device("ada")
      try await pair.move("Carl", to: "Paris", pair.ada)
      try await phone.save { context in context.delete(try context.object("Carl", "Person")) }
      try await phone.sync()
      try await expect(["Ada of Paris"], pair.ada, phone)
    }
  }

  @Test func `An object stays in one zone if its share ends while another device moves it`()
    async throws
  {
    try await withSharedPair { pair in
      let phone = try await pair.device("ada")
      try await pair.ada.addTown("Oslo", people: [])
      try await pair.ada.sync()
      let (_, oslo, _) = try await pair.ada.share(["Oslo"])
      try await pair.ada.sync()
      try await phone.sync()
      let shares = [("Paris", pair.share), ("Oslo", oslo)].sorted {
        $0.1.recordID.zoneID.zoneName < $1.1.recordID.zoneID.zoneName
      }
      // Of two shares, the smaller name wins, but its share ends before the move was sent.
      try await pair.move("Carl", to: shares[0].0, pair.ada)
      try await pair.move("Carl", to: shares[1].0, phone)
      try await phone.sync()
      try await pair.ada.engines.own.site.container.privateCloudDatabase.deleteRecord(
        withID: shares[0].1.recordID)
      try await sync(pair.ada, phone)
      let people = try await pair.ada.people()
      #expect(people.count == 2 && people[1].hasPrefix("Carl of "))
      #expect(try await phone.people() == people)
      let name = try #require(
        pair.ada.container.recordID(for: try await pair.ada.objectID("Carl"))?.recordName)
      let zones = try await pair.ada.records().filter { $0.value.contains(name) }.keys.sorted()
      #expect(zones == [try await pair.ada.zone("Carl")])
    }
  }

  private func expect(_ people: [String], _ one: SharingDevice, _ other: SharingDevice)
    async throws
  {
    try await sync(one, other)
    for device in [one, other] { #expect(try await device.people() == people) }
  }

  /// Syncs both devices until nothing can be new.
  private func sync(_ one: SharingDevice, _ other: SharingDevice) async throws {
    for _ in 0..<3 {
      for device in [one, other] { try await device.sync() }
    }
  }
}
