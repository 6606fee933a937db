import CloudKitClient
import CloudKitTesting
import Foundation
import Synchronization
import Testing

/// The first uses in a program's tests, through the public API only.
@Suite("Tests of a program")
struct FirstUseTests {
  private static func note(_ name: String) -> CKRecord {
    CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: name))
  }

  private static let fatal: [(TestNetwork.Fault, CKError.Code)] = [
    (.noNetwork, .networkUnavailable), (.lostRequest, .networkFailure),
    (.unavailable(retryAfterSeconds: nil), .serviceUnavailable),
    (.lostResponse, .serverResponseLost),
  ]

  @Test(arguments: fatal) func `A program gets the error of a network that always fails`(
    _ fault: TestNetwork.Fault, _ code: CKError.Code
  ) async throws {
    let device = try await TestCloud().signIn("ada")
    let database = device.container.privateCloudDatabase
    device.network.injectAtRandom([fault], probability: 1, seed: 1)
    let error = await #expect(throws: CKError.self) { try await database.save(Self.note("one")) }
    #expect(error?.code == code)
    device.network.heal()
    try await database.save(Self.note("two"))
  }

  @Test func `A program gets no error from a network that fails once`() async throws {
    let device = try await TestCloud().signIn("ada")
    let database = device.container.privateCloudDatabase
    for fault in [TestNetwork.Fault.noNetwork, .lostResponse, .unavailable(retryAfterSeconds: 20)] {
      device.network.inject(fault)
      try await database.save(Self.note("\(fault)"))
    }
  }

  @Test func `A test can detect a waiting program and then move the clock`() async throws {
    let device = try await TestCloud().signIn("ada")
    let (cloud, database) = (device.cloud, device.container.privateCloudDatabase)
    _ = try await database.allRecordZones()
    for _ in 0..<20 {
      device.network.inject(.delayedRequest(.seconds(10)))
      async let zones = database.allRecordZones()
      await cloud.clock.waitForWaiter()
      #expect(cloud.clock.waiterCount == 1)
      // A waiting program is detected at once.
      await cloud.clock.waitForWaiter()
      try await cloud.advance(by: .seconds(10))
      #expect(try await zones.count == 1)
    }
    let watching = Task { await cloud.clock.waitForWaiter() }
    watching.cancel()
    await watching.value
  }

  @Test func `A test detects a delayed request although other work waits for the clock`()
    async throws
  {
    let device = try await TestCloud().signIn("ada")
    let (cloud, database) = (device.cloud, device.container.privateCloudDatabase)
    let other = try await cloud.signIn("grace")
    let otherDatabase = other.container.privateCloudDatabase
    _ = try await database.allRecordZones()
    other.network.inject(.delayedRequest(.seconds(1_000)))
    async let otherZones = otherDatabase.allRecordZones()
    await other.network.waitForHeldRequest()
    for _ in 0..<20 {
      device.network.inject(.delayedRequest(.seconds(10)))
      async let zones = database.allRecordZones()
      await device.network.waitForHeldRequest()
      #expect(cloud.clock.waiterCount == 2)
      try await cloud.advance(by: .seconds(10))
      #expect(try await zones.count == 1)
    }
    try await cloud.advance(by: .seconds(1_000))
    #expect(try await otherZones.count == 1)
  }

  @Test func `The clock moves exactly, and a huge delay does not overflow`() async throws {
    let device = try await TestCloud().signIn("ada")
    let (cloud, database) = (device.cloud, device.container.privateCloudDatabase)
    let start = cloud.clock.now
    for seconds in [2_365, 1_635, 9_540, 46_800] {
      let before = cloud.clock.now
      try await cloud.advance(by: .seconds(seconds))
      #expect(cloud.clock.now.timeIntervalSince(before) == TimeInterval(seconds))
    }
    device.network.inject(.delayedRequest(.seconds(Int64.max)))
    let waiting = Task { try await database.allRecordZones() }
    await device.network.waitForHeldRequest()
    waiting.cancel()
    await #expect(throws: (any Error).self) { try await waiting.value }
    #expect(cloud.clock.now.timeIntervalSince(start) == 60_340)
  }

  @Test func `Concurrent sign-ins of a new user, in any spelling, find one account`() async throws {
    let cloud = try await TestCloud()
    let names = try await withThrowingTaskGroup(of: String?.self) { group in
      for number in 0..<20 {
        let name = number.isMultiple(of: 2) ? "Ada@example.com" : " ada@example.com"
        group.addTask { try await cloud.signIn(name).userRecordName }
      }
      var names: Set<String?> = []
      for try await name in group { names.insert(name) }
      return names
    }
    #expect(names.count == 1)
    #expect(try await names == [cloud.signIn("ADA@example.com").userRecordName])
    for _ in 0..<2 {
      await #expect {
        try await cloud.signIn("Zoë")
      } throws: {
        "\($0)".contains("printable ASCII")
      }
    }
  }

  @Test func `A test can change a device's account`() async throws {
    let cloud = try await TestCloud(container: "iCloud.com.example.changing-accounts")
    let container = cloud.device().container
    let changes = Mutex(0)
    let observer = NotificationCenter.default.addObserver(
      forName: .CKAccountChanged, object: nil, queue: nil
    ) {
      if "\($0.userInfo ?? [:])".contains("changing-accounts") { changes.withLock { $0 += 1 } }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    #expect(try await container.accountStatus() == .noAccount)
    let ada = try await container.signIn(webAuthToken: try await cloud.webAuthToken(of: "ada"))
    #expect(try await container.accountStatus() == .available && changes.withLock(\.self) == 1)
    try await container.privateCloudDatabase.save(Self.note("ada's"))
    let grace = try await container.signIn(webAuthToken: try await cloud.webAuthToken(of: "grace"))
    #expect(ada.userRecordID != grace.userRecordID && changes.withLock(\.self) == 2)
    await #expect {
      try await container.privateCloudDatabase.record(for: Self.note("ada's").recordID)
    } throws: {
      CKError.unknownItem ~= $0
    }
    try container.switchAccount(to: ada)
    _ = try await container.privateCloudDatabase.record(for: Self.note("ada's").recordID)
    #expect(try await container.signOut() && changes.withLock(\.self) == 4)
    #expect(try await container.accountStatus() == .noAccount)
    #expect(try await cloud.signIn("ada").userRecordName == ada.userRecordID.recordName)
  }
}
