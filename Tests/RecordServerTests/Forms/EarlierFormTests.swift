import CloudRecords
import CloudWire
import Foundation
import RecordServer
import RecordStorage
import Testing

/// What a server of an earlier version stored is read by this one.
@Suite struct `Earlier forms` {
  /// Puts the form of an earlier version in the place of the only value that begins with a version
  /// and has a text in it.
  ///
  /// - Parameter last: How many bytes at its end the earlier form did not have.
  private func goBack(
    to version: UInt8, from present: UInt8, having text: String, without last: Int,
    in engine: any StorageEngine
  ) async throws {
    try await engine.write { transaction in
      let found = try transaction.entries(in: .all).filter { entry in
        entry.value.first == present && String(decoding: entry.value, as: UTF8.self).contains(text)
      }
      #expect(found.count == 1)
      for entry in found {
        try transaction.set([version] + entry.value.dropFirst().dropLast(last), for: entry.key)
      }
    }
  }

  @Test func `of zones, which did not know how much they hold`() async throws {
    let engine = MemoryStorageEngine()
    var limits = ServiceLimits()
    limits.privateDatabaseBytes = 5_000
    let ada = try await Cloud(limits: limits, engine: engine).user("_ada")
    try await ada.makeZone("Notes")
    try await goBack(to: 2, from: 3, having: "Notes", without: 1, in: engine)
    #expect(try await ada.ask(.private, .zonesList)["zones"].list.count == 2)
    func save(_ name: String) async throws -> [String] {
      let text = String(repeating: "x", count: 3_000)
      return try await ada.modify(
        zone: "Notes",
        (
          "create",
          #""recordName":"\#(name)","recordType":"T","fields":{"text":{"value":"\#(text)"}}"#
        )
      ).records
    }
    #expect(try await save("a") == ["a@1"])
    #expect(try await save("b") == ["b: QUOTA_EXCEEDED"])
  }

  @Test func `of accounts, whose people could not be found`() async throws {
    let registry = try await Registry()
    try await registry.add("ann@example.com")
    try await goBack(to: 1, from: 2, having: "ann@example.com", without: 1, in: registry.engine)
    let account = try await registry.accounts.account(named: "ann@example.com")
    #expect(account.hasProvenAddress && !account.isDiscoverable)
    _ = try await registry.signIn("ann@example.com")
    try await registry.accounts.setDiscoverable(true, accountNamed: "ann@example.com")
    #expect(try await registry.accounts.account(named: "ann@example.com").isDiscoverable)
  }
}
