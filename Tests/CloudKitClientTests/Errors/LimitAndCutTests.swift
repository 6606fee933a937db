import ClientTestSupport
import CloudKitClient
import CloudTransport
import Foundation
import Synchronization
import Testing

/// Requests whose answers are late or truncated.
@Suite struct `A request` {
  private func container(
    _ server: ScriptedTransport, _ dependencies: ClientDependencies = PausedClock().dependencies
  ) -> CKContainer {
    let configuration = CKContainer.Configuration(
      containerIdentifier: "iCloud.requests", server: webAddress("https://cloud.example.com"),
      credentials: .user(apiToken: "program", webAuthToken: "ada-1"), accountStorage: .memory)
    return CKContainer(
      ContainerBinding(configuration, transport: server, dependencies: dependencies))
  }

  @Test
  func `A truncated answer may mean that the request was carried out`() async throws {
    let server = ScriptedTransport { request throws(TransportError) in
      if request.address.contains("/users/caller") { return .caller("_ada") }
      return TransportResponse(status: 200, body: Array(#"{"zones":[{"zoneID":{"zo"#.utf8))
    }
    let error = await #expect(throws: CKError.self) {
      try await container(server).privateCloudDatabase.save(CKRecordZone(zoneName: "Notes"))
    }
    #expect(error?.code == .networkFailure && error?.userInfo["ParhelionMayHaveArrived"] != nil)
  }

  @Test func `A request keeps its timeout if the date changes`() async throws {
    let time = PausedClock()
    let asked = Mutex(0)
    let server = ScriptedTransport { request throws(TransportError) in
      let number = asked.withLock { asked in
        asked += 1
        return asked
      }
      guard number == 1 else { return .caller("_ada") }
      time.pass(86_400)
      throw TransportError(.broken, "Broken.")
    }
    var dependencies = time.dependencies
    let start = dependencies.now()
    dependencies.monotonicNow = { start }
    dependencies.wait = { _ in }
    let limits = CKOperation.Configuration()
    limits.timeoutIntervalForResource = 60
    let user = try await container(server, dependencies).configuredWith(configuration: limits) {
      try await $0.userRecordID()
    }
    #expect(user.recordName == "_ada" && asked.withLock { $0 == 2 })
  }
}
