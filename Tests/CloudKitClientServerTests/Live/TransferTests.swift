import ClientTestSupport
import CloudKitClient
import CloudRecords
import CloudTransport
import Foundation
import Synchronization
import Testing
import WatchedClouds

/// Timeouts of operations, and interrupted transfers of files.
struct TransferTests {
  private let cloud: WatchedCloud
  private var database: CKDatabase { cloud.container("anna").privateCloudDatabase }
  private let zone = CKRecordZone(zoneName: "Notes")

  private static let lost = TransportError(.broken, "The connection broke.", mayHaveArrived: true)

  init() async throws { cloud = try await WatchedCloud() }

  /// A record with a file of a thousand bytes.
  private func recordWithFile() throws -> CKRecord {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(
      "asset-\(UUID().uuidString)")
    try Self.contents.write(to: file)
    let record = CKRecord(
      recordType: "Note", recordID: CKRecord.ID(recordName: "one", zoneID: zone.zoneID))
    record["file"] = CKAsset(fileURL: file)
    return record
  }

  private static let contents = Data((0..<1_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })

  /// Fetches a record with a timeout in seconds.
  private func fetch(_ recordID: CKRecord.ID, within seconds: TimeInterval) async -> CKError? {
    let operation = CKFetchRecordsOperation(recordIDs: [recordID])
    operation.configuration.timeoutIntervalForResource = seconds
    return await withCheckedContinuation { end in
      operation.fetchRecordsResultBlock = { end.resume(returning: error($0)) }
      database.add(operation)
    }
  }

  @Test func `An operation's limits apply to each request, including files`() async throws {
    try await database.save(zone)
    let record = try recordWithFile()
    cloud.limits.withLock { $0 = [] }
    let save = CKModifyRecordsOperation(recordsToSave: [record])
    save.configuration.timeoutIntervalForResource = 600
    #expect(await finish(save, database) == nil)
    #expect(await fetch(record.recordID, within: 600) == nil)
    let limits = cloud.limits.withLock(\.self)
    #expect(limits.count >= 5 && limits.allSatisfy { $0 == .seconds(600) }, "\(limits)")
  }

