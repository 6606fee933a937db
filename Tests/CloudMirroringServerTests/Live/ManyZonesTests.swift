import CloudKitClient
import CloudKitTesting
import CloudMirroring
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorModel
import ObjectRows
import TestSupport
import Testing

/// Costs of stores with many zones, counted in statements and rows and not in seconds.
@Suite("Many zones", .endsAtAll)
struct ManyZonesTests {
  /// The cost of importing one change.
  private struct Work {
    var statements = 0
    var rows = 0
    var requests = 0
  }

  /// Counts the statements of both stores of a device that has accepted shares.
  private func withParticipant(
    of shares: Int,
    _ body: (_ owner: SharingDevice, _ importing: () async throws -> Work)
      async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let ada = try await SharingDevice(try await cloud.signIn("ada"), in: folder)
      let bob = try await SharingDevice(
        try await cloud.signIn("bob"), in: folder, countsStatements: true)
      for number in 0..<shares { try await ada.addTown("Town \(number)", people: ["P\(number)"]) }
      try await ada.sync()
      for number in 0..<shares {
        try await ada.invite(bob, to: try await ada.share(["Town \(number)"]).1)
      }
      try await ada.sync()
      // The first sync after a change of the shares reads what has changed in all zones.
      for _ in 0..<2 { try await bob.sync() }
      #expect(try await bob.people(isShared: true).count == shares)
      try await body(ada) {
        let before = bob.network.requestCount
        let coordinator = bob.container.persistentStoreCoordinator
        coordinator.resetStatementStatistics()
        try await bob.sync()
        let all = coordinator.statementStatistics
        return Work(
          statements: all.reduce(0) { $0 + $1.executionCount },
          rows: all.reduce(0) { $0 + $1.rowCount },
          requests: bob.network.requestCount - before)
      }
      await cloud.end()
    }
  }

  /// The least work of importing one change, and of finding that nothing has changed.
  ///
  /// Observers of the state read some rows at any time, so each is done three times.
  private func work(_ shares: Int) async throws -> (change: Work, nothing: Work) {
    var (changes, idle): ([Work], [Work]) = ([], [])
    try await withParticipant(of: shares) { ada, importing in
      for name in ["first", "second", "third"] {
        try await ada.save { try $0.object("P0", "Person").setValue(name, forKey: "email") }
        try await ada.sync()
        changes.append(try await importing())
        idle.append(try await importing())
      }
    }
    return (Self.least(changes), Self.least(idle))
  }

  private static func least(_ works: [Work]) -> Work {
    Work(
      statements: works.map(\.statements).min() ?? 0, rows: works.map(\.rows).min() ?? 0,
      requests: works.map(\.requests).min() ?? 0)
  }

  @Test func `Importing one change costs no more with many shares than with few`() async throws {
    let (few, many) = (2, 22)
    let (one, other) = try await (work(few), work(many))
    #expect(one.change.statements > 0 && one.change.rows > 0 && one.change.requests > 0)
    for (one, other) in [(one.change, other.change), (one.nothing, other.nothing)] {
      #expect(one.requests == other.requests)
      // Less than one for each further share.
      #expect(other.statements < one.statements + many - few, "\(one), \(other)")
      #expect(other.rows < one.rows + many - few, "\(one), \(other)")
    }
  }
}
