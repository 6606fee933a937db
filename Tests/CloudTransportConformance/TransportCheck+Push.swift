import CloudTransport
import Foundation
import Synchronization
import Testing

extension TransportCheck {
  /// Waiting for notifications.
  static let push: [Self] = [
    Self("a waiting device receives a change in the response") { cloud in
      let (ada, address) = try await listener(cloud)
      var request = TransportRequest(.get, address)
      request.idleLimit = nil
      let waiting = Task { [request] in try await cloud.transport.send(request) }
      try await ada.save("a", zone: "Notes")
      let reported = try await waiting.value
      #expect(reported.status == 200 && recordName(reported.body) == "a")
    },
    Self("a stream delivers changes in order, and ends with its reader") { cloud in
      let (ada, address) = try await listener(cloud)
      var request = TransportRequest(.get, address.replacing("/push/wait", with: "/push/stream"))
      request.idleLimit = nil
      do {
        let stream = try await cloud.transport.open(request)
        #expect(stream.head.status == 200 && stream.head["content-type"] == "text/event-stream")
        var pieces = stream.pieces.makeAsyncIterator()
        let first = try #require(try await pieces.next())
        #expect(first.first == UInt8(ascii: ":"), "no comment at the start")
        var parser = ServerSentEvents()
        #expect(try parser.take(first) == [])
        for name in ["a", "b", "c"] {
          try await ada.save(name, zone: "Notes")
          // A piece may end anywhere, and also has the schema's version and comments.
          var events: [[UInt8]] = []
          while events.isEmpty { events = try parser.take(try #require(try await pieces.next())) }
          #expect(events.map { recordName($0) } == [name])
        }
      }
      #expect(try await nextName(cloud, address, saving: "a", by: ada) == "a")
    },
    Self("a cancelled wait ends, and the next one receives the change") { cloud in
      let (ada, address) = try await listener(cloud)
      let stream = TransportRequest(.get, address.replacing("/push/wait", with: "/push/stream"))
      let waiting = Task { try await cloud.transport.send(TransportRequest(.get, address)) }
      waiting.cancel()
      let error = await #expect(throws: TransportError.self) { try await waiting.value }
      #expect(error?.kind == .cancelled)
      let opened = try await cloud.transport.open(stream)
      let reading = Task {
        for try await _ in opened.pieces {}
      }
      reading.cancel()
      _ = await reading.result
      #expect(try await nextName(cloud, address, saving: "b", by: ada) == "b")
    },
  ]

  /// Waits on another connection, and returns the name of the record in the notification.
  ///
  /// Saves the record repeatedly until then, because the server sends notifications to the former
  /// connection until it notices that connection's end.
  private static func nextName(
    _ cloud: CloudUnderTest, _ address: String, saving name: String, by ada: Client
  ) async throws -> String? {
    let hasEnded = Mutex(false)
    async let response = {
      defer { hasEnded.withLock { $0 = true } }
      return try await cloud.transport.send(TransportRequest(.get, address))
    }()
    while !hasEnded.withLock(\.self) { try await ada.save(name, zone: "Notes") }
    return recordName(try await response.body)
  }

  /// A user who subscribed to changes of three records, and the address at which their device
  /// waits.
  private static func listener(_ cloud: CloudUnderTest) async throws -> (Client, String) {
    let ada = try await cloud.user()
    let zone = #""zoneID":{"zoneName":"Notes"}"#
    try await ada.ask(
      "zones/modify", #"{"operations":[{"operationType":"create","zone":{\#(zone)}}]}"#)
    for name in ["a", "b", "c"] { try await ada.save(name, zone: "Notes") }
    let query = #""query":{"recordType":"Note"},"firesOn":["update"]"#
    let subscription = #"{"subscriptionID":"s","subscriptionType":"query",\#(query),\#(zone)}"#
    let created = try await ada.ask(
      "subscriptions/modify",
      #"{"operations":[{"operationType":"create","subscription":\#(subscription)}]}"#)
    #expect(created.list("subscriptions").count == 1, "\(created)")
    let token = Answer(
      try await cloud.transport.send(
        TransportRequest(
          .post, ada.address("/device/1/\(cloud.container)/tokens/create"),
          body: .bytes(Array(#"{"apnsEnvironment":"development","clientId":"phone"}"#.utf8)))))
    return (ada, try #require(token.object["webcourierURL"] as? String, "\(token)"))
  }

  /// The name of a notification's record.
  private static func recordName(_ notification: some Sequence<UInt8>) -> String? {
    let object =
      try? JSONSerialization.jsonObject(with: Data(notification)) as? [String: [String: Any]]
    return (object?["ck"]?["qry"] as? [String: Any])?["rid"] as? String
  }
}
