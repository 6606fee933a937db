import CloudKitClient
import CloudKitTesting
import CloudMirroring
import CloudRecords
import CloudTransport
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorModel
import PredicateLanguage
import TestSupport
import Testing

/// Two engines that send pending entries of one file at once.
///
/// Each has its own coordinator and ledger, like two processes.
@Suite("Two engines", .endsAtAll)
struct TwoEnginesTests {
  @Test
  func `Every device has the last save, whatever two engines send at once`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let signedIn = try await cloud.signIn("ada")
      let transport = WatchedTransport(signedIn.transport)
      let one = try await Device(signedIn, in: folder, through: transport)
      MirroredStores.shared.remove(one.engine.mirror.storeIdentifier)
      let second = try await Device(signedIn, in: folder, file: one.file, through: transport)
      for number in 0..<30 { try await one.add("Person", ["name": "Person \(number)", "age": 0]) }
      for device in [one, second] { try await device.sync() }
      // The program keeps saving while requests are in flight.
      let saves = Requests()
      transport.watch { [weak one] request in
        guard request.address.contains("records/modify") else { return }
        let number = saves.next()
        await #expect(throws: Never.self) {
          try await retryingSaveConflicts {
            try await one?.change("Person \(number % 30)", ["age": number])
          }
        }
      }
      for round in 0..<6 {
        try await one.add("Person", ["name": "New \(round)", "age": -1])
        for number in 0..<10 {
          try await one.change("Person \(round + number)", ["email": "\(round).\(number)"])
        }
        async let first = one.engine.exportOnce(ExportLimits(records: 7))
        async let other = second.engine.exportOnce(ExportLimits(records: 5))
        for failure in await [first, other].map(\.failure) {
          #expect(failure == nil || failure?.kind == .conflict, "\(failure as Any)")
        }
      }
      transport.watch(nil)
      let saved = try await one.text()
      try await one.sync()
      let own = try await one.text()
      #expect(own == saved, "\(Self.difference(own, saved))")
      #expect(one.container.syncState.isUpToDate)
      let other = try await Device(cloud.signIn("ada"), in: folder)
      try await other.sync()
      let others = try await other.text()
      #expect(others == saved, "\(Self.difference(others, saved))")
      for device in [one, second, other] { try device.close() }
    }
  }

  /// Two processes over one file with Ada, and another of her devices, which changes her age.
  private func withTwoProcesses(
    _ body: (_ one: Device, _ second: Device, _ transport: WatchedTransport) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let signedIn = try await cloud.signIn("ada")
      let transport = WatchedTransport(signedIn.transport)
      let one = try await Device(signedIn, in: folder)
      MirroredStores.shared.remove(one.engine.mirror.storeIdentifier)
      let second = try await Device(signedIn, in: folder, file: one.file, through: transport)
      try await one.add("Person", ["name": "Ada", "age": 0])
      for device in [one, second] { try await device.sync() }
      let other = try await Device(cloud.signIn("ada"), in: folder)
      try await other.sync()
      try await other.change("Ada", ["age": 1])
      try await other.sync()
      try await body(one, second, transport)
      for device in [one, second, other] { try await device.sync() }
      let own = try await one.text()
      #expect(try await other.text() == own)
      for device in [one, second, other] { try device.close() }
    }
  }

  @Test func `An answer does not undo what another process sent since the feed was requested`()
    async throws
  {
    try await withTwoProcesses { one, second, transport in
      transport.whenAnswered("changes/zone") {
        await #expect(throws: Never.self) {
          try await one.sync()
          try await one.change("Ada", ["age": 2])
          try await one.sync()
        }
      }
      #expect(await second.engine.importOnce().failure == nil)
      let age = try await one.value("Ada", "age")
      #expect(age == "2")
    }
  }

  @Test func `A conflict does not undo what another process sent since it was reported`()
    async throws
  {
    try await withTwoProcesses { one, second, transport in
      try await one.change("Ada", ["email": "ada@example.com"])
      transport.whenAnswered("records/lookup") {
        await #expect(throws: Never.self) {
          try await one.sync()
          try await one.change("Ada", ["age": 2])
          try await one.sync()
        }
      }
      #expect(await second.engine.exportOnce().failure == nil)
      let (age, email) = (try await one.value("Ada", "age"), try await one.value("Ada", "email"))
      #expect(age == "2" && email == "ada@example.com")
    }
  }

  private static func difference(_ lines: [String], _ saved: [String]) -> String {
    "\(Set(lines).subtracting(saved).sorted()) in the place of \(Set(saved).subtracting(lines).sorted())"
  }

  /// Saves, and repeats it if the other engine imported the same object meanwhile.
  private func retryingSaveConflicts(_ save: () async throws -> Void) async throws {
    while true {
      do { return try await save() } catch let error as NSError {
        guard error.code == NSManagedObjectMergeError else { throw error }
      }
    }
  }
}
