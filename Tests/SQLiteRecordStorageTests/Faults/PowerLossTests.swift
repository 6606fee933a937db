import Foundation
import RecordStorage
import SQLiteRecordStorage
import TestSupport
import Testing
import WatchedDisks

/// After a loss of power the disk has all synced writes and any part of the later ones.
@Suite struct `A loss of power` {
  @Test func `Acknowledged transactions survive, and none survives in part`() async throws {
    let seed = SeededGenerator.forTest().seed
    await #expect(processExitsWith: .success, "PARHELION_SEED=\(seed)") { [seed = seed as UInt64] in
      try await write(to: .init(honorsSyncs: true)) { disk in
        var generator = SeededGenerator(seed: seed)
        for end in ends(12, using: &generator) {
          for survival in WatchedDisk.WriteSurvival.allCases {
            let losses = try await losses(on: disk, asOf: end, survival, using: &generator)
            try #require(losses == [], "before event \(end), \(survival), \(generator): \(losses)")
          }
        }
      }
    }
  }

  /// Proves that the test above can fail.
  @Test func `A disk that does not sync is detected`() async throws {
    await #expect(processExitsWith: .success) {
      try await write(to: .init(honorsSyncs: false)) { disk in
        var generator = SeededGenerator(seed: 1)
        let losses = try await losses(
          on: disk, asOf: WatchedDisk.eventCount, .none, using: &generator)
        try #require(!losses.isEmpty)
      }
    }
  }
}

private let clients = 8
private let rounds = 25

/// Eight clients write three entries at a time and record each acknowledgement, while checkpoints
/// keep the log short.
private func write(to disk: WatchedDisk, _ check: (WatchedDisk) async throws -> Void) async throws {
  let folder = try TestFolder()
  try #require(WatchedDisk.install())
  var options = SQLiteStorageEngine.Options()
  options.checkpointFrames = 100
  try await withEngine(in: folder.path, options) { engine in
    try await withThrowingTaskGroup(of: Void.self) { group in
      for client in 0..<clients {
        group.addTask {
          for round in 0..<rounds {
            let number = round * clients + client
            try await engine.fill(
              number * 3..<number * 3 + 3, valueBytes: number % 2 == 0 ? 40 : 6_000)
            WatchedDisk.note(number)
          }
        }
      }
      try await group.waitForAll()
    }
  }
  WatchedDisk.remove()
  try await check(disk)
}

/// Random moments at which the power may fail, and the last one.
private func ends(_ count: Int, using generator: inout SeededGenerator) -> [Int] {
  let all = WatchedDisk.eventCount
  return (0..<count).map { _ in Int.random(in: 0..<all, using: &generator) } + [all]
}

/// The missing, partial or damaged entries of a store that is opened after a loss of power.
private func losses(
  on disk: WatchedDisk, asOf end: Int, _ survival: WatchedDisk.WriteSurvival,
  using generator: inout SeededGenerator
) async throws -> [String] {
  let folder = try TestFolder()
  try disk.write(to: folder.path, asOf: end, survival, using: &generator)
  do {
    return try await withEngine(in: folder.path) { engine in
      let keys = Set(try await engine.keys())
      let missing = WatchedDisk.notes(before: end).filter { !keys.contains(key($0 * 3)) }.map {
        "\($0) is missing"
      }
      let partial = (0..<clients * rounds).filter { number in
        let parts = (0..<3).count { keys.contains(key(number * 3 + $0)) }
        return parts != 0 && parts != 3
      }
      let issues = try await engine.issues(isThorough: true).map { "\($0)" }
      // The store must still accept writes.
      try await engine.fill(90_000..<90_001)
      return missing + partial.map { "\($0) is partial" } + issues
    }
  } catch { return ["The store cannot be opened: \(error)"] }
}
