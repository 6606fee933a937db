import ClientTestSupport
import CloudKitClient
import CloudRecords
import CloudSyncEngine
import CloudTransport
import Foundation
import Synchronization
import TestSupport
import Testing

/// A container that is rebound to another server while it is in use.
@Suite(.endsAtAll) struct `A rebound container` {
  /// A server with one user and no data, which records its requests.
  private final class Server: Sendable {
    let asked = Mutex<[String]>([])
    /// The bodies of the requests for changed zones.
    let listings = Mutex<[String]>([])

    var transport: ScriptedTransport {
      ScriptedTransport { [self] request throws(TransportError) in
        let operation = request.address.prefix { $0 != "?" }.split(separator: "/").suffix(2).joined(
          separator: "/")
        asked.withLock { $0.append(operation) }
        switch operation {
        case "users/caller": return .caller("_ada")
        case "changes/database":
          if case .bytes(let body)? = request.body {
            listings.withLock { $0.append(String(decoding: body, as: UTF8.self)) }
          }
          return TransportResponse(
            status: 200, body: Array(#"{"zones":[],"syncToken":"s","moreComing":false}"#.utf8))
        default: return .error(400, "BAD_REQUEST")
        }
      }
    }
  }

  /// An engine's delegate, which runs a block when it is asked for fetch options.
  private final class Delegate: CKSyncEngineDelegate {
    let meanwhile: @Sendable () -> Void
    let events = Mutex<[String]>([])
    let kept = Mutex<CKSyncEngine.State.Serialization?>(nil)

    init(_ meanwhile: @escaping @Sendable () -> Void) { self.meanwhile = meanwhile }

    func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
      events.withLock { $0.append(event.description) }
      if case .stateUpdate(let update) = event { kept.withLock { $0 = update.stateSerialization } }
    }

    func nextRecordZoneChangeBatch(
      _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch? { nil }

    func nextFetchChangesOptions(
      _ context: CKSyncEngine.FetchChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.FetchChangesOptions {
      meanwhile()
      return context.options
    }
  }

  private func bind(
    _ identifier: String, _ address: String, _ server: Server,
    _ environment: CKContainer.Configuration.Environment = .development
  ) {
    let configuration = CKContainer.Configuration(
      containerIdentifier: identifier, server: webAddress(address), environment: environment,
      credentials: .user(apiToken: "program", webAuthToken: "ada-1"), accountStorage: .memory)
    ContainerRegistry.shared.bind(
      configuration, transport: server.transport, dependencies: PausedClock().dependencies)
  }

  @Test func `An engine does not continue its work at the other server`() async throws {
    let (former, present) = (Server(), Server())
    bind("iCloud.engine.rebound", "https://former.example.com", former)
    let isBound = Flag()
    let delegate = Delegate {
      if isBound.isSet { return }
      isBound.set()
      self.bind("iCloud.engine.rebound", "https://present.example.com", present)
    }
    var configuration = CKSyncEngine.Configuration(
      database: CKContainer(identifier: "iCloud.engine.rebound").privateCloudDatabase,
      stateSerialization: nil,
      delegate: delegate)
    configuration.automaticallySync = false
    let engine = CKSyncEngine(configuration)
    let error = await #expect(throws: CKError.self) { try await engine.fetchChanges() }
    let codes: [CKError.Code] = [.notAuthenticated, .operationCancelled]
    #expect(error.map { codes.contains($0.code) } == true, "\(error as Any)")
    #expect(!present.asked.withLock { $0.contains("changes/database") })
    // The next fetch first asks the new server for its signed-in user.
    try await engine.fetchChanges()
    let asked = present.asked.withLock(\.self)
    #expect(asked.firstIndex(of: "users/caller") == 0 && asked.last == "changes/database")
    #expect(!former.asked.withLock { $0.contains("changes/database") })
  }

  /// Fetches, and retries if another test changes accounts meanwhile.
  ///
  /// An engine that has not read its account yet then stops.
  private func fetch(_ engine: CKSyncEngine) async throws {
    while true {
      do {
        return try await engine.fetchChanges()
      } catch {
        guard CKError.operationCancelled ~= error else { throw error }
      }
    }
  }

  @Test func `An engine starts over in another environment of the same server`() async throws {
    let (name, server) = ("iCloud.other.environment", Server())
    func engine(_ delegate: Delegate, _ kept: CKSyncEngine.State.Serialization?) -> CKSyncEngine {
      var configuration = CKSyncEngine.Configuration(
        database: CKContainer(identifier: name).privateCloudDatabase, stateSerialization: kept,
        delegate: delegate)
      configuration.automaticallySync = false
      return CKSyncEngine(configuration)
    }
    func isFromBeginning() -> Bool? {
      server.listings.withLock { $0.last.map { !$0.contains("syncToken") } }
    }
    bind(name, "https://cloud.example.com", server, .development)
    let (delegate, nextDelegate) = (Delegate {}, Delegate {})
    let first = engine(delegate, nil)
    try await fetch(first)
    first.state.add(pendingRecordZoneChanges: [.saveRecord(CKRecord.ID(recordName: "one"))])
    try await fetch(first)
    #expect(isFromBeginning() == false)
    // A running engine and an engine of the next launch have the same result.
    let kept = delegate.kept.withLock { $0 }
    #expect(kept != nil)
    // The running engine may report the new account before its next fetch.
    delegate.events.withLock { $0 = [] }
    bind(name, "https://cloud.example.com", server, .production)
    let next = engine(nextDelegate, kept)
    for (engine, delegate) in [(first, delegate), (next, nextDelegate)] {
      try await fetch(engine)
      #expect(isFromBeginning() == true)
      #expect(engine.state.pendingRecordZoneChanges.isEmpty)
      let reported = delegate.events.withLock(\.self)
      #expect(reported.first?.hasPrefix("accountChange") == true, "\(reported)")
      try await fetch(engine)
      #expect(isFromBeginning() == false)
    }
  }

  @Test func `An engine continues at the same server under another address`() async throws {
    let (name, server, delegate) = ("iCloud.other.address", Server(), Delegate {})
    bind(name, "https://former.example.com", server)
    var configuration = CKSyncEngine.Configuration(
      database: CKContainer(identifier: name).privateCloudDatabase, stateSerialization: nil,
      delegate: delegate)
    configuration.automaticallySync = false
    let engine = CKSyncEngine(configuration)
    try await fetch(engine)
    bind(name, "https://present.example.com", server)
    try await fetch(engine)
    #expect(server.listings.withLock { $0.last?.contains("syncToken") } == true)
  }

  @Test func `The change is published like a change of account`() async throws {
    let changes = ChangeCounter("iCloud.notified.told.rebound")
    bind("iCloud.notified.told.rebound", "https://former.example.com", Server())
    #expect(changes.take() == 0)
    bind("iCloud.notified.told.rebound", "https://present.example.com", Server())
    #expect(changes.take() == 1)
  }

  @Test func `A listener that starts after a rebind does not contact the former server`()
    async throws
  {
    let (former, present) = (Server(), Server())
    bind("iCloud.late.rebound", "https://former.example.com", former)
    let binding = try CKContainer(identifier: "iCloud.late.rebound").binding()
    bind("iCloud.late.rebound", "https://present.example.com", present)
    var words = binding.signals.makeAsyncIterator()
    #expect(await words.next() == nil)
    #expect(former.asked.withLock { $0.isEmpty })
  }

  @Test func `Listening continues at the new binding`() async throws {
    let (former, present) = (Server(), Server())
    bind("iCloud.notified.heard.rebound", "https://former.example.com", former)
    let container = CKContainer(identifier: "iCloud.notified.heard.rebound")
    let (reasons, line) = AsyncStream<Void>.makeStream()
    let listening = container.privateCloudDatabase.listen { _ in line.yield() }
    var received = reasons.makeAsyncIterator()
    // Both servers reject listening, which is reported.
    await received.next()
    #expect(former.asked.withLock { $0.contains("tokens/create") })
    bind("iCloud.notified.heard.rebound", "https://present.example.com", present)
    while !present.asked.withLock({ $0.contains("tokens/create") }) { await received.next() }
    listening?.cancel()
  }
}
