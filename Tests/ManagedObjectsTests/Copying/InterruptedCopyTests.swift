import Foundation
import Glibc
import ManagedObjects
import TestSupport
import Testing

@Suite struct `Interrupted copies` {
  private static func pair(_ folder: URL) throws -> CopyPair { try CopyPair(in: folder) }

  @Test(arguments: [1, 3, 5, 7, 9, 11, 13, 15])
  func `A move whose process is killed is completed by the next one`(part: Int) async throws {
    try await withTemporaryDirectory { folder in
      let expected = try { () throws -> [String] in
        let pair = try Self.pair(folder)
        try `Copying objects into an open store`.fill(pair.source, count: 3, seed: 29)
        return try graph(of: pair.source)
      }()
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [path = folder.path as String, part = part as Int] in
        let progress = WatchedProgress { if $0.parts == part { kill(getpid(), SIGKILL) } }
        try Self.pair(URL(fileURLWithPath: path)).move(batchSize: 4, progress: progress)
      }
      let pair = try Self.pair(folder)
      try pair.move(batchSize: 4)
      #expect(try graph(of: pair.destination) == expected)
      #expect(try graph(of: pair.source) == [])
      #expect(pair.destination.store.metadata["ParhelionUnfinishedCopies"] == nil)
    }
  }

  // MARK: Records

  @Test func `A record of an unfinished copy comes back from metadata`() {
    let record = UnfinishedCopies.Record(
      segments: ["Book": [.init(last: 9, offset: -3), .init(last: 12, offset: 40)], "Tag": []],
      isCopied: true)
    #expect(UnfinishedCopies.decoded(UnfinishedCopies.encoded(record)) == record)
  }

  @Test func `A damaged record is ignored`() {
    let damaged: [[String: Any]] = [
      ["keys": 3], [:], ["keys": ["Book": [[1]]]], ["keys": ["Book": [[1, "x"] as [Any]]]],
      ["keys": ["Book": [[5, 1], [5, 2]]]], ["keys": ["Book": [[Int64.max, Int64.max]]]],
      ["keys": ["Book": [[5, -6]]]], ["keys": ["Book": "x"]], ["keys": ["Book": [[0, 1]]]],
    ]
    for value in damaged { #expect(UnfinishedCopies.decoded(value) == nil, "\(value)") }
  }
}
