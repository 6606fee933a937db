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

/// Random lives of several people who share, from seeds: they share, move, edit, leave, stop and
/// change permissions, offline and over restarts.
///
/// At the end all are online. Then each object is in one zone, all devices of a user agree, the
/// owner has lost nothing, and each user sees what the shares grant and no more.
@Suite struct ShareWorldTests {
  private static let seeds: ClosedRange<Int> = {
    guard let text = ProcessInfo.processInfo.environment["PARHELION_SHARE_SEEDS"],
      case let parts = text.split(separator: "-").compactMap({ Int($0) }), parts.count == 2
    else { return 1...8 }
    return parts[0]...parts[1]
  }()

  @Test(.endsAtAll, arguments: seeds)
  func `People who share in any order agree in the end, and see no more than they may`(seed: Int)
    async throws
  {
    try await withTemporaryDirectory { folder in
      let world = try await ShareWorld(seed: UInt64(seed), in: folder)
      for _ in 0..<30 { try await world.step() }
      try await world.settle()
      try await world.check()
      await world.cloud.end()
    }
  }
}

/// A generator that gives the same numbers for a seed.
private struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// Three people with four devices and one server.
private final class ShareWorld {
  let cloud: TestCloud
  private let folder: URL
  private var generator: SeededGenerator
  private var devices: [(user: String, signedIn: TestDevice, device: SharingDevice)] = []
  /// The steps so far, for the message of a failure.
  private var trace: [String] = []
  private var number = 0
  /// The people whom the owner made.
  private var made: Set<String> = []

  init(seed: UInt64, in folder: URL) async throws {
    (self.folder, generator) = (folder, SeededGenerator(state: seed))
    cloud = try await TestCloud()
    for user in ["ada", "ada", "bob", "carl"] {
      let signedIn = try await cloud.signIn(user)
      devices.append((user, signedIn, try await SharingDevice(signedIn, in: folder)))
    }
    for town in ["Paris", "Rome", "Oslo"] {
      try await devices[0].device.addTown(town, people: ["Of \(town)"])
      made.insert("Of \(town)")
    }
    for place in devices.indices { try await devices[place].device.sync() }
  }

