import CloudKitClient
import CloudKitTesting
import CloudMirroring
import Foundation
import MirrorModel
import MirroringTestSupport
import TestSupport
import Testing

@Suite("Records of objects at a server")
struct ServerRecordTests {
  @Test func `Records return unchanged, including sealed values and files`() async throws {
    try await withTemporaryDirectory { folder in
      let (cloud, database) = try await database()
      defer { withExtendedLifetime(cloud) {} }
      var book = EveryFeatureModel.book
      book.values["text"] = EveryFeatureModel.text("t", bytes: 768_001)
      book.values["secret"] = EveryFeatureModel.text("s", bytes: 300_000)
      try await database.save(try EveryFeatureModel.record(of: book, in: folder))
      let fetched = try await database.record(
        for: CKRecord.ID(recordName: "BOOK", zoneID: EveryFeatureModel.zone))
      let object = try EveryFeatureModel.object(fetched)
      #expect(object.content == book && object.issues.isEmpty)
      #expect(object.modifiedBy != nil && object.modified != nil)
      // It shrinks: the asset goes, and the text is inline again.
      book.values["text"] = .string("short")
      try await database.save(
        try EveryFeatureModel.record(of: book, changed: ["text"], into: fetched, in: folder))
      let again = try await database.record(for: fetched.recordID)
      #expect(again["CD_text"] == "short" && again["CD_text_ckAsset"] as CKAsset? == nil)
      #expect(try EveryFeatureModel.object(again).content == book)
    }
  }

  /// The planner's megabyte is also the server's.
  @Test func `Records at the limit are accepted`() async throws {
    try await withTemporaryDirectory { folder in
      let (cloud, database) = try await database()
      defer { withExtendedLifetime(cloud) {} }
      let encoder = RecordEncoder(schema: EveryFeatureModel.schema)
      var book = ObjectContent(
        entity: "Book", recordName: "BOOK", values: ["text": .string("t"), "secret": .string("s")])
      let room = 1_048_576 - encoder.changes(of: book, changed: nil).recordBytes
      book.values["text"] = EveryFeatureModel.text("t", bytes: room - 299_998)
      book.values["secret"] = EveryFeatureModel.text("s", bytes: 300_000)
      #expect(encoder.changes(of: book, changed: nil).recordBytes == 1_048_576)
      let record = try EveryFeatureModel.record(of: book, in: folder)
      #expect(record["CD_text"] as String? != nil)
      try await database.save(record)
      #expect(
        try EveryFeatureModel.object(try await database.record(for: record.recordID)).content
          == book)
    }
  }

  @Test
  func `A conflict is merged into the server's record without resending its large values`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let (cloud, database) = try await database()
      defer { withExtendedLifetime(cloud) {} }
      var book = ObjectContent(
        entity: "Book", recordName: "BOOK",
        values: ["text": EveryFeatureModel.text("t", bytes: 768_001), "title": .string("First")])
      let saved = try await database.save(try EveryFeatureModel.record(of: book, in: folder))
      let mine = try #require(saved.copy() as? CKRecord)
      book.values["title"] = .string("Second")
      try await database.save(
        try EveryFeatureModel.record(of: book, changed: ["title"], into: saved, in: folder))
      book.values["title"] = .string("Third")
      let third = try EveryFeatureModel.record(of: book, changed: ["title"], into: mine, in: folder)
      let error = await #expect(throws: CKError.self) { try await database.save(third) }
      let server = try EveryFeatureModel.object(try #require(error?.serverRecord))
      #expect(server.unfetched.isEmpty && server.content["title"] == .string("Second"))
      let outcome = try FieldMerge.merge(local: book, changed: ["title"], server: server)
      #expect(outcome.send == ["title"] && outcome.unfetched.isEmpty && outcome.write.isEmpty)
      let record = try EveryFeatureModel.record(
        of: outcome.content, changed: outcome.send, into: try #require(error?.serverRecord),
        in: folder)
      #expect(!record.changedKeys().contains("CD_text_ckAsset"))
      try await database.save(record)
      let merged = try EveryFeatureModel.object(try await database.record(for: record.recordID))
      #expect(merged.content == book)
    }
  }

  @Test func `Sample records teach a server every field`() async throws {
    try await withTemporaryDirectory { folder in
      let (cloud, database) = try await database()
      defer { withExtendedLifetime(cloud) {} }
      let staging = AssetFolder(besideStore: folder.appendingPathComponent("Shelf.sqlite"))
      let samples = try SchemaSamples(EveryFeatureModel.schema).records(
        in: EveryFeatureModel.zone, staging: staging)
      let (saved, _) = try await database.modifyRecords(saving: samples.map(\.record), deleting: [])
      for (_, result) in saved { #expect(throws: Never.self) { try result.get() } }
      #expect(saved.count == samples.count)
    }
  }

  /// The cloud is freed with its last reference.
  private func database() async throws -> (TestCloud, CKDatabase) {
    let cloud = try await TestCloud()
    let database = try await cloud.signIn("ada").container.privateCloudDatabase
    try await database.save(CKRecordZone(zoneID: EveryFeatureModel.zone))
    return (cloud, database)
  }
}
