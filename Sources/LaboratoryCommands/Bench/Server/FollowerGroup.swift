import Foundation

/// Devices of one user that wait for changes of a zone, and a client that makes the changes.
final class FollowerGroup {
  private let zone: BenchZone
  private let writer: BenchClient
  private let followers: [(client: BenchClient, wait: [UInt8])]

  /// The time limit for devices to learn of a change.
  private static let patienceMilliseconds: CInt = 120_000

  /// Creates a subscription, and devices that wait.
  init(of zone: BenchZone, devices: Int) throws {
    self.zone = zone
    writer = try zone.server.client()
    let (server, writer) = (zone.server, writer)
    let created = try writer.ask(
      server.request(
        "subscriptions/modify",
        #"{"operations":[{"operationType":"create","subscription":{"subscriptionID":"s","subscriptionType":"zone","zoneID":{"zoneName":"\#(zone.name)"}}}]}"#
      ))
    guard BenchRecords.occurrences(of: "serverErrorCode", in: created) == 0 else {
      throw BenchClient.Refused(answer: String(decoding: created, as: UTF8.self))
    }
    followers = try (0..<devices).map { number in
      let wait = try server.wait(of: "follower-\(number)", writer)
      return (try server.client(), wait)
    }
    for follower in followers { try follower.client.send(follower.wait) }
  }

  /// Makes a change, and waits until all devices have learned of it and wait again.
  ///
  /// - Returns: The seconds until the first device knew, and until the writer had its response.
  func change(_ number: Int) throws -> (first: Double, answer: Double) {
    let request = zone.creation(of: BenchRecords.names(1))
    let begun = SideBySide.Clock.wall.seconds
    try writer.send(request)
    var (first, answer): (Double?, Double?)
    var waiting = Set(followers.indices)
    while answer == nil || !waiting.isEmpty {
      let ready = try readable(waiting, writerToo: answer == nil, change: number)
      let now = SideBySide.Clock.wall.seconds - begun
      if ready.writer {
        try take(try writer.answer())
        answer = now
      }
      for place in ready.followers where try receivesChange(place) {
        first = first ?? now
        waiting.remove(place)
      }
    }
    return (first ?? 0, answer ?? 0)
  }

  private func take(_ answer: [UInt8]) throws {
    guard BenchRecords.occurrences(of: #""recordChangeTag""#, in: answer) == 1 else {
      throw BenchClient.Refused(answer: String(decoding: answer, as: UTF8.self))
    }
    zone.pushed(1)
  }

  /// Receives a device's response and waits again; returns whether the response announced a change.
  private func receivesChange(_ place: Int) throws -> Bool {
    let follower = followers[place]
    // The server ends a long wait with an empty response.
    let isNotified = try !follower.client.answer().isEmpty
    try follower.client.send(follower.wait)
    return isNotified
  }

  /// Waits until a connection is readable.
  private func readable(
    _ waiting: Set<Int>, writerToo: Bool, change: Int
  ) throws -> (followers: [Int], writer: Bool) {
    let places = waiting.sorted()
    var polled = places.map {
      pollfd(fd: followers[$0].client.socket.descriptor, events: Int16(POLLIN), revents: 0)
    }
    if writerToo {
      polled.append(pollfd(fd: writer.socket.descriptor, events: Int16(POLLIN), revents: 0))
    }
    guard unsafe poll(&polled, nfds_t(polled.count), Self.patienceMilliseconds) > 0 else {
      throw ServerBenchmark.Failure.missed(change: change, devices: places.count)
    }
    let ready = places.indices.filter { polled[$0].revents != 0 }.map { places[$0] }
    return (ready, writerToo && polled[places.count].revents != 0)
  }
}
