import ClientTestSupport
import CloudKitClient
import CloudKitTesting
import CloudSyncEngine
import CloudTransport
import Foundation
import Synchronization
import TestSupport
import Testing

/// Uploads and downloads that take longer than their URLs are valid: a quarter of an hour.
@Suite("Slow files")
struct SlowFileTests {
  private let cloud: TestCloud
  private let transport: SlowTransport
  private let database: CKDatabase
  private let zone = CKRecordZone(zoneName: "Notes")

  init() async throws {
    cloud = try await TestCloud()
    let device = try await cloud.signIn("anna")
    let transport = SlowTransport(cloud, device.transport)
    self.transport = transport
    let clock = cloud.clock
    let dependencies = ClientDependencies(
      now: { clock.now }, wait: { _ in try Task.checkCancellation() }, chance: { 0.5 },
      makeName: { UUID().uuidString })
    database =
      CKContainer(device.binding(over: transport, dependencies: dependencies)).privateCloudDatabase
  }

  private func contents(_ number: Int) -> Data {
    Data(repeating: UInt8(number), count: 300 + number)
  }

  /// A note with a number of files.
  private func note(_ name: String, _ numbers: Range<Int>, _ folder: URL) throws -> CKRecord {
    let record = CKRecord(
      recordType: "Note", recordID: CKRecord.ID(recordName: name, zoneID: zone.zoneID))
    record["title"] = name
    record["files"] = try numbers.map { number in
      let file = folder.appendingPathComponent("\(name)-\(number)")
      try contents(number).write(to: file)
      return CKAsset(fileURL: file)
    }
    return record
  }

  private func expectFiles(_ numbers: Range<Int>, of record: CKRecord) throws {
    let files = try #require(record["files"] as? [CKAsset]).map {
      try Data(contentsOf: #require($0.fileURL))
    }
    #expect(files == numbers.map { contents($0) })
  }

