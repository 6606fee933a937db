import ClientTestSupport
import CloudKitClient
import CloudKitTesting
import Foundation
import Synchronization
import TestSupport
import Testing
import WatchedClouds

/// Files that are missing or change while they are sent.
@Suite("Changing files")
struct ChangedFileTests {
  private func record(_ file: URL) -> CKRecord {
    let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "one"))
    record["file"] = CKAsset(fileURL: file)
    return record
  }

  /// Changes the length of a file in place, so that readers find a different end.
  private func setLength(_ length: UInt64, of file: URL) {
    do {
      let handle = try FileHandle(forWritingTo: file)
      try handle.truncate(atOffset: length)
      try handle.close()
    } catch {
      Issue.record("\(file.path) cannot be changed: \(error)")
    }
  }

  @Test(arguments: [10, 900_000])
  func `A file that changes during the upload fails, and can be saved once it is stable`(
    _ length: Int
  )
    async throws
  {
    let device = try await TestCloud().signIn("anna@example.com")
    let database = device.container.privateCloudDatabase
    try await withTemporaryDirectory { folder in
      let file = folder.appendingPathComponent("file")
      // More than one read.
      try Data(repeating: 7, count: 600_000).write(to: file)
      let transcript = Transcript()
      let operation = CKModifyRecordsOperation(recordsToSave: [record(file)])
      operation.perRecordProgressBlock = { _, _ in setLength(UInt64(length), of: file) }
      operation.perRecordSaveBlock = { transcript.note($0.recordName, $1) }
      operation.modifyRecordsResultBlock = { transcript.note("end", $0) }
      await database.carryOut(operation)
      #expect(transcript.lines == ["one: assetFileModified", "end: done"])
      await #expect { try await database.record(for: CKRecord.ID(recordName: "one")) } throws: {
        CKError.unknownItem ~= $0
      }
      try await database.save(record(file))
      let fetched = try await database.record(for: CKRecord.ID(recordName: "one"))
      let copy = try #require((fetched["file"] as? CKAsset)?.fileURL)
      let (sent, received) = (try Data(contentsOf: file), try Data(contentsOf: copy))
      #expect(sent == received && sent.count == length)
    }
  }

  @Test func `A missing file is reported`() async throws {
    let device = try await TestCloud().signIn("anna@example.com")
    let database = device.container.privateCloudDatabase
    try await withTemporaryDirectory { folder in
      let record = record(folder.appendingPathComponent("nothing"))
      await #expect { try await database.save(record) } throws: { CKError.assetFileNotFound ~= $0 }
      #expect(device.cloud.serverErrors == [])
    }
  }

  @Test func `A symbolic link is followed`() async throws {
    let device = try await TestCloud().signIn("anna@example.com")
    try await withTemporaryDirectory { folder in
      let (file, link) = (
        folder.appendingPathComponent("file"), folder.appendingPathComponent("link")
      )
      try Data("abc".utf8).write(to: file)
      try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
      let database = device.container.privateCloudDatabase
      try await database.save(record(link))
      let fetched = try await database.record(for: CKRecord.ID(recordName: "one"))
      #expect(
        try Data(contentsOf: try #require((fetched["file"] as CKAsset?)?.fileURL))
          == Data("abc".utf8))
      try FileManager.default.removeItem(at: file)
      await #expect { try await database.save(record(link)) } throws: {
        CKError.assetFileNotFound ~= $0
      }
    }
  }

  /// Overwrites a file in place, including its end.
  private func overwrite(_ file: URL, with byte: UInt8, count: Int) {
    do {
      let handle = try FileHandle(forWritingTo: file)
      try handle.write(contentsOf: Data(repeating: byte, count: count))
      try handle.close()
    } catch {
      Issue.record("\(file.path) cannot be changed: \(error)")
    }
  }

  @Test
  func `A file that changes while it is sealed fails, and is sent whole once it is stable`()
    async throws
  {
    let cloud = try await WatchedCloud()
    let database = cloud.container("anna").privateCloudDatabase
    try await withTemporaryDirectory { folder in
      let file = folder.appendingPathComponent("file")
      // Several chunks: the first two are read before the keys are requested.
      try Data(repeating: 1, count: 4 << 20).write(to: file)
      let isFirst = Mutex(true)
      cloud.between.withLock {
        $0 = { operation in
          let isDue = isFirst.withLock { first in
            defer { if operation.hasPrefix("keyBags") { first = false } }
            return first && operation.hasPrefix("keyBags")
          }
          if isDue { overwrite(file, with: 2, count: 5 << 20) }
        }
      }
      let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "one"))
      record["file"] = CKAsset(sealing: file)
      await #expect { try await database.save(record) } throws: { CKError.assetFileModified ~= $0 }
      try await database.save(record)
      let fetched = try await database.openingFiles.record(for: record.recordID)
      let copy = try #require((fetched["file"] as CKAsset?)?.fileURL)
      #expect(try Data(contentsOf: copy) == Data(repeating: 2, count: 5 << 20))
    }
  }
}