  @Test func `An operation's limits apply to retries`() async throws {
    cloud.injectedFault.withLock { $0 = { _ in .lost(TransportError(.offline, "No network.")) } }
    let name = CKRecord.ID(recordName: "one", zoneID: zone.zoneID)
    // The first back-off is longer than this limit.
    #expect(await fetch(name, within: 0.1)?.code == .networkUnavailable)
    #expect(cloud.asked.withLock(\.count) == 1)
    let late = await fetch(name, within: 0)
    #expect(
      late?.code == .networkFailure
        && late?.localizedDescription.contains("timeoutIntervalForResource") == true)
    #expect(cloud.asked.withLock(\.count) == 1)
  }

  @Test(arguments: [
    (500, CKError.Code.serviceUnavailable, 4), (502, .serviceUnavailable, 4),
    (504, .serviceUnavailable, 4),
    (429, .serviceUnavailable, 4), (404, .assetNotAvailable, 1), (410, .assetNotAvailable, 1),
    (302, .networkFailure, 1), (407, .networkFailure, 1), (511, .networkFailure, 1),
  ])
  func `A file that a server does not deliver fails with the server's error`(
    _ status: Int, _ code: CKError.Code, _ requests: Int
  )
    async throws
  {
    try await database.save(zone)
    let record = try recordWithFile()
    try await database.save(record)
    cloud.injectedFault.withLock {
      $0 = { $0 == "download" ? .answer(TransportResponse(status: status)) : .none }
    }
    let error = await #expect(throws: CKError.self) {
      try await database.record(for: record.recordID)
    }
    #expect(error?.code == code)
    #expect(cloud.asked.withLock { $0.filter { $0 == "download" }.count } == requests)
  }

  @Test
  func `An interrupted download resumes when it is requested again`() async throws {
    let database = database
    try await database.save(zone)
    let record = try recordWithFile()
    try await database.save(record)
    cloud.injectedFault.withLock { $0 = { $0 == "download" ? .answerLost(Self.lost) : .none } }
    await #expect(throws: CKError.self) { try await database.record(for: record.recordID) }
    cloud.injectedFault.withLock { $0 = { _ in .none } }
    cloud.fileStatuses.withLock { $0 = [] }
    let again = try await database.record(for: record.recordID)
    let file = try #require((again["file"] as? CKAsset)?.fileURL)
    #expect(try Data(contentsOf: file) == Self.contents)
    #expect(cloud.fileStatuses.withLock(\.self) == [206])
    let third = try await database.record(for: record.recordID)
    #expect((third["file"] as? CKAsset)?.fileURL != file)
    #expect(cloud.fileStatuses.withLock(\.self) == [206, 200])
  }

  /// The page of a captive network, shorter than the file.
  private static func page(_ status: Int, length: Int?) -> TransportResponse {
    let body = Array(
      "<!DOCTYPE html><title>Welcome to our network</title><form>Sign in</form>".utf8)
    return TransportResponse(
      status: status,
      headers: [("Content-Type", "text/html")]
        + (length.map { [("Content-Length", "\($0)")] } ?? []),
      body: body)
  }

  @Test(arguments: [72, nil]) func `An error page in place of a file is not part of it`(
    _ length: Int?
  )
    async throws
  {
    let database = database
    try await database.save(zone)
    let record = try recordWithFile()
    try await database.save(record)
    cloud.injectedFault.withLock {
      $0 = { $0 == "download" ? .page(Self.page(200, length: length), nil) : .none }
    }
    let error = await #expect(throws: CKError.self) {
      try await database.record(for: record.recordID)
    }
    #expect(error?.code == .networkFailure)
    cloud.injectedFault.withLock { $0 = { _ in .none } }
    let again = try await database.record(for: record.recordID)
    #expect(
      try Data(contentsOf: try #require((again["file"] as? CKAsset)?.fileURL)) == Self.contents)
    #expect(cloud.fileStatuses.withLock(\.self) == [200])
  }

  @Test(arguments: [72, nil], [1, 3, 5]) func `A truncated error page is not part of a file`(
    _ length: Int?, _ pages: Int
  ) async throws {
    let database = database
    try await database.save(zone)
    let record = try recordWithFile()
    try await database.save(record)
    let left = Mutex(pages)
    cloud.injectedFault.withLock {
      $0 = { operation in
        guard operation == "download" else { return .none }
        let isPage = left.withLock { left in
          left -= 1
          return left >= 0
        }
        return isPage ? .page(Self.page(200, length: length), Self.lost) : .none
      }
    }
    // One call makes four attempts.
    if pages > 4 {
      await #expect(throws: CKError.self) { try await database.record(for: record.recordID) }
    }
    let fetched = try await database.record(for: record.recordID)
    #expect(
      try Data(contentsOf: try #require((fetched["file"] as? CKAsset)?.fileURL)) == Self.contents)
    #expect(cloud.fileStatuses.withLock(\.self) == [200])
  }

  @Test func `The received part of a file survives a gateway's error`() async throws {
    let database = database
    try await database.save(zone)
    let record = try recordWithFile()
    try await database.save(record)
    cloud.injectedFault.withLock { $0 = { $0 == "download" ? .answerLost(Self.lost) : .none } }
    await #expect(throws: CKError.self) { try await database.record(for: record.recordID) }
    cloud.injectedFault.withLock {
      $0 = { $0 == "download" ? .answer(Self.page(200, length: nil)) : .none }
    }
    let error = await #expect(throws: CKError.self) {
      try await database.record(for: record.recordID)
    }
    #expect(error?.code == .networkFailure)
    cloud.injectedFault.withLock { $0 = { _ in .none } }
    cloud.fileStatuses.withLock { $0 = [] }
    let again = try await database.record(for: record.recordID)
    #expect(
      try Data(contentsOf: try #require((again["file"] as? CKAsset)?.fileURL)) == Self.contents)
    #expect(cloud.fileStatuses.withLock(\.self) == [206])
  }

  @Test func `A full disk is reported, and the file arrives once there is space`() async throws {
    let database = database
    try await database.save(zone)
    let record = try recordWithFile()
    try await database.save(record)
    cloud.injectedFault.withLock { $0 = { $0 == "download" ? .fullDisk : .none } }
    let error = try #require(
      await #expect(throws: CKError.self) { try await database.record(for: record.recordID) })
    // A replica must not treat the asset as deleted.
    #expect(error.code == .internalError && !error.isUnreadable)
    let cause = try #require(error.userInfo[NSUnderlyingErrorKey] as? NSError)
    #expect(cause.domain == NSPOSIXErrorDomain && cause.code == Int(ENOSPC))
    #expect(cloud.asked.withLock { $0.filter { $0 == "download" }.count } == 1)
    cloud.injectedFault.withLock { $0 = { _ in .none } }
    let again = try await database.record(for: record.recordID)
    #expect(
      try Data(contentsOf: try #require((again["file"] as? CKAsset)?.fileURL)) == Self.contents)
  }

  @Test func `A file that differs from the server's size fails`() async throws {
    let database = database
    try await database.save(zone)
    let record = try recordWithFile()
    try await database.save(record)
    let asset = try await database.record(for: record.recordID)["file"] as? CKAsset
    let checksum = try #require(asset?.stored).fileChecksum
    let answer = TransportResponse(
      status: 200, headers: [("ETag", "\"\(checksum)\"")], body: Array(Self.contents.prefix(10)))
    cloud.injectedFault.withLock { $0 = { $0 == "download" ? .page(answer, nil) : .none } }
    let error = await #expect(throws: CKError.self) {
      try await database.record(for: record.recordID)
    }
    #expect(error?.code == .assetNotAvailable)
  }
}
