import CloudKitClient
import CloudKitTesting
import CloudMirroring
import CloudRecords
import CloudTransport
import Foundation
import ManagedObjectModel
import ManagedObjects
import PredicateLanguage
import TestSupport
import Testing

/// Two engines that send what waits in one file at the same time, as those of two processes do.
@Suite("Two engines", .endsAtAll)
struct TwoEnginesTests {
  @Test func `Whatever two engines send at the same time, the last that was saved is what everybody has`() async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let signedIn = try await cloud.signIn("ada")
      let transport = WatchedTransport(signedIn.transport)
      let one = try await Device(signedIn, in: folder, through: transport)
      let second = MirrorEngine(site: one.engine.site, isAutomatic: false, teller: MirrorTeller())
      for number in 0..<30 { try await one.add("Person", ["name": "Person \(number)", "age": 0]) }
      try await one.sync()
      // Somebody goes on saving while requests are on their way.
      let saves = Requests()
      transport.watch { [weak one] request in
        guard request.address.contains("records/modify") else { return }
        let number = saves.next()
        await #expect(throws: Never.self) { try await one?.change("Person \(number % 30)", ["age": number]) }
      }
      for round in 0..<6 {
        try await one.add("Person", ["name": "New \(round)", "age": -1])
        for number in 0..<10 { try await one.change("Person \(round + number)", ["email": "\(round).\(number)"]) }
        async let first = one.engine.exportOnce(ExportLimits(records: 7))
        async let other = second.exportOnce(ExportLimits(records: 5))
        for fault in await [first, other].map(\.fault) { #expect(fault == nil || fault?.kind == .conflict) }
      }
      transport.watch(nil)
      let saved = try await one.text()
      try await one.sync()
      #expect(try await one.text() == saved)
      #expect(one.container.syncState.isUpToDate)
      let other = try await Device(cloud.signIn("ada"), in: folder)
      try await other.sync()
      #expect(try await other.text() == saved)
      try one.close()
      try other.close()
    }
  }
}
