import Foundation
import ParhelionCommands

extension ServerBenchmark {
  /// The cost of connections that wait for changes.
  func listeners() throws -> LocalBenchmark.Measured {
    try makeRoomForListeners()
    let server = try BenchServer(executable: executable)
    let kilobytes = try kilobytes(on: server) { try BenchSocket(port: server.port) }
    return .figure("server.listeners.memory", kilobytes, "KB", atMost: 12)
  }

  /// The same over TLS.
  func secureListeners() throws -> LocalBenchmark.Measured {
    try makeRoomForListeners()
    let server = try BenchServer(executable: executable, "--tls-development")
    guard let authority = server.certificateAuthority else { throw Failure.noServer(executable) }
    let context = try SecureBenchSocket.Context(authority: authority)
    let kilobytes = try kilobytes(on: server) { try SecureBenchSocket(port: server.port, context) }
    return .figure("server.listeners.secure", kilobytes, "KB", atMost: 24)
  }

  private func makeRoomForListeners() throws(CommandError) {
    let (needed, allowed) = (sizes.listeners + Self.otherDescriptors, DescriptorLimit.raise())
    guard allowed >= needed else {
      throw CommandError(
        "\(needed) open files are needed, and \(allowed) are allowed. Raise “ulimit -Hn”, or leave the listeners out with --only."
      )
    }
  }

  /// The number of devices per user: the server's default limit.
  private static let devicesOfPerson = 100

  /// The number of descriptors that a process has open in addition to its listeners.
  private static let otherDescriptors = 200
  /// The time limit until the server reports that all listeners wait.
  private static let patienceSeconds = 120.0

  /// The server's memory per listener, in kilobytes.
  ///
  /// It takes a new server, because memory that other work freed would be reused and hide the cost.
  private func kilobytes(
    on server: BenchServer, _ connect: @escaping () throws -> BenchSocket
  ) throws -> Double {
    let observer = try BenchClient(connect)
    let people = try server.people(
      (sizes.listeners + Self.devicesOfPerson - 1) / Self.devicesOfPerson)
    let waits = try (0..<sizes.listeners).map { number in
      try server.wait(of: "listener-\(number)", observer, person: people[number % people.count])
    }
    let before = try server.figures.residentKilobytes()
    // All listeners connect before the first one sends its request, so that no wait ends meanwhile.
    let sockets = try (0..<sizes.listeners).map { _ in try connect() }
    for (socket, wait) in zip(sockets, waits) { try socket.send(wait) }
    let end = SideBySide.Clock.wall.seconds + Self.patienceSeconds
    while case let count = try Self.waiting(on: server, observer), count < sockets.count {
      guard SideBySide.Clock.wall.seconds < end else {
        throw Failure.notWaiting(count, of: sockets.count)
      }
    }
    let after = try server.figures.residentKilobytes()
    return withExtendedLifetime(sockets) { (after - before) / Double(sockets.count) }
  }

  /// The number of listeners that the server reports.
  private static func waiting(on server: BenchServer, _ observer: BenchClient) throws -> Int {
    let figures = String(decoding: try observer.ask(server.get("/metrics")), as: UTF8.self)
    let line = figures.split(separator: "\n").first { $0.hasPrefix("parhelion_waiting_devices ") }
    guard let count = line?.split(separator: " ").last.flatMap({ Int($0) }) else {
      throw BenchClient.Refused(answer: figures)
    }
    return count
  }

  // MARK: Followers

  /// The latency until devices learn of changes.
  func followers() throws -> [LocalBenchmark.Measured] {
    let server = try stage.server()
    let zone = try BenchZone("followed", on: server)
    let bare = try BareRecordStore(path: server.path(of: "followed.sqlite"))
    let group = try FollowerGroup(of: zone, devices: sizes.followers.devices)
    var (first, delays, commits) = (Latencies(), Latencies(), Latencies())
    for change in 1...sizes.followers.changes {
      try commits.time { try bare.append(BenchRecords.names(1)) }
      let times = try group.change(change)
      first.add(times.first)
      delays.add(max(0, times.first - times.answer))
    }
    return [
      .figure("server.followers.first", first.median, "ms", atMost: 2),
      .figure("server.followers.p99", first.tail, "ms", beside: first.median),
      .figure("server.followers.behind", delays.median, "ms", beside: commits.median),
    ]
  }
}