  @Test func `An engine fetches files that take longer than their URLs are valid`() async throws {
    try await withTemporaryDirectory { folder in
      try await database.save(zone)
      for number in 1...3 {
        try await database.save(note("\(number)", number..<number + 1, folder))
      }
      let notesProgram = NotesProgram()
      var configuration = CKSyncEngine.Configuration(
        database: database, stateSerialization: nil, delegate: notesProgram)
      configuration.automaticallySync = false
      let engine = CKSyncEngine(configuration)
      transport.minutes.withLock { $0 = 8 }
      try await engine.fetchChanges()
      #expect(notesProgram.titles == ["1: 1", "2: 2", "3: 3"])
      for number in 1...3 {
        let recordID = CKRecord.ID(recordName: "\(number)", zoneID: zone.zoneID)
        try expectFiles(number..<number + 1, of: try #require(notesProgram[recordID]))
      }
    }
  }

  @Test func `Each file of a record is fetched from a URL that is still valid`() async throws {
    try await withTemporaryDirectory { folder in
      try await database.save(zone)
      let record = try note("many", 0..<4, folder)
      try await database.save(record)
      transport.minutes.withLock { $0 = 8 }
      try expectFiles(0..<4, of: try await database.record(for: record.recordID))
    }
  }

  @Test func `A file whose URL expires during the download resumes`() async throws {
    try await withTemporaryDirectory { folder in
      try await database.save(zone)
      let record = try note("one", 100..<101, folder)
      try await database.save(record)
      transport.minutes.withLock { $0 = 20 }
      transport.breaks.withLock { $0 = 2 }
      transport.statuses.withLock { $0 = [] }
      try expectFiles(100..<101, of: try await database.record(for: record.recordID))
      // Half of it, a rejection, half of the rest, a rejection, and the remainder.
      #expect(transport.statuses.withLock(\.self) == [200, 403, 206, 403, 206])
    }
  }

  @Test func `A file resumes after any number of interruptions if each attempt makes progress`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      try await database.save(zone)
      let record = try note("one", 100..<101, folder)
      try await database.save(record)
      transport.breaks.withLock { $0 = 7 }
      transport.statuses.withLock { $0 = [] }
      try expectFiles(100..<101, of: try await database.record(for: record.recordID))
      #expect(transport.statuses.withLock(\.self) == [200] + [Int](repeating: 206, count: 7))
    }
  }

  @Test func `A file without progress is abandoned after four interruptions`() async throws {
    try await withTemporaryDirectory { folder in
      try await database.save(zone)
      let record = try note("one", 100..<101, folder)
      try await database.save(record)
      transport.breaks.withLock { $0 = 50 }
      transport.keeps.withLock { $0 = 0 }
      transport.statuses.withLock { $0 = [] }
      await #expect { try await database.record(for: record.recordID) } throws: {
        CKError.serverResponseLost ~= $0
      }
      #expect(transport.statuses.withLock(\.self) == [200, 200, 200, 200])
    }
  }

  @Test(arguments: [(40, 7, nil), (0, 50, CKError.Code.serverResponseLost)])
  func `An upload resumes as long as attempts make progress, and otherwise fails`(
    _ bytes: Int64, _ breaks: Int, _ code: CKError.Code?
  ) async throws {
    try await withTemporaryDirectory { folder in
      try await database.save(zone)
      transport.breaks.withLock { $0 = breaks }
      transport.arrives.withLock { $0 = bytes }
      let record = try note("one", 100..<101, folder)
      let operation = CKModifyRecordsOperation(recordsToSave: [record])
      #expect(await finish(operation, database)?.code == code)
      #expect(transport.breaks.withLock(\.self) == (code == nil ? -1 : 46))
      if code == nil {
        try expectFiles(100..<101, of: try await database.record(for: record.recordID))
      }
    }
  }

  @Test func `If the record gets another file meanwhile, the download fails temporarily`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      try await database.save(zone)
      let record = try note("one", 0..<2, folder)
      try await database.save(record)
      let other = try await database.record(for: record.recordID)
      other["files"] = try note("one", 5..<6, folder)["files"] as [CKAsset]?
      transport.minutes.withLock { $0 = 20 }
      let database = database
      let isFirst = Mutex(true)
      transport.between.withLock {
        $0 = {
          let isNow = isFirst.withLock { first in
            defer { first = false }
            return first
          }
          if isNow { _ = try await database.save(other) }
        }
      }
      let refusal = await #expect(throws: CKError.self) {
        try await database.record(for: record.recordID)
      }
      #expect(refusal?.code == .zoneBusy && refusal?.isTemporary == true)
      try expectFiles(5..<6, of: try await database.record(for: record.recordID))
    }
  }

  @Test func `A file that is also rejected at a new URL is a temporary failure`() async throws {
    try await withTemporaryDirectory { folder in
      try await database.save(zone)
      let record = try note("one", 0..<1, folder)
      try await database.save(record)
      transport.statuses.withLock { $0 = [] }
      transport.refuses.withLock { $0 = true }
      let refusal = await #expect(throws: CKError.self) {
        try await database.record(for: record.recordID)
      }
      #expect(refusal?.code == .networkFailure)
      #expect(transport.statuses.withLock(\.self) == [403, 403])
    }
  }

  @Test func `Each file of a record is uploaded to a URL that is still valid`() async throws {
    try await withTemporaryDirectory { folder in
      try await database.save(zone)
      let record = try note("many", 0..<4, folder)
      transport.minutes.withLock { $0 = 8 }
      try await database.save(record)
      transport.minutes.withLock { $0 = 0 }
      try expectFiles(0..<4, of: try await database.record(for: record.recordID))
    }
  }

  @Test func `An upload interrupted after its URL expired starts over`() async throws {
    try await withTemporaryDirectory { folder in
      try await database.save(zone)
      let record = try note("one", 3..<4, folder)
      transport.minutes.withLock { $0 = 20 }
      transport.breaks.withLock { $0 = 1 }
      try await database.save(record)
      try expectFiles(3..<4, of: try await database.record(for: record.recordID))
    }
  }

  @Test
  func `An upload with a lost answer is not sent again although its URL has expired`() async throws
  {
    try await withTemporaryDirectory { folder in
      try await database.save(zone)
      let record = try note("one", 3..<4, folder)
      transport.minutes.withLock { $0 = 10 }
      transport.losses.withLock { $0 = 1 }
      try await database.save(record)
      #expect(transport.statuses.withLock(\.self) == [200])
      try expectFiles(3..<4, of: try await database.record(for: record.recordID))
      // The server remembers an upload for a quarter of an hour. Then the file is sent again.
      let other = try note("two", 5..<6, folder)
      transport.minutes.withLock { $0 = 16 }
      transport.losses.withLock { $0 = 1 }
      transport.statuses.withLock { $0 = [] }
      try await database.save(other)
      #expect(transport.statuses.withLock(\.self).filter { $0 == 200 }.count == 2)
      transport.minutes.withLock { $0 = 0 }
      try expectFiles(5..<6, of: try await database.record(for: other.recordID))
    }
  }

  @Test func `An upload that is also rejected at a new URL is reported as rejected`() async throws {
    try await withTemporaryDirectory { folder in
      try await database.save(zone)
      transport.refuses.withLock { $0 = true }
      let refusal = await #expect(throws: CKError.self) {
        try await database.save(note("one", 0..<1, folder))
      }
      #expect(refusal?.code == .permissionFailure)
      #expect(transport.statuses.withLock(\.self) == [403, 403])
    }
  }
}

