import ClientTestSupport
import CloudKitClient
import Foundation
import TestSupport
import Testing
import WatchedClouds

/// Chunks of several versions of a sealed file.
@Suite struct `A sealed file` {
  @Test func `Chunks of two versions of a file are never opened as one file`() async throws {
    try await withTemporaryDirectory { folder in
      let database = try await WatchedCloud().container("anna").privateCloudDatabase
      let recordID = CKRecord.ID(recordName: "r")
      let file = folder.appendingPathComponent("file")
      func save(_ byte: UInt8) async throws -> Data {
        try Data(repeating: byte, count: 2_500_000).write(to: file)
        let found = try? await database.record(for: recordID)
        let record = found ?? CKRecord(recordType: "Note", recordID: recordID)
        record["file"] = CKAsset(sealing: file)
        try await database.save(record)
        let opened = try await database.openingFiles.record(for: recordID)
        let url = try #require((opened["file"] as CKAsset?)?.fileURL)
        #expect(try withExtendedLifetime(opened) { try Data(contentsOf: url) }.first == byte)
        let sealed = try await database.record(for: recordID)
        let path = try #require((sealed["file"] as CKAsset?)?.fileURL)
        return try withExtendedLifetime(sealed) { try Data(contentsOf: path) }
      }
      let (former, present) = (try await save(1), try await save(2))
      #expect(former.count == present.count)
      let end = 36 + former[32..<36].reduce(0) { $0 << 8 | Int($1) }
      for mixed in [former[..<end] + present[end...], present[..<32] + former[32...]] {
        try Data(mixed).write(to: file)
        let record = try await database.record(for: recordID)
        record["file"] = CKAsset(fileURL: file)
        try await database.save(record)
        await #expect(throws: CKError.self) {
          try await database.openingFiles.record(for: recordID)
        }
      }
    }
  }
}
