import ClientTestSupport
import CloudKitClient
import CloudKitTesting
import CloudRecords
import CloudTransport
import Foundation
import RecordServer
import RecordServerHTTP
import Synchronization
import TestSupport
import Testing

/// Devices with a token that the server no longer knows.
///
/// The clock advances when there is a wait.
struct LostTokenTests {
  /// The limit for a prompt reconnection: a few delays of a channel, far less than a minute.
  private static let soon = Duration.seconds(10)

  private let zone = CKRecordZone(zoneName: "Notes")

  /// Returns a container for a device.
  ///
  /// - Parameter hasStreams: False if a gateway lets no streams through.
  private func container(of device: TestDevice, hasStreams: Bool = true) -> CKContainer {
    let clock = device.cloud.clock
    let dependencies = ClientDependencies(
      now: { clock.now }, wait: { try await clock.wait(for: $0) }, chance: { 0.5 },
      makeName: { UUID().uuidString })
    let transport: any CloudTransport =
      hasStreams ? device.transport : WithoutStreams(inner: device.transport)
    return CKContainer(device.binding(over: transport, dependencies: dependencies))
  }

  /// Makes a device of a user listen.
  private func listener(_ device: TestDevice, hasStreams: Bool = true) async throws -> Listener {
    let container = container(of: device, hasStreams: hasStreams)
    try await container.privateCloudDatabase.save(zone)
    try await container.privateCloudDatabase.save(CKDatabaseSubscription(subscriptionID: "all"))
    let listener = Listener(container, signals: try container.binding().signals, device.cloud)
    _ = try await listener.passTime(until: .listening)
    return listener
  }

  /// Registers another device of the user, which displaces the existing one.
  private func displaceDevice(of device: TestDevice) async throws {
    let cloud = device.cloud
    let tokens = "ckAPIToken=\(cloud.apiToken)&ckWebAuthToken=\(try #require(device.webAuthToken))"
    let created = try await device.transport.send(
      TransportRequest(
        .post, "\(cloud.address)/device/1/\(cloud.container)/development/tokens/create?\(tokens)",
        body: .bytes(Array(#"{"apnsEnvironment":"development","clientId":"other"}"#.utf8))))
    #expect(created.status == 200, "\(created)")
  }

  /// Saves on another device, and waits until a listener is notified.
  private func expectNotification(_ listener: Listener, from device: TestDevice) async throws {
    let recordID = CKRecord.ID(recordName: UUID().uuidString, zoneID: zone.zoneID)
    try await container(of: device).privateCloudDatabase.save(
      CKRecord(recordType: "Note", recordID: recordID))
    _ = try await listener.passTime(until: .changed)
  }

  @Test(.endsAtAll, arguments: [true, false])
  func `A device that the server has forgotten registers again at once`(hasStreams: Bool)
    async throws
  {
    let cloud = try await TestCloud(chance: TestRandomness()) { $0.devicesPerUser = 1 }
    let (laptop, phone) = (try await cloud.signIn("ada"), try await cloud.signIn("ada"))
    let listener = try await listener(laptop, hasStreams: hasStreams)
    for _ in 0..<2 {
      try await displaceDevice(of: phone)
      let untilRefused = try await listener.passTime(until: .silent(.serverRejectedRequest))
      let untilListening = try await listener.passTime(until: .listening)
      #expect(untilRefused + untilListening < Self.soon, "\(untilRefused), \(untilListening)")
      try await expectNotification(listener, from: phone)
      // The connection was stable, so the next delay is like the first.
      try await cloud.advance(by: .seconds(40))
    }
    await cloud.end()
  }

  @Test(.endsAtAll)
  func `A device with an expired session listens again after a sign-in`() async throws {
    let cloud = try await TestCloud()
    let listener = try await listener(try await cloud.signIn("ada"))
    try await cloud.service.accounts.setPassword(ofAccount: "ada", to: "a password of a test")
    #expect(try await listener.passTime(until: .silent(.notAuthenticated)) < Self.soon)
    let again = try await cloud.signIn("ada")
    try listener.container.binding().setCredentials(
      .user(apiToken: cloud.apiToken, webAuthToken: try #require(again.webAuthToken)))
    #expect(try await listener.passTime(until: .listening) < Self.soon)
    try await expectNotification(listener, from: again)
    await cloud.end()
  }
}

/// A listening device and its notifications in order.
private final class Listener: Sendable {
  enum Event: Hashable {
    case listening
    case silent(CKError.Code)
    case changed

    init(_ signal: PushSignal) {
      switch signal {
      case .listening: self = .listening
      case .silent(let error): self = .silent(error.code)
      case .notification, .saved, .schemaChanged, .subscriptionsChanged: self = .changed
      }
    }
  }

  let container: CKContainer
  private let cloud: TestCloud
  private let received: ReceivedEvents
  private let work: Task<Void, Never>

  private final class ReceivedEvents: Sendable {
    let events = Mutex<[Event]>([])
  }

  init(_ container: CKContainer, signals: AsyncStream<PushSignal>, _ cloud: TestCloud) {
    let received = ReceivedEvents()
    (self.container, self.cloud, self.received) = (container, cloud, received)
    work = Task {
      for await signal in signals { received.events.withLock { $0.append(Event(signal)) } }
    }
  }

  deinit { work.cancel() }

  /// Advances time at each wait until a signal arrives, and drops earlier signals.
  ///
  /// - Returns: The time that passed.
  func passTime(until wanted: Event) async throws -> Duration {
    var passed = Duration.zero
    while !take(wanted) {
      if cloud.clock.waiterCount > 0 {
        try await cloud.advance(by: .seconds(1))
        passed += .seconds(1)
      }
      try Task.checkCancellation()
      await Task.yield()
    }
    return passed
  }

  private func take(_ wanted: Event) -> Bool {
    received.events.withLock { events in
      guard let index = events.firstIndex(of: wanted) else { return false }
      events.removeSubrange(...index)
      return true
    }
  }
}

/// A transport to a server that lets no streams through.
private struct WithoutStreams: CloudTransport {
  let inner: any CloudTransport

  func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
    try await inner.send(request)
  }

  func download(
    _ request: TransportRequest, to path: String, progress: @escaping TransportProgress
  ) async throws(TransportError) -> TransportResponse {
    try await inner.download(request, to: path, progress: progress)
  }

  func open(_ request: TransportRequest) async throws(TransportError) -> TransportStream {
    TransportStream(head: TransportResponse(status: 404), pieces: AsyncThrowingStream { nil })
  }
}