/// A transport on which each file takes time by the cloud's clock.
private final class SlowTransport: CloudTransport {
  private let cloud: TestCloud
  private let inner: any CloudTransport
  /// The minutes that each file takes.
  let minutes = Mutex(0)
  /// The number of next files that are interrupted halfway.
  let breaks = Mutex(0)
  /// 1 if an interrupted download keeps half of what it received, 0 if it keeps nothing.
  let keeps = Mutex<UInt64>(1)
  /// The number of bytes of an interrupted upload that arrive; nil if the cloud itself reports it.
  let arrives = Mutex<Int64?>(nil)
  private let arrived = Mutex<Int64>(0)
  /// The number of next uploads that lose their answers, after they arrived and took their time.
  let losses = Mutex(0)
  /// Whether no file can be transferred.
  let refuses = Mutex(false)
  /// The statuses of files' answers.
  let statuses = Mutex<[Int]>([])
  /// A block that runs after each file has arrived.
  let between = Mutex<@Sendable () async throws -> Void>({})

  init(_ cloud: TestCloud, _ inner: any CloudTransport) {
    (self.cloud, self.inner) = (cloud, inner)
  }

  private static let broken = TransportError(.broken, "The connection broke.", mayHaveArrived: true)
  private static let refusal = TransportResponse(status: 403)

  func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
    guard case .file(let path, _)? = request.body else { return try await answer(to: request) }
    if refuses.withLock(\.self) { return note(Self.refusal) }
    if breaksNow() {
      let bytes = arrives.withLock(\.self) ?? 0
      arrived.withLock { $0 += bytes }
      await pass()
      throw Self.broken
    }
    // The cloud has none of the bytes that arrived before.
    var whole = request
    if arrives.withLock({ $0 != nil }) {
      whole.body = .file(path: path, from: 0)
      whole.headers.removeAll { $0.0 == "Content-Range" }
    }
    let isLost = losses.withLock { losses in
      losses -= 1
      return losses >= 0
    }
    if isLost, minutes.withLock(\.self) <= 10 { await pass() }
    let answer = note(try await inner.send(whole))
    if answer.status == 200 { await pass() }
    if isLost { throw Self.broken }
    return answer
  }

  /// Reports instead of the cloud how much of an upload has arrived.
  private func answer(to request: TransportRequest) async throws(TransportError)
    -> TransportResponse
  {
    let isQuestion = request.headers.contains {
      $0.0 == "Content-Range" && $0.1.hasPrefix("bytes */")
    }
    guard isQuestion, arrives.withLock({ $0 != nil }) else { return try await inner.send(request) }
    return .json(#"{"received":\#(arrived.withLock(\.self))}"#)
  }

  func download(
    _ request: TransportRequest, to path: String, progress: @escaping TransportProgress
  ) async throws(TransportError) -> TransportResponse {
    if refuses.withLock(\.self) { return note(Self.refusal) }
    let begun = size(of: path)
    let answer = note(try await inner.download(request, to: path, progress: progress))
    guard answer.isSuccess else { return answer }
    await pass()
    guard breaksNow() else { return answer }
    truncate(path, to: begun + (size(of: path) - begun) / 2 * keeps.withLock(\.self))
    throw Self.broken
  }

  func open(_ request: TransportRequest) async throws(TransportError) -> TransportStream {
    try await inner.open(request)
  }

  private func note(_ answer: TransportResponse) -> TransportResponse {
    statuses.withLock { $0.append(answer.status) }
    return answer
  }

  private func breaksNow() -> Bool {
    breaks.withLock { breaks in
      breaks -= 1
      return breaks >= 0
    }
  }

  private func pass() async {
    do {
      try await cloud.advance(by: .seconds(60 * minutes.withLock(\.self)))
      try await between.withLock(\.self)()
    } catch {
      Issue.record(error)
    }
  }

  private func size(of path: String) -> UInt64 {
    (try? FileHandle(forReadingFrom: URL(fileURLWithPath: path)).seekToEnd()) ?? 0
  }

  private func truncate(_ path: String, to size: UInt64) {
    do {
      let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
      try file.truncate(atOffset: size)
      try file.close()
    } catch {
      Issue.record("\(path) cannot be cut: \(error)")
    }
  }
}
