import CloudKitClient
import CloudRecords
import CloudTransport
import Foundation
import Synchronization
import Testing

/// A container that is bound to another server while it is used.
@Suite struct `A container that is bound anew` {
  /// A server that knows one user, has nothing, and notes what it was asked.
  private final class Server: Sendable {
    let asked = Mutex<[String]>([])

    var transport: ScriptedTransport {
      ScriptedTransport { [self] request throws(TransportFault) in
        let operation = request.address.prefix { $0 != "?" }.split(separator: "/").suffix(2).joined(separator: "/")
        asked.withLock { $0.append(operation) }
        switch operation {
        case "users/caller": return .caller("_ada")
        case "changes/database":
          return TransportResponse(status: 200, body: Array(#"{"zones":[],"syncToken":"s","moreComing":false}"#.utf8))
        default: return .error(400, "BAD_REQUEST")
        }
      }
    }
  }

  /// An engine's program, which does something when it is asked how to fetch.
  private final class Delegate: CKSyncEngineDelegate {
    let meanwhile: @Sendable () -> Void
    let events = Mutex<[String]>([])

    init(_ meanwhile: @escaping @Sendable () -> Void) { self.meanwhile = meanwhile }

    func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
      events.withLock { $0.append(event.description) }
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

  private func bind(_ identifier: String, _ address: String, _ server: Server) {
    let configuration = CKContainer.Configuration(
      containerIdentifier: identifier, server: webAddress(address),
      credentials: .user(apiToken: "program", webAuthToken: "ada-1"), accountStorage: .memory)
    ContainerRegistry.shared.bind(
      configuration, transport: server.transport, surroundings: StandingTime().surroundings)
  }

  @Test func `lets no engine go on at the other server in the middle of what it does`() async throws {
    let (former, present) = (Server(), Server())
    bind("iCloud.engine.anew", "https://former.example.com", former)
    let isBound = Flag()
    let delegate = Delegate {
      if isBound.isSet { return }
      isBound.set()
      self.bind("iCloud.engine.anew", "https://present.example.com", present)
    }
    var configuration = CKSyncEngine.Configuration(
      database: CKContainer(identifier: "iCloud.engine.anew").privateCloudDatabase, stateSerialization: nil,
      delegate: delegate)
    configuration.automaticallySync = false
    let engine = CKSyncEngine(configuration)
    let error = await #expect(throws: CKError.self) { try await engine.fetchChanges() }
    let codes: [CKError.Code] = [.notAuthenticated, .operationCancelled]
    #expect(error.map { codes.contains($0.code) } == true, "\(error as Any)")
    #expect(!present.asked.withLock { $0.contains("changes/database") })
    // The next time it begins with who is signed in there.
    try await engine.fetchChanges()
    let asked = present.asked.withLock(\.self)
    #expect(asked.firstIndex(of: "users/caller") == 0 && asked.last == "changes/database")
    #expect(!former.asked.withLock { $0.contains("changes/database") })
  }

  @Test func `tells so, as it tells of another account`() async throws {
    let changes = ChangeCounter("iCloud.told.anew")
    bind("iCloud.told.anew", "https://former.example.com", Server())
    #expect(changes.take() == 0)
    bind("iCloud.told.anew", "https://present.example.com", Server())
    #expect(changes.take() == 1)
  }

  @Test func `goes on listening where it is bound to`() async throws {
    let (former, present) = (Server(), Server())
    bind("iCloud.heard.anew", "https://former.example.com", former)
    let container = CKContainer(identifier: "iCloud.heard.anew")
    let (reasons, line) = AsyncStream<Void>.makeStream()
    let listening = container.privateCloudDatabase.listen { _ in line.yield() }
    var heard = reasons.makeAsyncIterator()
    // Neither server lets anybody listen, which is told.
    await heard.next()
    #expect(former.asked.withLock { $0.contains("tokens/create") })
    bind("iCloud.heard.anew", "https://present.example.com", present)
    while !present.asked.withLock({ $0.contains("tokens/create") }) { await heard.next() }
    listening?.cancel()
  }
}
