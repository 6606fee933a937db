import CloudRecords
import CloudWire
import Foundation
import RecordServer
import RecordStorage
import Synchronization
import TestSupport
import Testing

/// A cloud whose hub runs until this object is released.
final class PushCloud: Sendable {
  static let capacity = 8
  let hub: PushHub
  let cloud: Cloud
  private let markers = Mutex(0)

  init(
    engine: (any StorageEngine)? = nil, limits: ServiceLimits = ServiceLimits(),
    capacity: Int = PushCloud.capacity
  ) {
    self.hub = PushHub(capacity: capacity)
    cloud = Cloud(limits: limits, engine: engine, listener: hub)
    let (hub, server) = (hub, cloud.server)
    Task { await hub.run(for: server) { Issue.record("\($0)") } }
  }

  deinit { hub.finish() }

  /// Waits until all earlier changes were delivered.
  ///
  /// Changes keep their order, so a marker that is sent after them arrives last. Each marker has
  /// its own token, because two clouds on one engine use the same names.
  func deliverChanges() async throws {
    let number = markers.withLock { last in
      last += 1
      return last
    }
    let marker = try await cloud.user("_bell\(number)")
    let token = Data(UUID().uuidString.utf8).base64EncodedString()
    _ = try await cloud.server.registerPushToken(
      TokensRegisterRequest(token: token), marker.call(.private))
    let record = #""recordName":"r","recordType":"Marker","fields":{}"#
    _ = try await marker.modify(("create", record))
    _ = try await marker.subscribe(
      #""subscriptionID":"marker","subscriptionType":"query","query":{"recordType":"Marker"},"firesOn":["update"]"#
    )
    _ = try await marker.modify(("forceUpdate", record))
    #expect(await hub.next(for: token) != nil)
  }

  /// The notifications that a device gets of all earlier changes.
  func notifications(for token: String) async throws -> [PushNotification] {
    try await deliverChanges()
    var all: [PushNotification] = []
    while hub.queueLength(of: token) > 0, let next = await hub.next(for: token) { all.append(next) }
    return all
  }

  /// Waits until a number of devices wait.
  func waitForWaiters(_ count: Int) async throws {
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
