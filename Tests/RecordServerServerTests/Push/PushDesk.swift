import CloudRecords
import CloudWire
import RecordServer
import RecordStorage
import Synchronization
import TestSupport
import Testing

/// A cloud whose hub runs until this object is released.
final class PushDesk: Sendable {
  static let capacity = 8
  let hub = PushHub(capacity: capacity)
  let cloud: Cloud
  private let bells = Mutex(0)

  init(engine: (any StorageEngine)? = nil, limits: ServiceLimits = ServiceLimits()) {
    cloud = Cloud(limits: limits, engine: engine, listener: hub)
    let (hub, server) = (hub, cloud.server)
    Task { await hub.run(for: server) { Issue.record("\($0)") } }
  }

  deinit { hub.finish() }

  /// Waits until all earlier changes were delivered.
  ///
  /// Changes keep their order, so a later marker shows it.
  func handOut() async throws {
    let number = bells.withLock { last in
      last += 1
      return last
    }
    let bell = try await cloud.user("_bell\(number)")
    let token = try await bell.device("bell")
    let record = #""recordName":"r","recordType":"Bell","fields":{}"#
    _ = try await bell.modify(("create", record))
    _ = try await bell.subscribe(
      #""subscriptionID":"bell","subscriptionType":"query","query":{"recordType":"Bell"},"firesOn":["update"]"#
    )
    _ = try await bell.modify(("forceUpdate", record))
    #expect(await hub.next(for: token) != nil)
  }

  /// The notifications that a device gets of all earlier changes.
  func told(_ token: String) async throws -> [PushNotification] {
    try await handOut()
    var all: [PushNotification] = []
    while hub.queueLength(of: token) > 0, let next = await hub.next(for: token) { all.append(next) }
    return all
  }

  /// Waits until a number of devices wait.
  func untilWaiting(_ count: Int) async throws {
    try await yields(while: hub.waiterCount < count)
  }
}

extension Client {
  /// The token of a user's device.
  func device(_ name: String) async throws -> String {
    try await cloud.server.createPushToken(
      TokensCreateRequest(clientIdentifier: name), call(.private)
    ) {
      "/wait/\($0)"
    }
    .token
  }
}
