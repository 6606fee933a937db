import ClientTestSupport
import CloudKitClient
import Foundation
import TestSupport
import Testing
import WatchedClouds

/// A file whose header names a later version of the library.
@Suite struct `A file that was sealed by a later version` {
  @Test func `A sealed file of a later version is reported, not taken for a plain one`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let database = try await WatchedCloud().container("anna").privateCloudDatabase
      let file = folder.appendingPathComponent("sealed")
      try Data("parhelion.file.2 and an unknown format".utf8).write(to: file)
      let record = CKRecord(recordType: "Note")
      record["file"] = CKAsset(fileURL: file)
      try await database.save(record)
      await #expect { try await database.openingFiles.record(for: record.recordID) } throws: {
        CKError.incompatibleVersion ~= $0
      }
      #expect(
        try await database.record(for: record.recordID)["file"] is CKAsset,
        "Its bytes are available.")
    }
  }
}
