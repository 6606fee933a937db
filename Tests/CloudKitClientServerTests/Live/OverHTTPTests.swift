import ClientTestSupport
import CloudKitClient
import CloudSyncEngine
import Cryptography
import Foundation
import PredicateLanguage
import RecordServer
import RecordServerHTTP
import Synchronization
import TestSupport
import Testing

/// The API over HTTP, through a proxy that behaves like bad networks.
@Suite("The API over HTTP", .blockingThreads, .endsAtAll)
struct OverHTTPTests {
  private let zoneID = CKRecordZone.ID(zoneName: "Notes")

  private func note(_ name: String) -> CKRecord {
    let record = CKRecord(
      recordType: "Note", recordID: CKRecord.ID(recordName: name, zoneID: zoneID))
    record["title"] = "The title of \(name)"
    return record
  }

  // MARK: Failing networks

  /// The faults of the first connection of each request.
  private static let faults: [NetworkFault] = [
    .up(20, .reset), .up(20, .close), .up(400, .reset), .down(20, .reset), .down(20, .close),
    .down(300, .reset),
    .down(0, .reset),
  ]

  @Test(arguments: Way.allCases) func `An interrupted request is retried and done once`(way: Way)
    async throws
  {
    try await withDistantCloud { world in
      try await world.using { try await $0.privateCloudDatabase.save(CKRecordZone(zoneID: zoneID)) }
      for (number, fault) in Self.faults.enumerated() {
        func once<Result>(_ body: (CKDatabase) async throws -> Result) async throws -> Result {
          try await world.using(fault: fault) { try await body($0.privateCloudDatabase) }
        }
        let record = note("note-\(number)")
        _ = try await once { try await way.save(record, in: $0) }
        record["title"] = "Changed"
        _ = try await once { try await way.save(record, in: $0) }
        let there = try await once { try await way.fetch(record.recordID, from: $0) }
        #expect(
          there["title"] == "Changed" && there.recordChangeTag == record.recordChangeTag, "\(fault)"
        )
        let query = CKQuery(
          recordType: "Note", predicate: NSPredicate(format: "title == 'Changed'"))
        #expect(
          try await once { try await way.names(query, zoneID, in: $0) } == [
            record.recordID.recordName
          ])
        #expect(
          try await once { try await way.changes(zoneID, in: $0) } == [record.recordID.recordName])
        try await once { try await way.delete(record.recordID, from: $0) }
        #expect(try await once { try await way.changes(zoneID, in: $0) }.isEmpty, "\(fault)")
      }
    }
  }

  @Test(arguments: Way.allCases)
  func `A permanent failure is reported for every item with its error`(
    way: Way
  ) async throws {
    let portal = Array(
      "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 21\r\n\r\n<html>Sign in!</html>"
        .utf8)
    let redirect = Array(
      "HTTP/1.1 302 Found\r\nLocation: http://portal.example/\r\nContent-Length: 0\r\n\r\n".utf8)
    let password = Array("HTTP/1.1 401 Unauthorized\r\nContent-Length: 4\r\n\r\nWho?".utf8)
    try await withDistantCloud { world in
      try await world.using { try await $0.privateCloudDatabase.save(CKRecordZone(zoneID: zoneID)) }
      for (fault, codes) in [
        (NetworkFault.up(20, .reset), Set([CKError.Code.serverResponseLost])),
        (.down(20, .close), [.serverResponseLost]),
        (.answer(portal, .close), [.networkFailure]),
        (.answer(Array("no HTTP".utf8), .close), [.networkFailure]),
        (.answer(redirect, .close), [.networkFailure]),
        (.answer(password, .close), [.networkFailure]),
      ] {
        let results = try await world.using(fault: fault, lasts: true) {
          await way.saveResults([note("one"), note("two")], in: $0.privateCloudDatabase)
        }
        #expect(results.count == 2, "\(fault)")
        for (name, code) in results {
          #expect(
            code.map { codes.contains($0) } == true,
            "\(fault): \(name): \(String(describing: code))")
        }
      }
      world.proxy.fault = .none
      let left = try await world.using {
        try await way.changes(zoneID, in: $0.privateCloudDatabase)
      }
      #expect(Set(left).isSubset(of: ["one", "two"]))
    }
  }

  @Test func `An interrupted upload or download is completed`() async throws {
    try await withTemporaryDirectory { folder in
      let file = folder.appendingPathComponent("picture")
      try Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }).write(to: file)
      try await withDistantCloud { world in
        try await world.using {
          try await $0.privateCloudDatabase.save(CKRecordZone(zoneID: zoneID))
        }
        for fault in [NetworkFault.up(300_000, .reset), .down(100, .reset)] {
          let record = note("picture-\(UUID().uuidString)")
          record["picture"] = CKAsset(fileURL: file)
          try await world.using(fault: fault) { try await $0.privateCloudDatabase.save(record) }
          try await world.using(fault: .down(300_000, .close)) { container in
            let fetched = try await container.privateCloudDatabase.record(for: record.recordID)
            let asset = try #require(fetched["picture"] as CKAsset?)
            #expect(try Data(contentsOf: #require(asset.fileURL)) == Data(contentsOf: file))
          }
        }
      }
    }
  }

  @Test func `An upload resumes after an interruption`() async throws {
    try await withTemporaryDirectory { folder in
      let file = folder.appendingPathComponent("picture")
      try Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }).write(to: file)
      try await withDistantCloud { world in
        try await world.using {
          try await $0.privateCloudDatabase.save(CKRecordZone(zoneID: zoneID))
        }
        let record = note("picture")
        record["picture"] = CKAsset(fileURL: file)
        let progress = Mutex<[Double]>([])
        // The network stalls, and breaks once the server has more than a third.
        async let saving: Void = world.using(fault: .up(2_500_000, .stall)) { container in
          let operation = CKModifyRecordsOperation(recordsToSave: [record])
          operation.perRecordProgressBlock = { _, done in progress.withLock { $0.append(done) } }
          #expect(await finish(operation, container.privateCloudDatabase) == nil)
        }
        try await yields(while: try world.incompleteUploadBytes() < 1_000_000)
        world.proxy.fault = .none
        world.proxy.endConnections()
        try await saving
        // The connection breaks once, after more than half. The earlier part is not sent again.
        let reported = progress.withLock(\.self)
        let half = try #require(reported.firstIndex { $0 > 0.5 })
        #expect(reported[half...].allSatisfy { $0 > 0.1 }, "\(reported)")
        try await world.using { container in
          let fetched = try await container.privateCloudDatabase.record(for: record.recordID)
          let asset = try #require(fetched["picture"] as CKAsset?)
          #expect(try Data(contentsOf: #require(asset.fileURL)) == Data(contentsOf: file))
        }
      }
    }
  }

  @Test func `A silent network is abandoned after the configured timeout`() async throws {
    try await withDistantCloud { world in
      try await world.using { try await $0.privateCloudDatabase.save(CKRecordZone(zoneID: zoneID)) }
      let configuration = CKOperation.Configuration()
      configuration.timeoutIntervalForRequest = 2
      try await world.using(fault: .down(20, .stall)) { container in
        try await container.configuredWith(configuration: configuration) { patient in
          let saved = try await patient.privateCloudDatabase.save(note("one"))
          #expect(saved.recordChangeTag != nil)
        }
      }
    }
  }

  @Test func `An engine syncs everything over interruptions`() async throws {
    try await withDistantCloud { world in
      for (number, fault) in Self.faults.enumerated() {
        func sync(_ notesProgram: NotesProgram, _ body: (CKSyncEngine) async throws -> Void)
          async throws
        {
          try await world.using(fault: fault) { container in
            var configuration = CKSyncEngine.Configuration(
              database: container.privateCloudDatabase, stateSerialization: nil,
              delegate: notesProgram)
            configuration.automaticallySync = false
            try await body(CKSyncEngine(configuration))
          }
        }
        let (first, second) = (NotesProgram(), NotesProgram())
        let zoneID = CKRecordZone.ID(zoneName: "Notes-\(number)")
        try await sync(first) { engine in
          engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: zoneID))])
          for name in ["a", "b", "c"] {
            first.write(
              name, to: CKRecord.ID(recordName: "\(name)-\(number)", zoneID: zoneID), engine)
          }
          try await engine.sendChanges()
          #expect(engine.state.pendingRecordZoneChanges.isEmpty, "\(fault)")
        }
        try await sync(second) { try await $0.fetchChanges() }
        #expect(second.titles.count == 3 * (number + 1), "\(fault)")
      }
    }
  }

  // MARK: Callers

  @Test func `A server-to-server key reaches only the public database`() async throws {
    try await withDistantCloud { world in
      let pair = SignaturePrivateKey()
      let accounts = world.server.service.accounts
      let key = try await accounts.addServerKey(publicKey: pair.publicPEM, for: DistantCloud.place)
      let credentials = CKContainer.Configuration.Credentials.serverKey(
        identifier: key.identifier, privateKey: pair.pem)
      try await world.using(credentials) { container in
        let record = CKRecord(recordType: "News", recordID: CKRecord.ID(recordName: "today"))
        record["title"] = "Rain"
        try await container.publicCloudDatabase.save(record)
        #expect(
          try await container.publicCloudDatabase.record(for: record.recordID)["title"] == "Rain")
        await #expect(throws: CKError.self) {
          try await container.privateCloudDatabase.allRecordZones()
        }
      }
      for minutes in [-20.0, 20] {
        try await world.using(credentials, clock: { Date(timeIntervalSinceNow: minutes * 60) }) {
          container in
          let error = await #expect(throws: CKError.self) {
            try await container.publicCloudDatabase.record(for: CKRecord.ID(recordName: "today"))
          }
          #expect(error?.code == .notAuthenticated, "A clock that is \(minutes) minutes wrong")
        }
      }
      try await accounts.revokeServerKey(key.identifier)
      try await world.using(credentials) { container in
        let error = await #expect(throws: CKError.self) {
          try await container.publicCloudDatabase.record(for: CKRecord.ID(recordName: "today"))
        }
        #expect(error?.code == .notAuthenticated)
      }
    }
  }
}

