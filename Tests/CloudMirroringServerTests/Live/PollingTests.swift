import CloudKitClient
import CloudKitTesting
import CloudMirroring
import CloudTransport
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorModel
import ObjectRows
import Synchronization
import TestSupport
import Testing

/// Repeated polling of a public database, measured by what is fetched.
@Suite("Polling", .endsAtAll)
struct PollingTests {
  /// A device that reads a public database in small pages and records what it fetches.
  private struct Reader {
    let device: Device
    let network: TestNetwork
    let transport: WatchedTransport
    let got = FetchedAmounts()

    init(_ cloud: TestCloud, _ folder: URL, file: URL? = nil, recordsInPage: Int = 20) async throws
    {
      let signedIn = try await cloud.signIn("bob")
      (network, transport) = (signedIn.network, WatchedTransport(signedIn.transport))
      var sizes = TransferSizes()
      sizes.recordsInPage = recordsInPage
      device = try await Device(
        signedIn, in: folder, scope: .public, file: file, through: transport, sizes: sizes)
      transport.alter { [got] in got.note($0) }
    }

    func importOnce() async throws -> MirrorError? {
      #expect(await device.engine.run(.setUp).failure == nil)
      return await device.engine.importOnce().failure
    }
  }

  /// The numbers of fetched records with values and of fetched bytes.
  private final class FetchedAmounts: Sendable {
    private let counts = Mutex((values: 0, bytes: 0))
    private let hidden = Mutex<String?>(nil)

    /// Records an answer and returns it.
    func note(_ told: TransportResponse) -> TransportResponse {
      let answer = withoutHidden(told)
      let text = String(decoding: answer.body, as: UTF8.self)
      let values = text.components(separatedBy: #""CD_name""#).count - 1
      counts.withLock { $0 = ($0.values + values, $0.bytes + answer.body.count) }
      return answer
    }

    /// Hides the person with a name; nil hides none.
    func hide(_ name: String?) { hidden.withLock { $0 = name } }

    private func withoutHidden(_ told: TransportResponse) -> TransportResponse {
      guard let name = hidden.withLock(\.self),
        var document = try? JSONSerialization.jsonObject(with: Data(told.body)) as? [String: Any],
        let records = document["records"] as? [[String: Any]]
      else { return told }
      document["records"] = records.filter { !"\($0)".contains(name) }
      var answer = told
      answer.body = (try? JSONSerialization.data(withJSONObject: document)).map(Array.init) ?? []
      return answer
    }

    /// The amounts fetched since the last call.
    func take() -> (values: Int, bytes: Int) {
      counts.withLock { counts in
        defer { counts = (0, 0) }
        return counts
      }
    }
  }

  private func addPeople(_ numbers: Range<Int>, _ device: Device) async throws {
    try await device.save { context in
      for number in numbers {
        let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
        person.setValue("Person \(number)", forKey: "name")
      }
    }
    try await device.sync()
  }

  @Test func `A database that was filled at once is not fetched again at each poll`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let ada = try await Device(cloud.signIn("ada"), in: folder, scope: .public)
      try await addPeople(0..<500, ada)
      let bob = try await Reader(cloud, folder, recordsInPage: 200)
      #expect(try await bob.importOnce() == nil)
      #expect(try await bob.device.names().count == 500)
      #expect(bob.got.take().values == 500)
      try await cloud.advance(by: .seconds(1_801))
      #expect(try await bob.importOnce() == nil)
      #expect(bob.got.take().values == 0, "Late records are looked up by name.")
      for _ in 0..<2 {
        try await cloud.advance(by: .seconds(1_801))
        #expect(try await bob.importOnce() == nil)
        #expect(bob.got.take().bytes < 4_000, "No record can arrive late any more.")
      }
      for device in [ada, bob.device] { try device.close() }
    }
  }

  @Test(arguments: [true, false])
  func `An interrupted first import resumes`(isAtOnce: Bool) async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let ada = try await Device(cloud.signIn("ada"), in: folder, scope: .public)
      for number in 0..<5 {
        try await addPeople(20 * number..<20 * (number + 1), ada)
        if !isAtOnce { try await cloud.advance(by: .seconds(100)) }
      }
      let bob = try await Reader(cloud, folder)
      let pages = Requests()
      bob.transport.watch { request in
        guard request.says("CD_Person"), pages.next() == 4 else { return }
        bob.network.isOnline = false
      }
      #expect(try await bob.importOnce()?.kind == .offline)
      #expect(try await bob.device.names().count == 60)
      try bob.device.close()
      let again = try await Reader(cloud, folder, file: bob.device.file)
      #expect(try await again.importOnce() == nil)
      #expect(try await again.device.names().count == 100)
      #expect(bob.got.take().values + again.got.take().values == 100, "A record was fetched twice.")
      for device in [ada, again.device] { try device.close() }
    }
  }

  @Test func `A record that appears late arrives with the next poll, and no other is repeated`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let ada = try await Device(cloud.signIn("ada"), in: folder, scope: .public)
      let bob = try await Reader(cloud, folder)
      try await addPeople(0..<10, ada)
      // A replica that lags behind does not have one of them yet.
      bob.got.hide("Person 3")
      #expect(try await bob.importOnce() == nil)
      #expect(try await bob.device.names().count == 9)
      bob.got.hide(nil)
      try await cloud.advance(by: .seconds(30))
      try await addPeople(10..<12, ada)
      #expect(try await bob.importOnce() == nil)
      #expect(try await bob.device.names().count == 12)
      #expect(bob.got.take().values == 12)
      for device in [ada, bob.device] { try device.close() }
    }
  }

  @Test func `A server that cannot sort is polled, too`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let ada = try await Device(cloud.signIn("ada"), in: folder, scope: .public)
      try await addPeople(0..<50, ada)
      let bob = try await Reader(cloud, folder)
      let isSorted = Atomic(false)
      let refused = Requests()
      bob.transport.watch {
        isSorted.store($0.says("sortBy") && $0.says("CD_Person"), ordering: .relaxed)
      }
      bob.transport.alter { [got = bob.got] answer in
        guard isSorted.load(ordering: .relaxed) else {
          return got.note(answer)
        }
        _ = refused.next()
        return TransportResponse(
          status: 400, headers: [("Content-Type", "application/json")],
          body: Array(
            #"{"uuid": "1", "serverErrorCode": "BAD_REQUEST", "reason": "Field '___modTime' is not marked sortable"}"#
              .utf8))
      }
      #expect(try await bob.importOnce() == nil)
      #expect(try await bob.device.names().count == 50)
      try await cloud.advance(by: .seconds(1_801))
      try await addPeople(50..<60, ada)
      #expect(try await bob.importOnce() == nil)
      #expect(try await bob.device.names().count == 60)
      #expect(bob.got.take().values == 60)
      #expect(refused.next() == 2, "A sorted query is tried once.")
      for device in [ada, bob.device] { try device.close() }
    }
  }
}

extension TransportRequest {
  /// Whether the body contains a word.
  fileprivate func says(_ word: String) -> Bool {
    guard case .bytes(let bytes)? = body else { return false }
    return String(decoding: bytes, as: UTF8.self).contains(word)
  }
}
