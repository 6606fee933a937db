import CloudKitTesting
import CloudTransport
import Foundation
import TestSupport
import Testing

@Suite("A device's push channel", .endsAtAll)
struct PushChannelTests {
  private static let zone = #""zoneID":{"zoneName":"Notes"}"#

  /// A device whose user is notified of new notes, its channel, and the events.
  private func listener(
    _ cloud: TestCloud, _ device: TestDevice
  ) async throws -> (PushChannel, AsyncStream<PushEvent>.Iterator) {
    _ = try await device.ask(
      "private", "zones/modify",
      #"{"operations":[{"operationType":"create","zone":{\#(Self.zone)}}]}"#)
    // A query can name the type only once it exists.
    _ = try await device.ask(
      "private", "records/modify",
      #"{"operations":[{"operationType":"forceUpdate","record":{"recordType":"Note","recordName":"first","fields":{}}}]}"#
    )
    let query = #""query":{"recordType":"Note"},"firesOn":["create"]"#
    let subscription = #"{"subscriptionID":"s","subscriptionType":"query",\#(query),\#(Self.zone)}"#
    let subscribed = try await device.ask(
      "private", "subscriptions/modify",
      #"{"operations":[{"operationType":"create","subscription":\#(subscription)}]}"#
    )
    #expect(!subscribed.text.contains("serverErrorCode"), "\(subscribed.text)")
    let tokens = "ckAPIToken=\(cloud.apiToken)&ckWebAuthToken=\(try #require(device.webAuthToken))"
    let created = try await device.transport.send(
      TransportRequest(
        .post, "\(cloud.address)/device/1/\(cloud.container)/development/tokens/create?\(tokens)",
        body: .bytes(Array(#"{"apnsEnvironment":"development","clientId":"phone"}"#.utf8))))
    let object = try JSONSerialization.jsonObject(with: Data(created.body)) as? [String: Any]
    let address = try #require(object?["webcourierURL"] as? String, "\(created.text)")
    let channel = PushChannel(
      device.transport,
      stream: TransportRequest(.get, try #require(object?["streamURL"] as? String)),
      wait: TransportRequest(.get, address),
      pause: { try? await cloud.clock.wait(for: $0.duration(chance: 0)) })
    return (channel, channel.events.makeAsyncIterator())
  }

  private func save(_ device: TestDevice, _ name: String) async throws {
    let record = #"{"recordType":"Note","recordName":"\#(name)","fields":{}}"#
    let answer = try await device.ask(
      "private", "records/modify",
      #"{"operations":[{"operationType":"create","record":\#(record)}],\#(Self.zone)}"#)
    #expect(answer.text.contains("recordChangeTag"), "\(answer.text)")
  }

  /// The next event that is not about the schema.
  private func next(_ events: inout AsyncStream<PushEvent>.Iterator) async -> PushEvent? {
    while let event = await events.next(isolation: #isolation) {
      if case .schema = event { continue }
      return event
    }
    return nil
  }

  private func name(_ event: PushEvent?) -> String? {
    guard case .notification(let bytes) = event else { return nil }
    let object = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: [String: Any]]
    return (object?["ck"]?["qry"] as? [String: Any])?["rid"] as? String
  }

  @Test func `The channel reports one change after another and recovers with the network`()
    async throws
  {
    let cloud = try await TestCloud()
    let (phone, laptop) = (try await cloud.signIn("ada"), try await cloud.signIn("ada"))
    var (channel, events) = try await listener(cloud, phone)
    #expect(await next(&events) == .listening)
    for number in 0..<5 {
      try await save(laptop, "a\(number)")
      #expect(name(await next(&events)) == "a\(number)")
    }
    await channel.stop()
    #expect(await next(&events) == nil)
    phone.network.inject(
      nil, nil, nil, nil, .noNetwork, .captivePortal, .unavailable(retryAfterSeconds: 100), nil)
    (channel, events) = try await listener(cloud, phone)
    for seconds in [0.5, 1, 100] {
      try await yields(while: cloud.clock.waiterCount == 0)
      try await cloud.advance(by: .seconds(seconds))
    }
    #expect(await next(&events) == .listening)
    try await save(laptop, "b")
    #expect(name(await next(&events)) == "b")
    await channel.stop()
    await cloud.end()
    #expect(cloud.serverErrors == [])
  }

  @Test func `A device without a network gets no notification`() async throws {
    let cloud = try await TestCloud()
    let (phone, laptop) = (try await cloud.signIn("ada"), try await cloud.signIn("ada"))
    let (channel, stream) = try await listener(cloud, phone)
    var events = stream
    #expect(await next(&events) == .listening)
    phone.network.isOnline = false
    try await save(laptop, "missed")
    await cloud.clock.waitForWaiter()
    phone.network.isOnline = true
    try await cloud.advance(by: .seconds(1))
    #expect(await next(&events) == .listening)
    try await save(laptop, "b")
    var event = await next(&events)
    // The server may keep a notification for the next connection.
    if name(event) == "missed" { event = await next(&events) }
    #expect(name(event) == "b")
    await channel.stop()
    await cloud.end()
    #expect(cloud.serverErrors == [])
  }

  @Test func `The channel ends if the device is rejected`() async throws {
    let cloud = try await TestCloud()
    let device = cloud.device()
    let request = TransportRequest(.get, cloud.address + "/push/stream")
    let channel = PushChannel(
      device.transport, stream: request, wait: request,
      pause: { _ in Issue.record("nothing to wait for") })
    var events: [PushEvent] = []
    for await event in channel.events { events.append(event) }
    #expect(events == [.refused(status: 400)])
    await cloud.end()
  }
}