/// The three ways of making a request.
enum Way: CaseIterable, Sendable {
  case methods, handlers, operations

  func save(_ record: CKRecord, in database: CKDatabase) async throws {
    if let code = await saveResults([record], in: database)[record.recordID.recordName] ?? nil {
      throw CKError(code, "")
    }
  }

  /// The result of each record; nil if it was saved.
  func saveResults(_ records: [CKRecord], in database: CKDatabase) async -> [String: CKError.Code?]
  {
    switch self {
    case .methods:
      var codes: [String: CKError.Code?] = [:]
      do {
        for (recordID, result) in try await database.modifyRecords(saving: records, deleting: [])
          .saveResults
        {
          codes[recordID.recordName] = .some(Self.code(result))
        }
      } catch {
        for record in records {
          codes[record.recordID.recordName] = (error as? CKError)?.code ?? .internalError
        }
      }
      return codes
    case .handlers:
      var codes: [String: CKError.Code?] = [:]
      for record in records {
        let error = await withCheckedContinuation {
          (answer: CheckedContinuation<(any Error)?, Never>) in
          database.save(record) { _, error in answer.resume(returning: error) }
        }
        codes[record.recordID.recordName] = .some(
          error.map { ($0 as? CKError)?.code ?? .internalError })
      }
      return codes
    case .operations:
      let reported = Mutex<[String: CKError.Code?]>([:])
      let operation = CKModifyRecordsOperation(recordsToSave: records)
      await withCheckedContinuation { (end: CheckedContinuation<Void, Never>) in
        operation.perRecordSaveBlock = { recordID, result in
          let code = Self.code(result)
          reported.withLock { reported in
            if reported.updateValue(code, forKey: recordID.recordName) != nil {
              Issue.record("\(recordID) is reported twice")
            }
          }
        }
        operation.modifyRecordsResultBlock = { _ in end.resume() }
        database.add(operation)
      }
      return reported.withLock(\.self)
    }
  }