  private func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }

  private func note(_ text: String) { trace.append("\(trace.count): \(text)") }

  // MARK: Steps

  func step() async throws {
    number += 1
    let place = below(devices.count)
    let (user, device) = (devices[place].user, devices[place].device)
    let kind = below(14)
    do {
      switch kind {
      case 0, 1: try await add(user, device)
      case 2, 3: try await edit(device)
      case 4, 5: try await move(device)
      case 6 where user == "ada": try await share(device)
      case 7 where user == "ada": try await flipPermission(device)
      case 8 where user == "ada": try await stopSharing(device)
      case 8: try await leave(device)
      case 9: devices[place].signedIn.network.isOnline.toggle()
      case 10: try await restart(place)
      default: try await device.sync()
      }
      note("\(place) \(user) \(kind)")
    } catch {
      // Refusals are a part of life; the end tells whether anything was lost.
      note("\(place) \(user) \(kind) failed: \("\(error)".prefix(100))")
    }
  }

  private func some(_ names: [String]) -> String? {
    names.isEmpty ? nil : names.sorted()[below(names.count)]
  }

  private func add(_ user: String, _ device: SharingDevice) async throws {
    let name = "Person \(number)"
    guard let town = some(try await device.towns()) else { return }
    try await device.save { context in
      let town = try context.object(town, "Town")
      let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
      person.setValue(name, forKey: "name")
      person.setValue(town, forKey: "town")
      if let store = town.objectID.persistentStore { context.assign(person, to: store) }
    }
    if user == "ada" { made.insert(name) }
  }

  private func edit(_ device: SharingDevice) async throws {
    guard let name = some(try await device.people().map(\.personName)) else { return }
    let age = number
    try await device.save { try $0.object(name, "Person").setValue(age, forKey: "age") }
  }

  private func move(_ device: SharingDevice) async throws {
    guard let name = some(try await device.people().map(\.personName)),
      let town = some(try await device.towns())
    else { return }
    try await device.save { context in
      try context.object(name, "Person").setValue(
        try context.object(town, "Town"), forKey: "town")
    }
  }

  private func share(_ device: SharingDevice) async throws {
    guard let town = some(["Paris", "Rome", "Oslo"]) else { return }
    let guests = devices[2...].filter { _ in below(3) > 0 }
    let (_, share, _) = try await device.share([town])
    for guest in guests {
      try await device.invite(
        guest.device, to: try device.share(like: share),
        permission: below(3) == 0 ? .readOnly : .readWrite)
    }
  }

  private func flipPermission(_ device: SharingDevice) async throws {
    guard let share = try device.container.fetchShares(in: device.own).first else { return }
    for participant in share.participants where participant.role != .owner {
      participant.permission = participant.permission == .readOnly ? .readWrite : .readOnly
    }
    try await device.container.persistUpdatedShare(share, in: device.own)
  }

  private func stopSharing(_ device: SharingDevice) async throws {
    guard let share = try device.container.fetchShares(in: device.own).first else { return }
    try await device.engines.own.site.container.privateCloudDatabase.deleteRecord(
      withID: share.recordID)
  }

  private func leave(_ device: SharingDevice) async throws {
    guard let share = try device.container.fetchShares(in: device.shared).first else { return }
    try await device.container.purgeObjectsAndRecordsInZone(
      with: share.recordID.zoneID, in: device.shared)
  }

  private func restart(_ place: Int) async throws {
    let (user, signedIn, device) = devices[place]
    try device.close()
    devices[place] = (
      user, signedIn, try await SharingDevice(signedIn, in: folder, files: device.files)
    )
  }

  // MARK: The end

  func settle() async throws {
    for device in devices { device.signedIn.network.isOnline = true }
    for round in 0..<8 {
      for (user, _, device) in devices {
        do { try await device.sync() } catch {
          if round == 7 { Issue.record("\(user) cannot sync: \(error)\n\(story)") }
        }
      }
    }
  }

  private var story: String { trace.joined(separator: "\n") }

  func check() async throws {
    var fresh: [String: SharingDevice] = [:]
    for user in ["ada", "bob", "carl"] {
      let device = try await SharingDevice(try await cloud.signIn(user), in: folder)
      try await device.sync()
      fresh[user] = device
    }
    for (place, (user, _, device)) in devices.enumerated() {
      let (own, wanted) = (try await device.contents(), try await fresh[user]?.contents())
      let (had, has) = (Set(own), Set(wanted ?? []))
      #expect(
        had == has,
        """
        Device \(place) of \(user) alone has \(had.subtracting(has).sorted()), and a new device \
        alone has \(has.subtracting(had).sorted()).
        \(story)
        """)
    }
    let owner = devices[0].device
    let names = Set(try await owner.people().map(\.personName))
    #expect(made.isSubset(of: names), "lost: \(made.subtracting(names))\n\(story)")
    try await checkZones(owner)
    try await checkVisibility(owner, fresh)
  }

  /// Each object of the owner has one record, in the zone that the store says.
  private func checkZones(_ owner: SharingDevice) async throws {
    var places: [String: [String]] = [:]
    for (zone, names) in try await owner.records() {
      for name in names { places[name, default: []].append(zone) }
    }
    #expect(places.allSatisfy { $0.value.count == 1 }, "\(places)\n\(story)")
    let known = try await owner.recordZones()
    #expect(known == places.compactMapValues(\.first), "\(story)")
  }

  /// Each user has the objects of the shares that they take part in, and no others.
  private func checkVisibility(_ owner: SharingDevice, _ fresh: [String: SharingDevice])
    async throws
  {
    for user in ["bob", "carl"] {
      guard let device = fresh[user], let name = device.user.userRecordName else { continue }
      let granted = try owner.container.fetchShares(in: owner.own).filter { share in
        share.participants.contains {
          $0.userIdentity.userRecordID?.recordName == name && $0.acceptanceStatus == .accepted
        }
      }
      let zones = Set(granted.map(\.recordID.zoneID.zoneName))
      let wanted = try await owner.recordZones().filter { zones.contains($0.value) }.keys.sorted()
      let seen = try await device.recordZones(isShared: true).keys.sorted()
      #expect(seen == wanted, "\(user)\n\(story)")
    }
  }
}

extension String {
  /// The name in a line of `people()`.
  fileprivate var personName: String {
    components(separatedBy: " of ").dropLast().joined(separator: " of ")
  }
}

extension SharingDevice {
  fileprivate func towns() async throws -> [String] {
    try await container.performBackgroundTask { context in
      try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Town"))
        .compactMap { $0.value(forKey: "name") as? String }
    }
  }

  /// All people with towns and ages, and all towns, with the stores that they are in.
  fileprivate func contents() async throws -> [String] {
    try await container.performBackgroundTask { context in
      let stores = context.persistentStoreCoordinator?.persistentStores ?? []
      func place(_ object: NSManagedObject) -> String {
        stores.firstIndex { $0.identifier == object.objectID.persistentStore?.identifier } == 1
          ? "shared" : "own"
      }
      let people = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person")).map {
        let town = ($0.value(forKey: "town") as? NSManagedObject)?.value(forKey: "name")
        let (name, age) = ($0.value(forKey: "name") ?? "", $0.value(forKey: "age") ?? "-")
        return "\(name) \(town ?? "-") \(age) \(place($0))"
      }
      let towns = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Town")).map {
        "\($0.value(forKey: "name") ?? "") \(place($0))"
      }
      return (people + towns).sorted()
    }
  }

  /// The zones of all objects, by the names of their records.
  fileprivate func recordZones(isShared: Bool = false) async throws -> [String: String] {
    let objectIDs = try await container.performBackgroundTask { context in
      try ["Town", "Person"].flatMap { entity in
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.affectedStores = [context.store(isShared: isShared)]
        return try context.fetch(request).map(\.objectID)
      }
    }
    let records = container.recordIDs(for: objectIDs).values
    return Dictionary(
      records.map { ($0.recordName, $0.zoneID.zoneName) }, uniquingKeysWith: { $0 + " and " + $1 })
  }

  /// The newest version of a share that the store has.
  fileprivate func share(like share: CKShare) throws -> CKShare {
    try container.fetchShares(in: own).first { $0.recordID == share.recordID } ?? share
  }
}
