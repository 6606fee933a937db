import Foundation
import RecordStorage
import SQLiteRecordStorage
import Synchronization
import TestSupport
import Testing

/// The state after a server was killed while it wrote.
@Suite struct `A killed server` {
  @Test(arguments: [1, 40, 333])
  func `A killed server leaves exactly what it acknowledged`(acknowledgements: Int)
    async throws
  {
    let folder = try TestFolder()
    let result = try await #require(
      processExitsWith: .signal(SIGKILL), observing: [\.standardOutputContent]
    ) {
      [path = folder.path as String, acknowledgements = acknowledgements as Int] in
      try await writeUntilKilled(path, acknowledgements)
    }
    let acknowledged = String(decoding: result.standardOutputContent, as: UTF8.self).split(
      separator: "\n"
    )
    .compactMap { $0.hasPrefix("ack ") ? Int($0.dropFirst(4)) : nil }
    #expect(acknowledged.count >= acknowledgements)
    try await withEngine(in: folder.path) { engine in
      let keys = Set(try await engine.keys())
      for number in acknowledged {
        #expect(keys.contains(key(number * 3)), "\(number) was acknowledged")
      }
      for number in 0..<8_000 where keys.contains(key(number * 3)) {
        #expect(
          keys.contains(key(number * 3 + 1)) && keys.contains(key(number * 3 + 2)),
          "half of \(number)")
      }
      #expect(keys.count % 3 == 0)
      #expect(try await engine.issues(isThorough: true) == [])
      try await engine.fill(90_000..<90_001)
    }
  }
}

/// Eight clients write three entries at a time and report each acknowledgement.
///
/// One of them kills the process after a number of acknowledgements.
private func writeUntilKilled(_ path: String, _ acknowledgements: Int) async throws {
  let engine = try SQLiteStorageEngine(folder: path)
  let left = Countdown(acknowledgements)
  try await withThrowingTaskGroup(of: Void.self) { group in
    for client in 0..<8 {
      group.addTask {
        for round in 0..<1_000 {
          let number = round * 8 + client
          try await engine.fill(
            number * 3..<number * 3 + 3, valueBytes: number % 2 == 0 ? 40 : 2_000)
          let line = Array("ack \(number)\n".utf8)
          _ = line.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
          if left.isOver() { kill(getpid(), SIGKILL) }
        }
      }
    }
    try await group.waitForAll()
  }
}

private final class Countdown: Sendable {
  private let left: Mutex<Int>

  init(_ count: Int) { left = Mutex(count) }

  func isOver() -> Bool {
    left.withLock { left in
      left -= 1
      return left <= 0
    }
  }
}