  private static func code(_ result: Result<CKRecord, any Error>) -> CKError.Code? {
    if case .failure(let error) = result {
      (error as? CKError)?.code ?? .internalError
    } else {
      nil
    }
  }

  func fetch(_ recordID: CKRecord.ID, from database: CKDatabase) async throws -> CKRecord {
    switch self {
    case .methods: return try await database.record(for: recordID)
    case .handlers:
      return try await withCheckedThrowingContinuation { answer in
        database.fetch(withRecordID: recordID) { record, error in
          answer.resume(with: Self.result(record, error))
        }
      }
    case .operations:
      return try await withCheckedThrowingContinuation { answer in
        let operation = CKFetchRecordsOperation(recordIDs: [recordID])
        operation.perRecordResultBlock = { answer.resume(with: $1) }
        database.add(operation)
      }
    }
  }

  func delete(_ recordID: CKRecord.ID, from database: CKDatabase) async throws {
    switch self {
    case .methods: try await database.deleteRecord(withID: recordID)
    case .handlers:
      _ = try await withCheckedThrowingContinuation { answer in
        database.delete(withRecordID: recordID) { recordID, error in
          answer.resume(with: Self.result(recordID, error))
        }
      }
    case .operations:
      try await withCheckedThrowingContinuation { answer in
        let operation = CKModifyRecordsOperation(recordIDsToDelete: [recordID])
        operation.perRecordDeleteBlock = { answer.resume(with: $1) }
        database.add(operation)
      }
    }
  }

