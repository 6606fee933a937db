import CloudKitClient
import Foundation
import MirrorModel
import MirroringTestSupport
import TestSupport
import Testing

@Suite("Upload files of assets")
struct AssetFolderTests {
  @Test func `Files lie beside the store under Apple's name`() {
    let folder = AssetFolder(besideStore: URL(fileURLWithPath: "/stores/Notes.sqlite"))
    #expect(folder.url.path == "/stores/Notes_ckAssets")
  }

  @Test func `Files hold texts of any length, data and other files`() throws {
    try withTemporaryDirectory { place in
      let folder = AssetFolder(besideStore: place.appendingPathComponent("Notes.sqlite"))
      // Some pieces end inside a character.
      let text = String(repeating: "äö€", count: 400_000)
      #expect(try Data(contentsOf: folder.stage(text).url) == Data(text.utf8))
      #expect(try Data(contentsOf: folder.stage("").url) == Data())
      #expect(try Data(contentsOf: folder.stage(Data([1, 2])).url) == Data([1, 2]))
      let lent = place.appendingPathComponent("lent")
      try Data("lent".utf8).write(to: lent)
      let file = try folder.stage(BorrowedFile(url: lent, length: 4))
      try FileManager.default.removeItem(at: lent)
      #expect(try Data(contentsOf: file.url) == Data("lent".utf8))
      folder.remove([file])
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).count == 3)
      folder.removeLeftovers()
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
    }
  }

  /// Two folders represent two processes, because a lock belongs to the opened folder.
  @Test func `Files in flight in another process stay until no process uses them`() throws {
    try withTemporaryDirectory { place in
      let store = place.appendingPathComponent("Notes.sqlite")
      let folder = AssetFolder(besideStore: store)
      var other: AssetFolder? = AssetFolder(besideStore: store)
      let file = try #require(try other?.stage("on its way"))
      folder.removeLeftovers()
      #expect(try Data(contentsOf: file.url) == Data("on its way".utf8))
      let own = try folder.stage("another one")
      other?.removeLeftovers()
      #expect(try Data(contentsOf: own.url) == Data("another one".utf8))
      other = nil
      folder.removeLeftovers()
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
    }
  }

  @Test func `No file remains if one of a record's files cannot be made`() throws {
    try withTemporaryDirectory { place in
      let folder = AssetFolder(besideStore: place.appendingPathComponent("Notes.sqlite"))
      let encoder = RecordEncoder(schema: EveryFeatureModel.schema)
      let book = ObjectContent(
        entity: "Book", recordName: "BOOK",
        values: [
          "scan": .file(BorrowedFile(url: place.appendingPathComponent("gone"), length: 1)),
          "cover": .data(Data(count: 800_000)), "title": .string("Old"),
        ])
      let record = encoder.makeRecord(for: book, in: EveryFeatureModel.zone)
      #expect(throws: (any Error).self) { try encoder.encode(book, into: record, staging: folder) }
      #expect(record.changedKeys() == [])
      let left = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
      #expect(left == [])
    }
  }
}
