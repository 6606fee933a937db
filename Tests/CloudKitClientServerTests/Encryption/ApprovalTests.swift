import ClientTestSupport
import CloudKitClient
import CloudKitTesting
import Foundation
import Testing

/// The transfer of the user's keys from the first device to another one, through the API and with
/// the real server.
@Suite("Approving a device")
struct ApprovalTests {
  private let cloud: TestCloud
  private let device: TestDevice
  /// The device with the keys, and one that requests them.
  private let (first, second): (CKContainer, CKContainer)
  private let recoveryCode: String
  private let secretID: CKRecord.ID

  init() async throws {
    cloud = try await TestCloud()
    device = try await cloud.signIn("anna@example.com")
    (first, second) = (device.container, device.container)
    guard case .readyWithNewKeys(let code) = try await first.encryption.status() else {
      throw CKError(.internalError, "The first device made no keys.")
    }
    recoveryCode = code
    let zone = try await first.privateCloudDatabase.save(CKRecordZone(zoneName: "Secrets"))
    let record = CKRecord(
      recordType: "Contact", recordID: CKRecord.ID(recordName: "one", zoneID: zone.zoneID))
    record["name"] = "One"
    record.encryptedValues["phone"] = "555"
    try await first.privateCloudDatabase.save(record)
    secretID = record.recordID
  }

