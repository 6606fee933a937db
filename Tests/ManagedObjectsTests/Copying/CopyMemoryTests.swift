import Foundation
import Glibc
import ManagedObjectModel
import ManagedObjects
import TestSupport
import Testing

@Suite struct `Memory of copies` {
  private static let count = 100_000

  /// Writes the source without objects in memory.
  private static func makeSource(in folder: URL) throws {
    let pair = try CopyPair(in: folder)
    var number = 0
    let request = NSBatchInsertRequest(
      entityName: "Book",
      dictionaryHandler: { book in
        guard number < count else { return true }
        book["title"] = "The title of book \(number)"
        book["isbn"] = "isbn-\(number)"
        book["cover"] = Data(repeating: UInt8(number % 256), count: 200)
        number += 1
        return false
      })
    try pair.source.context.execute(request)
  }

  /// The bound is 24 MB above the memory before the copy, for 100,000 objects with about 30 MB of
  /// values: a batch, SQLite's caches, and eight bytes for each object.
  @Test(.measuresMemory)
  func `A copy of 100,000 objects takes less than 24 MB`() async throws {
    try await withTemporaryDirectory { folder in
      try Self.makeSource(in: folder)
      let result = await #expect(
        processExitsWith: .success, observing: [\.standardOutputContent]
      ) { [path = folder.path as String] in
        let pair = try CopyPair(in: URL(fileURLWithPath: path))
        // The stores are open and have read and written once.
        pair.destination.context.add("Author", ["name": "first"])
        try pair.destination.context.save()
        _ = try pair.source.context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book"))
        let before = try residentBytes()
        var peak = before
        let progress = WatchedProgress { _ in peak = max(peak, try residentBytes()) }
        let copied = try pair.copy(progress: progress)
        print("COPIED \(copied.insertedCount) GREW \((peak - before) / 1024)")
      }
      let text = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
      let words = text.split(whereSeparator: \.isWhitespace)
      let place = try #require(words.firstIndex(of: "COPIED"))
      #expect(Int(words[place + 1]) == Self.count)
      let kilobytes = try #require(Int(words[place + 3]))
      #expect(kilobytes < 24 << 10, "The copy took \(kilobytes) kB.")
    }
  }
}