  func names(_ query: CKQuery, _ zoneID: CKRecordZone.ID, in database: CKDatabase) async throws
    -> [String]
  {
    switch self {
    case .methods:
      return try await database.records(matching: query, inZoneWith: zoneID).matchResults.map(
        \.0.recordName)
    case .handlers:
      return try await withCheckedThrowingContinuation {
        (answer: CheckedContinuation<[String], any Error>) in
        database.fetch(withQuery: query, inZoneWith: zoneID) { result in
          answer.resume(with: result.map { $0.matchResults.map(\.0.recordName) })
        }
      }
    case .operations:
      let names = Mutex<[String]>([])
      let operation = CKQueryOperation(query: query)
      operation.zoneID = zoneID
      try await withCheckedThrowingContinuation { (end: CheckedContinuation<Void, any Error>) in
        operation.recordMatchedBlock = { recordID, _ in
          names.withLock { $0.append(recordID.recordName) }
        }
        operation.queryResultBlock = { end.resume(with: $0.map { _ in }) }
        database.add(operation)
      }
      return names.withLock(\.self)
    }
  }

  func changes(_ zoneID: CKRecordZone.ID, in database: CKDatabase) async throws -> [String] {
    switch self {
    case .methods:
      return try await database.recordZoneChanges(inZoneWith: zoneID, since: nil)
        .modificationResultsByID.keys
        .map(\.recordName)
    case .handlers:
      return try await withCheckedThrowingContinuation {
        (answer: CheckedContinuation<[String], any Error>) in
        database.fetchRecordZoneChanges(inZoneWith: zoneID, since: nil) { result in
          answer.resume(with: result.map { $0.modificationResultsByID.keys.map(\.recordName) })
        }
      }
    case .operations:
      let names = Mutex<[String]>([])
      let operation = CKFetchRecordZoneChangesOperation(
        recordZoneIDs: [zoneID], configurationsByRecordZoneID: [:])
      try await withCheckedThrowingContinuation { (end: CheckedContinuation<Void, any Error>) in
        operation.recordWasChangedBlock = { recordID, _ in
          names.withLock { $0.append(recordID.recordName) }
        }
        operation.fetchRecordZoneChangesResultBlock = { end.resume(with: $0) }
        database.add(operation)
      }
      return names.withLock(\.self)
    }
  }

  private static func result<Value>(_ value: Value?, _ error: (any Error)?) -> Result<
    Value, any Error
  > {
    value.map { .success($0) }
      ?? .failure(error ?? CKError(.internalError, "Neither a value nor an error was reported."))
  }
}
