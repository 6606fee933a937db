import CloudKitClient
import CloudKitTesting
import CloudMirroring
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorModel
import MirroringTestSupport
import TestSupport
import Testing

/// To-one relationships that are their own inverses.
@Suite("Self-inverse one-to-one relationships", .endsAtAll)
struct MutualTests {
  private static let names = ["Ada", "Bob", "Cyd", "Dan", "Eve"]

  private static func model() -> NSManagedObjectModel {
    let model = AddressBook.model()
    guard let person = model.entitiesByName["Person"] else { return model }
    ModelSketch().relateToItself(person, "spouse", toMany: false)
    return model
  }

  private func marry(_ name: String, _ other: String?, _ device: Device) async throws {
    try await device.save { context in
      try context.person(name).setValue(other.map(context.person), forKey: "spouse")
    }
  }

  private func couples(_ device: Device) async throws -> [String: String] {
    var couples: [String: String] = [:]
    for name in Self.names {
      couples[name] = try await device.container.performBackgroundTask { context in
        (try context.person(name).value(forKey: "spouse") as? NSManagedObject)?.value(
          forKey: "name") as? String
      }
    }
    return couples
  }

  /// Runs a test with two devices and five people, after which all devices must agree.
  private func withDevices(
    isInParts: Bool = false, _ body: (Device, Device) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      var sizes = TransferSizes()
      if isInParts { (sizes.recordsInPage, sizes.pagesInSave) = (1, 1) }
      let one = try await Device(cloud.signIn("ada"), in: folder, model: Self.model(), sizes: sizes)
      let other = try await Device(
        cloud.signIn("ada"), in: folder, model: Self.model(), sizes: sizes)
      for name in Self.names { try await one.add("Person", ["name": name]) }
      for device in [one, other] { try await device.sync() }
      try await body(one, other)
      for _ in 0..<4 { for device in [one, other] { try await device.sync() } }
      let fresh = try await Device(cloud.signIn("ada"), in: folder, model: Self.model())
      try await fresh.sync()
      let couples = try await couples(fresh)
      for (name, other) in couples { #expect(couples[other] == name) }
      for device in [one, other] {
        #expect(try await device.text() == fresh.text())
        #expect(device.container.syncState.isUpToDate)
        #expect(device.container.syncState.stores.first?.deferredReferenceCount == 0)
      }
      for device in [one, other, fresh] { try device.close() }
    }
  }

  @Test(arguments: [false, true])
  func `If two objects claim the same partner, one gets it on all devices`(isInParts: Bool)
    async throws
  {
    try await withDevices(isInParts: isInParts) { one, other in
      try await marry("Ada", "Cyd", one)
      try await marry("Bob", "Cyd", other)
      for _ in 0..<3 { for device in [one, other] { try await device.sync() } }
      #expect(try await couples(one) == couples(other))
      #expect(try await couples(one).count == 2)
    }
  }

  @Test(arguments: [false, true])
  func `An object that changes partners moves, and its former partner has none`(isInParts: Bool)
    async throws
  {
    try await withDevices(isInParts: isInParts) { one, other in
      for pair in [("Ada", "Bob"), ("Cyd", "Dan"), ("Bob", "Cyd"), ("Eve", "Ada"), ("Dan", "Eve")] {
        try await marry(pair.0, pair.1, one)
        for device in [one, other] { try await device.sync() }
        #expect(try await couples(other) == couples(one))
        #expect(try await couples(one)[pair.0] == pair.1)
      }
      try await marry("Cyd", nil, other)
      for device in [other, one] { try await device.sync() }
      #expect(try await couples(one) == ["Dan": "Eve", "Eve": "Dan"])
    }
  }

  @Test(arguments: 0..<8)
  func `All devices agree, whatever partners change`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    try await withDevices(isInParts: seed % 2 == 1) { one, other in
      for _ in 0..<6 {
        for device in [one, other] {
          for _ in 0..<Int.random(in: 1...3, using: &random) {
            let pair = Self.names.shuffled(using: &random)
            let isAlone = Int.random(in: 0..<5, using: &random) == 0
            try await marry(pair[0], isAlone ? nil : pair[1], device)
          }
        }
        if Bool.random(using: &random) { try await one.sync() }
        if Bool.random(using: &random) { try await other.sync() }
      }
    }
  }

  // MARK: Contradicting records

  private static let zoneID = CKRecordZone.ID(zoneName: MirrorNames.zone)

  /// Sets a spouse in a person's record without mirroring.
  private func say(_ name: String, _ spouse: String?, _ database: CKDatabase) async throws {
    let recordID = CKRecord.ID(recordName: name, zoneID: Self.zoneID)
    let present = try await database.records(for: [recordID])[recordID]
    let record = (try? present?.get()) ?? CKRecord(recordType: "CD_Person", recordID: recordID)
    (record["CD_entityName"], record["CD_name"], record["CD_spouse"]) = ("Person", name, spouse)
    try await database.save(record)
  }

  /// The spouse of a person who exists only in records.
  private func couple(_ name: String, _ device: Device) async throws -> String? {
    try await device.container.performBackgroundTask { context in
      (try context.person(name).value(forKey: "spouse") as? NSManagedObject)?.value(forKey: "name")
        as? String
    }
  }

  @Test(
    arguments: [
      ("b", ["a": "b", "b": ""]), (nil, ["a": "", "b": "a"]),
      ("b", ["a": "b", "b": "c", "c": "b"]),
      (nil, ["a": "", "b": "c", "c": "a"]), ("c", ["a": "c", "b": "c", "c": "b"]),
    ] as [(String?, [String: String])], [false, true])
  func `Of two contradicting records the one with the smaller name decides`(
    _ said: (spouseOfFirst: String?, records: [String: String]), isReversed: Bool
  ) async throws {
    try await withDevices(isInParts: isReversed) { one, other in
      let database = one.engine.mirror.container.privateCloudDatabase
      for name in said.records.keys.sorted() { try await say(name, nil, database) }
      let order =
        isReversed
        ? said.records.sorted { $0.key > $1.key } : said.records.sorted { $0.key < $1.key }
      for (name, spouse) in order {
        try await say(name, spouse.isEmpty ? nil : spouse, database)
        try await one.sync()
      }
      for _ in 0..<2 { for device in [other, one] { try await device.sync() } }
      for device in [one, other] { #expect(try await couple("a", device) == said.spouseOfFirst) }
    }
  }

  @Test(arguments: 0..<8)
  func `All devices agree, whatever records say`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    try await withDevices(isInParts: seed % 2 == 1) { one, other in
      let database = one.engine.mirror.container.privateCloudDatabase
      let names = ["a", "b", "c", "d"]
      for name in names { try await say(name, nil, database) }
      for _ in 0..<10 {
        let pair = names.shuffled(using: &random)
        try await say(pair[0], Int.random(in: 0..<4, using: &random) == 0 ? nil : pair[1], database)
        if Int.random(in: 0..<3, using: &random) == 0 { try await one.sync() }
        if Int.random(in: 0..<3, using: &random) == 0 { try await other.sync() }
      }
    }
  }
}
