import Foundation
import RecordStorage
import SQLiteRecordStorage
import Testing

@Suite struct `Room for deletions` {
  private func size(of name: String, in folder: String) -> Int? {
    (try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)"))?[.size] as? Int
  }

  @Test func `A file reserves the room once and releases it at once`() async throws {
    let place = try TestFolder()
    let folder = place.path
    try await withEngine(in: folder) { engine in
      #expect(size(of: "reserve", in: folder) == nil)
      for _ in 0..<2 {
        try await engine.reserveRoom()
        #expect(size(of: "reserve", in: folder) == Limits.reservedBytes)
      }
      #expect(try await engine.releaseReservedRoom())
      #expect(size(of: "reserve", in: folder) == nil)
      #expect(try await !engine.releaseReservedRoom())
      try await engine.reserveRoom()
    }
    // The file outlives the server, and one that a crash left incomplete is completed.
    try Data([1, 2, 3]).write(to: URL(fileURLWithPath: "\(folder)/reserve"))
    try await withEngine(in: folder) { engine in
      try await engine.reserveRoom()
      #expect(size(of: "reserve", in: folder) == Limits.reservedBytes)
      #expect(try await engine.issues() == [])
    }
    #expect(place.path == folder)
  }
}
