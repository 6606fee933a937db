import Foundation
import ManagedObjectModel
import ObjectRows
import PropertyLists
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing

@Suite struct `Files of a store` {
  @Test(.requiresFixtures, arguments: FixtureStore.all)
  func `Metadata is read without a model`(store: FixtureStore) throws {
    try withTemporaryDirectory { folder in
      let url = try store.copy(to: folder)
      let names = { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
      let (before, files) = (try Data(contentsOf: url), try names())
      let metadata = try StoreFiles.metadata(at: url)
      #expect(UUID(uuidString: metadata.uuid) != nil)
      #expect(metadata.versionHashes?.isEmpty == false)
      #expect((metadata.frameworkVersion ?? 0) > 0)
      #expect(metadata.dictionary[StoreMetadata.Key.storeType] == nil)
      #expect(try Data(contentsOf: url) == before)
      #expect(try names() == files)
    }
  }

  @Test(.requiresFixtures) func `Replaced metadata keeps the store's type and can change its UUID`()
    throws
  {
    try withTemporaryDirectory { folder in
      let url = try FixtureStore.named("plaso__Accounts3.sqlite").copy(to: folder)
      let before = try StoreFiles.metadata(at: url)
      var changed = before.dictionary
      changed["mine"] = [
        "a": [1, 2.5, true, Date(timeIntervalSinceReferenceDate: 3), Data([1])] as [Any]
      ]
      changed["large"] = UInt64.max
      changed[StoreMetadata.Key.storeUUID] = "other"
      try StoreFiles.setMetadata(changed, at: url)
      let after = try StoreFiles.metadata(at: url)
      #expect(after.uuid == "other")
      #expect(after.dictionary["large"] as? UInt64 == UInt64.max)
      #expect(
        after.entries["mine"]
          == .dictionary([
            "a": .array([.integer(1), .double(2.5), .boolean(true), .date(3), .data([1])])
          ]))
      #expect(after.entries.filter { !["mine", "large"].contains($0.key) } == before.entries)
      #expect(throws: StoreError.self) { try StoreFiles.setMetadata(["bad": Value.null], at: url) }
      changed[StoreMetadata.Key.storeUUID] = nil
      try StoreFiles.setMetadata(changed, at: url)
      #expect(try StoreFiles.metadata(at: url).uuid == "other")
    }
  }

  @Test(.requiresFixtures) func `A destroyed store is empty and can be used again`() throws {
    try withTemporaryDirectory { folder in
      let url = try FixtureStore.named("BrowserServicesKit__Bookmarks_V5.sqlite").copy(to: folder)
      let support = try #require(StoreLocation(url).externalDataFolder)
      try FileManager.default.createDirectory(at: support, withIntermediateDirectories: true)
      try StoreFiles.destroy(at: url)
      #expect(FileManager.default.fileExists(atPath: url.path))
      #expect(!FileManager.default.fileExists(atPath: support.deletingLastPathComponent().path))
      let model = try model("A")
      #expect(try StoreOpening(url: url, layouts: .of(model)).run().schema.entities.count == 1)
      try StoreFiles.destroy(at: folder.appendingPathComponent("none.sqlite"))
    }
  }

