import CloudKitClient
import Foundation
import MirrorModel
import MirroringTestSupport
import TestSupport
import Testing

@Suite("Values of hundreds of megabytes", .serialized)
struct LongValueTests {
  private static let megabyte = 1 << 20

  /// A sparse file of this many bytes.
  private static func file(_ name: String, in folder: URL, bytes: Int) throws -> URL {
    let file = folder.appendingPathComponent(name)
    _ = FileManager.default.createFile(atPath: file.path, contents: nil)
    let handle = try FileHandle(forWritingTo: file)
    try handle.truncate(atOffset: UInt64(bytes))
    try handle.close()
    return file
  }

  @Test func `Files are sent, imported and compared by their paths`() throws {
    try withTemporaryDirectory { folder in
      let bytes = 128 * Self.megabyte
      let file = try Self.file("large", in: folder, bytes: bytes)
      // The form in which a store returns a value from a file.
      let value = MirrorValue.data(try Data(contentsOf: file, options: .alwaysMapped))
      let book = ObjectContent(entity: "Book", recordName: "BOOK", values: ["scan": value])
      let record = try EveryFeatureModel.record(of: book, in: folder)
      // The store may remove its file before the upload.
      try FileManager.default.removeItem(at: file)
      let asset: CKAsset = try #require(record["CD_scan_ckAsset"])
      let sent = try #require(asset.fileURL)
      let object = try EveryFeatureModel.object(record)
      #expect(try object.differences(from: book).isEmpty)
      #expect(object.content["scan"] == .file(BorrowedFile(url: sent, length: Int64(bytes))))
      #expect(try object.differences(from: object.content).isEmpty)
      var shorter = object.content
      shorter.values["scan"] = .data(Data(count: 1))
      #expect(try object.differences(from: shorter) == ["scan"])
    }
  }

  /// Runs in its own process, in which no other test uses memory.
  @Test(.measuresMemory) func `Texts are written to files in pieces`() async {
    await #expect(processExitsWith: .success) { try LongValueTests.stageLongText() }
  }

  private static func stageLongText() throws {
    try withTemporaryDirectory { folder in
      let staging = AssetFolder(besideStore: folder.appendingPathComponent("Shelf.sqlite"))
      let text = String(repeating: "0123456789abcdef", count: 8 * megabyte)
      let before = try residentBytes()
      let file = try staging.stage(text)
      let after = try residentBytes()
      #expect(
        try FileManager.default.attributesOfItem(atPath: file.url.path)[.size] as? Int == 128
          * megabyte)
      // A copy of the text would take twice as much.
      #expect(after - before < 64 * megabyte)
    }
  }

  @Test(.measuresMemory) func `Bytes of files are mapped, not read`() async {
    await #expect(processExitsWith: .success) { try LongValueTests.readLongFile() }
  }

  private static func readLongFile() throws {
    try withTemporaryDirectory { folder in
      let book = try #require(EveryFeatureModel.schema["Book"])
      let bytes = 1_024 * megabyte
      let file = try file("large", in: folder, bytes: bytes)
      let content = ObjectContent(
        entity: "Book", recordName: "BOOK",
        values: ["scan": .file(BorrowedFile(url: file, length: Int64(bytes)))])
      let before = try residentBytes()
      let data = try #require(try book.objectValue(of: "scan", in: content) as? Data)
      #expect(data.count == bytes && data[bytes - 1] == 0)
      #expect(try residentBytes() - before < 64 * megabyte)
    }
  }
}