  /// Expects a device to have no keys, so that it cannot read encrypted values.
  private func expectNoKeys(_ container: CKContainer) async throws {
    #expect(try await container.encryption.status() == .needsApproval)
    await #expect { try await container.privateCloudDatabase.record(for: secretID) } throws: {
      CKError.accountTemporarilyUnavailable ~= $0
    }
  }

  private func expectNoRequest<Value>(_ ask: () async throws -> Value) async {
    await #expect { _ = try await ask() } throws: { CKError.invalidArguments ~= $0 }
  }

  /// Sends a request to the first device, which begins to answer.
  private func askAndBegin(_ container: CKContainer) async throws
    -> CKContainer.Encryption.WaitingDevice
  {
    try await container.encryption.requestApproval(deviceName: "Laptop")
    let waiting = try #require(try await first.encryption.waitingDevices().last)
    try await first.encryption.beginApproval(of: waiting)
    return waiting
  }

  /// The digits that a device shows.
  private func digits(_ container: CKContainer) async throws -> String? {
    guard case .compare(let digits) = try await container.encryption.approvalProgress() else {
      return nil
    }
    return digits
  }

  @Test func `A device whose digits the user typed gets the keys`() async throws {
    try await expectNoKeys(second)
    try await cloud.advance(by: .seconds(60))
    try await second.encryption.requestApproval(deviceName: "Laptop")
    #expect(try await second.encryption.approvalProgress() == .waiting)
    let devices = try await first.encryption.waitingDevices()
    #expect(devices.map(\.name) == ["Laptop"] && devices.map(\.date) == [cloud.clock.now])
    let waiting = try #require(devices.first)
    try await first.encryption.beginApproval(of: waiting)
    await #expect { try await first.encryption.approve(waiting, code: "000 000") } throws: {
      CKError.permissionFailure ~= $0
    }
    let shown = try #require(try await digits(second))
    #expect(try await digits(second) == shown)
    #expect(shown.count == 7 && shown.filter(\.isNumber).count == 6, "\(shown)")
    // The user has confirmed on one device only.
    #expect(try await !second.encryption.confirmDigits())
    try await expectNoKeys(second)
    try await first.encryption.approve(
      waiting, code: shown.replacingOccurrences(of: " ", with: "-"))
    #expect(try await second.encryption.confirmDigits())
    #expect(try await second.encryption.approvalProgress() == .ready)
    #expect(try await second.encryption.status() == .ready)
    #expect(
      try await second.privateCloudDatabase.record(for: secretID).encryptedValues["phone"] == "555")
    #expect(try await first.encryption.waitingDevices().isEmpty)
    // Only a device that made the code, or on which the user typed it, knows it.
    #expect(try await second.encryption.recoveryCode() == nil)
    #expect(try await first.encryption.recoveryCode() == recoveryCode)
  }

  @Test func `A withdrawn request gets nothing, even with the right digits`() async throws {
    let waiting = try await askAndBegin(second)
    let shown = try #require(try await digits(second))
    try await second.encryption.withdrawRequest()
    await expectNoRequest { try await first.encryption.approve(waiting, code: shown) }
    await expectNoRequest { try await second.encryption.confirmDigits() }
    await expectNoRequest { try await second.encryption.approvalProgress() }
    #expect(try await first.encryption.waitingDevices().isEmpty)
    try await expectNoKeys(second)
    // Withdrawing without a request changes nothing.
    try await second.encryption.withdrawRequest()
  }

  @Test func `Wrong digits pass on no keys, and the third attempt ends the approval`()
    async throws
  {
    let waiting = try await askAndBegin(second)
    let shown = try #require(try await digits(second))
    let wrong = shown == "000 000" ? "000 001" : "000 000"
    for _ in 0..<2 {
      await #expect { try await first.encryption.approve(waiting, code: wrong) } throws: {
        CKError.permissionFailure ~= $0
      }
    }
    await #expect { try await first.encryption.approve(waiting, code: wrong) } throws: {
      CKError.internalError ~= $0
    }
    await expectNoRequest { try await first.encryption.approve(waiting, code: shown) }
    await expectNoRequest { try await first.encryption.beginApproval(of: waiting) }
    #expect(try await !second.encryption.confirmDigits())
    try await expectNoKeys(second)
  }

  @Test(arguments: [false, true]) func `A rejected device is notified and can ask again`(
    _ isCompared: Bool
  )
    async throws
  {
    let waiting = try await askAndBegin(second)
    let compared = isCompared ? try #require(try await digits(second)) : ""
    try await first.encryption.refuse(waiting)
    await expectNoRequest { try await first.encryption.approve(waiting, code: compared) }
    #expect(try await second.encryption.approvalProgress() == .refused)
    await expectNoRequest { try await second.encryption.confirmDigits() }
    try await expectNoKeys(second)
    let again = try await askAndBegin(second)
    let shown = try #require(try await digits(second))
    try await first.encryption.approve(again, code: shown)
    #expect(try await second.encryption.confirmDigits())
  }

  @Test func `After a rejection, confirming the digits is an error`() async throws {
    let waiting = try await askAndBegin(second)
    _ = try #require(try await digits(second))
    try await first.encryption.refuse(waiting)
    await expectNoRequest { try await second.encryption.confirmDigits() }
  }

  @Test func `Too many requests displace the oldest one`() async throws {
    try await second.encryption.requestApproval(deviceName: "Oldest")
    let oldest = try #require(try await first.encryption.waitingDevices().first)
    for number in 0..<8 {
      try await device.container.encryption.requestApproval(deviceName: "Device \(number)")
    }
    #expect(
      try await first.encryption.waitingDevices().map(\.name) == (0..<8).map { "Device \($0)" })
    await expectNoRequest { try await first.encryption.beginApproval(of: oldest) }
    await expectNoRequest { try await second.encryption.approvalProgress() }
    await expectNoRequest { try await second.encryption.confirmDigits() }
    try await expectNoKeys(second)
  }

  @Test
  func `A device that asks again has one request, and no second device answers it`() async throws {
    let third = device.container
    try await third.encryption.recover(with: recoveryCode)
    try await second.encryption.requestApproval(deviceName: "Laptop")
    try await second.encryption.requestApproval(deviceName: "Laptop, again")
    let waiting = try await first.encryption.waitingDevices()
    #expect(waiting.map(\.name) == ["Laptop, again"])
    try await first.encryption.beginApproval(of: waiting[0])
    #expect(try await third.encryption.waitingDevices().isEmpty)
    await expectNoRequest { try await third.encryption.beginApproval(of: waiting[0]) }
    await expectNoRequest { try await third.encryption.approve(waiting[0], code: "000 000") }
  }

  @Test func `A device with keys makes no request`() async throws {
    try await first.encryption.requestApproval(deviceName: "Itself")
    #expect(try await first.encryption.waitingDevices().isEmpty)
    #expect(try await first.encryption.approvalProgress() == .ready)
  }

  @Test func `A device with abandoned keys is not ready, and gets the new ones by approval`()
    async throws
  {
    _ = try await second.encryption.resetAll()
    await expectNoRequest { try await first.encryption.approvalProgress() }
    try await first.encryption.requestApproval(deviceName: "Former")
    let waiting = try #require(try await second.encryption.waitingDevices().first)
    try await second.encryption.beginApproval(of: waiting)
    let shown = try #require(try await digits(first))
    try await second.encryption.approve(waiting, code: shown)
    #expect(try await first.encryption.confirmDigits())
    #expect(try await first.encryption.status() == .ready)
    #expect(try await first.encryption.approvalProgress() == .ready)
  }

  @Test func `A device without keys answers no request, and none is made if no keys exist`()
    async throws
  {
    await #expect { try await second.encryption.waitingDevices() } throws: {
      CKError.accountTemporarilyUnavailable ~= $0
    }
    let bob = try await cloud.signIn("bob@example.com").container
    await expectNoRequest { try await bob.encryption.requestApproval(deviceName: "Laptop") }
    await expectNoRequest { try await second.encryption.approvalProgress() }
    await #expect {
      try await cloud.device().container.encryption.requestApproval(deviceName: "Laptop")
    } throws: {
      CKError.notAuthenticated ~= $0
    }
  }

  @Test func `A new recovery code works, and the former one does not`() async throws {
    let code = try await first.encryption.renewRecoveryCode()
    #expect(code != recoveryCode)
    #expect(try await first.encryption.recoveryCode() == code)
    await expectNoRequest { try await second.encryption.recover(with: recoveryCode) }
    try await expectNoKeys(second)
    try await second.encryption.recover(with: code)
    #expect(
      try await second.privateCloudDatabase.record(for: secretID).encryptedValues["phone"] == "555")
  }

  @Test func `A conflict's record lacks the values that this device cannot open`() async throws {
    let record = CKRecord(recordType: "Contact", recordID: secretID)
    record["title"] = "Anna"
    let conflict = await #expect(throws: CKError.self) {
      try await second.privateCloudDatabase.save(record)
    }
    #expect(conflict?.code == .serverRecordChanged)
    let there = try #require(conflict?.serverRecord)
    #expect(there.recordChangeTag != nil && there["name"] == "One")
    #expect(
      there.encryptedValues["phone"] == nil as String? && there.encryptedValues.allKeys() == [])
    // Saving the merged record leaves the encrypted values unchanged.
    there["name"] = "Two"
    try await second.privateCloudDatabase.save(there)
    let merged = try await first.privateCloudDatabase.record(for: secretID)
    #expect(merged["name"] == "Two" && merged.encryptedValues["phone"] == "555")
  }

  @Test func `A conflict's record lacks the files that this device cannot open`() async throws {
    let recordID = CKRecord.ID(recordName: "picture", zoneID: secretID.zoneID)
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(
      "file-\(UUID().uuidString)")
    try Data("secret".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let record = CKRecord(recordType: "Contact", recordID: recordID)
    (record["picture"], record["name"]) = (CKAsset(sealing: file), "One")
    try await first.privateCloudDatabase.save(record)
    let other = CKRecord(recordType: "Contact", recordID: recordID)
    other["name"] = "Two"
    let conflict = await #expect(throws: CKError.self) {
      try await second.privateCloudDatabase.openingFiles.save(other)
    }
    let there = try #require(conflict?.serverRecord)
    #expect(there["name"] == "One" && (there["picture"] as CKAsset?)?.fileURL == nil)
    #expect((there["picture"] as CKAsset?)?.stored != nil)
  }

  /// After the lost response, the client compares its record with the server's, which has a value
  /// that this device cannot open.
  @Test func `A value that cannot be opened does not count as removed`() async throws {
    let record = CKRecord(recordType: "Contact", recordID: secretID)
    record["name"] = "One"
    record.encryptedValues["phone"] = "1"
    record.encryptedValues["phone"] = nil as String?
    _ = try await second.privateCloudDatabase.allRecordZones()
    device.network.inject(.lostResponse)
    await #expect { try await second.privateCloudDatabase.save(record) } throws: {
      CKError.serverRecordChanged ~= $0
    }
  }
}