  @Test func `Locked files are removed by force`() throws {
    try withTemporaryDirectory { folder in
      let url = folder.appendingPathComponent("a.sqlite")
      let other = folder.appendingPathComponent("b.sqlite")
      let model = try model("A")
      for file in [url, other] {
        try StoreOpening(url: file, layouts: .of(model)).run().connection.close()
      }
      var options = StoreOptions()
      options.timeout = .milliseconds(20)
      let locking = try Connection(.file(url.path))
      try locking.begin(.exclusive)
      #expect(throws: StoreError.self) { try StoreFiles.destroy(at: url, options: options) }
      #expect(throws: StoreError.self) {
        try StoreFiles.replace(at: url, with: other, options: options)
      }
      options.destroysByForce = true
      try StoreFiles.replace(at: url, with: other, options: options)
      #expect(try StoreFiles.metadata(at: url) == StoreFiles.metadata(at: other))
      try locking.rollback()
      let again = try Connection(.file(url.path))
      try again.begin(.exclusive)
      try StoreFiles.destroy(at: url, options: options)
      #expect(!FileManager.default.fileExists(atPath: url.path))
      try again.rollback()
      try StoreFiles.destroy(at: other, options: options)
      #expect(FileManager.default.fileExists(atPath: other.path))
    }
  }

  @Test func `A destroyed file with any contents can be used again`() throws {
    try withTemporaryDirectory { folder in
      let url = folder.appendingPathComponent("junk.sqlite")
      for content in [
        "no database",
        "SQLite format 3\0 and junk after it, more than one hundred bytes long, as a header has to be, at the very least!!",
      ] {
        try Data(content.utf8).write(to: url)
        try StoreFiles.destroy(at: url)
        let model = try model("A")
        let opened = try StoreOpening(url: url, layouts: .of(model)).run()
        try opened.connection.close()
      }
    }
  }

  @Test(.requiresFixtures) func `A replacement includes the log and external files`() throws {
    try withTemporaryDirectory { folder in
      let source = try FixtureStore.named("cdt-materials__SurfJournalModel.sqlite").copy(to: folder)
      let destination = folder.appendingPathComponent("copy.sqlite")
      let values = try #require(StoreLocation(source).externalDataFolder)
      try FileManager.default.createDirectory(at: values, withIntermediateDirectories: true)
      try Data("value".utf8).write(to: values.appendingPathComponent("X"))
      try Data("not a store".utf8).write(to: destination)
      try StoreFiles.replace(at: destination, with: source)
      let copy = try Connection(.file(destination.path))
      #expect(try copy.value("SELECT count(*) FROM ZJOURNALENTRY") == .integer(5000))
      let copied = try #require(StoreLocation(destination).externalDataFolder)
        .appendingPathComponent("X")
      #expect(try Data(contentsOf: copied) == Data("value".utf8))
      #expect(try StoreFiles.metadata(at: destination) == StoreFiles.metadata(at: source))
    }
  }

  @Test func `A replacement may have another page size than the store`() throws {
    try withTemporaryDirectory { folder in
      let url = folder.appendingPathComponent("a.sqlite")
      let source = folder.appendingPathComponent("b.sqlite")
      let model = try model("A")
      var options = StoreOptions()
      try StoreOpening(url: url, layouts: .of(model), options: options).run().connection.close()
      options.pragmas["page_size"] = "8192"
      try StoreOpening(url: source, layouts: .of(model), options: options).run().connection.close()
      // The page size, and twice the format version 2, of files with a write-ahead log.
      #expect(try Array(Data(contentsOf: url)[16...19]) == [0x10, 0, 2, 2])
      try StoreFiles.replace(at: url, with: source)
      #expect(try Array(Data(contentsOf: url)[16...19]) == [0x20, 0, 2, 2])
      #expect(try StoreFiles.metadata(at: url) == StoreFiles.metadata(at: source))
    }
  }

  @Test func `A store is read as it was before an interrupted write`() throws {
    try withTemporaryDirectory { folder in
      let (made, url) = (
        folder.appendingPathComponent("made.sqlite"), folder.appendingPathComponent("a.sqlite")
      )
      let model = try model("A")
      let opened = try StoreOpening(url: made, layouts: .of(model)).run()
      try opened.prepareForWriting()
      try opened.connection.execute("INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1)")
      try opened.connection.beginInterruptedWrite()
      for suffix in ["", "-journal"] {
        try FileManager.default.copyItem(atPath: made.path + suffix, toPath: url.path + suffix)
      }
      try opened.connection.rollback()
      try opened.connection.close()
      let snapshot = try StoreSnapshot(at: url)
      #expect(try snapshot.connection.value("SELECT count(*) FROM ZA") == .integer(1))
      #expect(try snapshot.connection.issues(.full) == [])
    }
  }

  @Test func `A missing file is an error`() throws {
    try withTemporaryDirectory { folder in
      let url = folder.appendingPathComponent("none.sqlite")
      let found = try #require(throws: StoreError.self) { try StoreFiles.metadata(at: url) }
      #expect(found.code == .fileNotFound)
    }
  }
}
