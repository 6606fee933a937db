import CloudKitClient
import Foundation
import TestSupport
import Testing

@Suite("Leaks over bad networks")
struct LeakTests {
  private static let zoneID = CKRecordZone.ID(zoneName: "Notes")

  /// Runs in its own process, in which no other test opens files.
  @Test(.endsAtAll) func `No descriptor leaks, whatever the network does to any request`() async {
    await #expect(processExitsWith: .success) {
      try await onBlockingThreads {
        // Descriptors that the first use opens permanently are no leak.
        try await LeakTests.runWithEveryFault()
        let before = try openDescriptors().count
        try await LeakTests.runWithEveryFault()
        let after = try openDescriptors()
        #expect(after.count <= before, "\(after)")
      }
    }
  }

  private static let faults: [NetworkFault] =
    NetworkTrial.passing + NetworkTrial.captive + [
      .down(150_000, .close), .up(150_000, .reset), .duplicate(answering: .second),
      .down(20, .unnoticed),
    ]

  /// Starts a server, and makes all kinds of requests with each fault in each request.
  private static func runWithEveryFault() async throws {
    try await withTemporaryDirectory { folder in
      let file = folder.appendingPathComponent("picture")
      try Data(repeating: 7, count: 300_000).write(to: file)
      try await withDistantCloud { cloud in
        for fault in faults {
          for number in 0..<requestCount { try await use(file, cloud, fault, at: number) }
        }
      }
    }
  }

  /// At least the number of requests of one run.
  private static let requestCount = 14

  /// Makes all kinds of requests, one of which has an injected fault.
  private static func use(_ file: URL, _ cloud: DistantCloud, _ fault: NetworkFault, at number: Int)
    async throws
  {
    try await cloud.usingDevices { devices in
      cloud.proxy.plan = [NetworkFault](repeating: .none, count: number) + [fault]
      try await use(devices.ada, file)
      cloud.proxy.plan = []
    }
  }

  /// Makes one request of each kind, whether or not it is answered.
  private static func use(_ container: CKContainer, _ file: URL) async throws {
    let database = container.privateCloudDatabase
    let listening = Task { for await _ in try container.binding().signals { return } }
    _ = try? await database.save(CKRecordZone(zoneID: zoneID))
    let record = CKRecord(
      recordType: "Note", recordID: CKRecord.ID(recordName: UUID().uuidString, zoneID: zoneID))
    record["picture"] = CKAsset(fileURL: file)
    record.encryptedValues["secret"] = "1"
    _ = try? await database.save(record)
    _ = try? await database.record(for: record.recordID)
    let share = CKShare(rootRecord: record)
    share.publicPermission = .readOnly
    _ = try? await database.modifyRecords(saving: [record, share], deleting: [])
    if let url = share.url { _ = try? await container.shareMetadata(for: url) }
    _ = try? await database.save(CKRecordZoneSubscription(zoneID: zoneID, subscriptionID: "notes"))
    listening.cancel()
    _ = await listening.result
  }
}
