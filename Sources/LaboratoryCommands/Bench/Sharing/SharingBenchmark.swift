import CloudKitClient
import CloudMirroring
import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import ParhelionCommands

/// The benchmarks of sharing between people: a server in a separate process, and devices in this
/// one.
package struct SharingBenchmark {
  /// The sizes of the workloads.
  package struct Sizes: Sendable {
    /// The number of objects of the large graph that is shared, and of the one that it is compared
    /// with.
    package var objects = 10_000
    package var fewObjects = 1_000
    /// The number of participants of one share, without the owner.
    package var people = 99
    /// The number of shares that one person accepts, and of those that another one accepts.
    package var shares = 1_000
    package var fewShares = 10
    /// The number of sequential changes whose import is measured.
    package var changes = 30
    /// The number of permission checks.
    package var checks = 100_000

    package init() {}
  }

  package typealias Measured = LocalBenchmark.Measured

  /// An error that makes the measurements meaningless.
  enum Failure: Error, CustomStringConvertible {
    case noLink
    case wrongCount(String, Int, expected: Int)

    var description: String {
      switch self {
      case .noLink: "A saved share has no link."
      case .wrongCount(let what, let count, let expected):
        "There are \(count) \(what) instead of \(expected)."
      }
    }
  }

  package var sizes = Sizes()
  let executable: String

  /// Creates a benchmark of sharing with a server.
  ///
  /// - Parameter executable: The path of `parhelion`.
  package init(executable: String) { self.executable = executable }

  /// The workloads.
  package func workloads() -> [BenchmarkWorkload] {
    [
      BenchmarkWorkload(
        "sharing.share", "sharing.share.save", "sharing.export", "sharing.memory",
        "sharing.memory.server", run: graph),
      BenchmarkWorkload("sharing.people", run: people),
      BenchmarkWorkload("sharing.feed", "sharing.feed.server", "sharing.check", run: feed),
    ]
  }

  // MARK: A large graph

  /// The time and memory of sharing one graph.
  private struct Graph {
    var seconds = 0.0
    var longestSave = 0.0
    var exportSeconds = 0.0
    var megabytes = 0.0
    var serverMegabytes = 0.0
  }

  /// Shares an album with many photos, while the program saves other objects, and exports it.
  private func graph() throws -> [Measured] {
    let server = try BenchServer(executable: executable)
    let people = try server.people(2)
    let few = try share(sizes.fewObjects, people[0], on: server)
    let many = try share(sizes.objects, people[1], on: server)
    return [
      .figure("sharing.share", many.seconds, "s", atMost: 3),
      .figure("sharing.share.save", many.longestSave * 1_000, "ms", atMost: 250),
      .figure("sharing.export", many.exportSeconds, "s", atMost: 6),
      .figure("sharing.memory", many.megabytes, "MB", beside: few.megabytes, limit: 1.5),
      .figure(
        "sharing.memory.server", many.serverMegabytes, "MB", beside: few.serverMegabytes, limit: 1.5
      ),
    ]
  }

  private func share(_ count: Int, _ person: OwnAccount, on server: BenchServer) throws -> Graph {
    let own = ProcessFigures(process: getpid())
    var graph = try waiting { () -> Graph in
      let device = try await SharingBenchDevice(person, on: server)
      let albums = try await device.addAlbums(["Large"], photos: count - 1)
      try await device.container.sync()
      try own.forgetPeak()
      var graph = Graph()
      let sharing = Task {
        let begun = SideBySide.Clock.wall.seconds
        let moved = try await device.container.share(managedObjectsWith: albums, to: nil).0.count
        return (seconds: SideBySide.Clock.wall.seconds - begun, moved: moved)
      }
      let saving = Task {
        var longest = 0.0
        while !Task.isCancelled {
          let begun = SideBySide.Clock.wall.seconds
          _ = try await device.addAlbums(["Meanwhile"], photos: 0)
          longest = max(longest, SideBySide.Clock.wall.seconds - begun)
        }
        return longest
      }
      let shared = try await sharing.value
      saving.cancel()
      graph.longestSave = try await saving.value
      guard shared.moved == count else {
        throw Failure.wrongCount("shared objects", shared.moved, expected: count)
      }
      graph.seconds = shared.seconds
      let begun = SideBySide.Clock.wall.seconds
      try await device.container.sync()
      graph.exportSeconds = SideBySide.Clock.wall.seconds - begun
      try await check(device, count)
      return graph
    }
    graph.megabytes = try own.peakKilobytes() / 1_024
    graph.serverMegabytes = try server.figures.peakKilobytes() / 1_024
    return graph
  }

  /// Throws unless the zone of the share has the records of the graph and of the share.
  private func check(_ device: SharingBenchDevice, _ count: Int) async throws {
    let database = device.cloud.privateCloudDatabase
    guard let zone = try device.container.fetchShares(in: nil).first?.recordID.zoneID else {
      throw Failure.noLink
    }
    var (found, token): (Int, CKServerChangeToken?) = (0, nil)
    while true {
      let page = try await database.recordZoneChanges(inZoneWith: zone, since: token)
      found += page.modificationResultsByID.count
      token = page.changeToken
      if !page.moreComing { break }
    }
    guard found == count + 1 else {
      throw Failure.wrongCount("records in the zone of the share", found, expected: count + 1)
    }
  }

  // MARK: Many people

  /// Measures how long each person takes to accept a share; compares the last with the first.
  private func people() throws -> Measured {
    let server = try BenchServer(executable: executable)
    let people = try server.people(sizes.people + 1)
    let latencies = try waiting { [sizes] in
      let owner = try await SharingBenchDevice(people[0], on: server)
      let album = try await owner.addAlbums(["Common"], photos: 9)
      let link = try await owner.publish(album)
      try await owner.container.sync()
      var latencies: [Double] = []
      for person in people.dropFirst() {
        let cloud = server.container(of: person)
        let metadata = try await cloud.shareMetadata(for: link)
        let begun = SideBySide.Clock.wall.seconds
        _ = try await cloud.accept(metadata)
        latencies.append(SideBySide.Clock.wall.seconds - begun)
      }
      try await owner.container.sync()
      let known = try owner.container.fetchShares(in: nil).first?.participants.count ?? 0
      guard known == sizes.people + 1 else {
        throw Failure.wrongCount("participants", known, expected: sizes.people + 1)
      }
      return latencies
    }
    let part = max(1, latencies.count / 5)
    return .figure(
      "sharing.people", Latencies(Array(latencies.suffix(part))).median, "ms",
      beside: Latencies(Array(latencies.prefix(part))).median, limit: 3)
  }

  // MARK: Many shares

  /// The times of imports of one change.
  private struct Import: Sendable {
    var latencies = Latencies()
    var serverMilliseconds = 0.0
  }

  /// Imports changes of one share on the device of a person who has accepted many shares, compared
  /// with one who has accepted few.
  private func feed() throws -> [Measured] {
    let server = try BenchServer(executable: executable)
    // A database's 1,000 zones include that of unshared objects, so 1,000 shares need two owners.
    let owners = sizes.shares > 500 ? 2 : 1
    let people = try server.people(owners + 2)
    let each = (sizes.shares + owners - 1) / owners
    return try waiting { [sizes] in
      var links: [URL] = []
      var measured: (owner: SharingBenchDevice, album: NSManagedObjectID)?
      for person in people.prefix(owners) {
        let owner = try await SharingBenchDevice(person, on: server)
        let titles = (0..<min(each, sizes.shares - links.count)).map { "Album \($0)" }
        let albums = try await owner.addAlbums(titles, photos: 1)
        for album in albums { links.append(try await owner.publish([album])) }
        try await owner.container.sync()
        if measured == nil, let album = albums.first { measured = (owner, album) }
      }
      guard let (owner, album) = measured else { throw Failure.noLink }
      let few = try await SharingBenchDevice(people[owners], on: server)
      let many = try await SharingBenchDevice(people[owners + 1], on: server)
      try await few.accept(Array(links.prefix(sizes.fewShares)))
      try await many.accept(links)
      for (device, count) in [(few, sizes.fewShares), (many, sizes.shares)] {
        let found = try await device.sharedAlbumCount()
        guard found == count else {
          throw Failure.wrongCount("shared albums", found, expected: count)
        }
      }
      var imports = (few: Import(), many: Import())
      for number in 0..<sizes.changes {
        let title = "Change \(number)"
        try await owner.rename(album, to: title)
        try await owner.container.sync()
        try await measure(few, title, server, &imports.few)
        try await measure(many, title, server, &imports.many)
      }
      return [
        .figure(
          "sharing.feed", imports.many.latencies.median, "ms",
          beside: imports.few.latencies.median, limit: 2),
        .figure(
          "sharing.feed.server", imports.many.serverMilliseconds / Double(sizes.changes), "ms",
          beside: imports.few.serverMilliseconds / Double(sizes.changes)),
        try await checks(many),
      ]
    }
  }

  private func measure(
    _ device: SharingBenchDevice, _ title: String, _ server: BenchServer, _ result: inout Import
  ) async throws {
    let before = try ServerTimes(server)
    let begun = SideBySide.Clock.wall.seconds
    try await device.container.sync()
    result.latencies.add(SideBySide.Clock.wall.seconds - begun)
    result.serverMilliseconds += try ServerTimes(server).milliseconds(
      of: ["changes/database", "changes/zone"], since: before)
    let found = try await device.sharedAlbumCount(title)
    guard found == 1 else { throw Failure.wrongCount("changed albums", found, expected: 1) }
  }

  /// Measures a check of the permission to change an object, as a list makes it for each cell.
  private func checks(_ device: SharingBenchDevice) async throws -> Measured {
    let album = try await device.container.performBackgroundTask { [shared = device.shared] in
      let request = NSFetchRequest<NSManagedObject>(entityName: "Album")
      request.affectedStores = [shared]
      request.fetchLimit = 1
      return try $0.fetch(request).first?.objectID
    }
    guard let album else { throw Failure.wrongCount("shared albums", 0, expected: 1) }
    _ = device.container.canUpdateRecord(forManagedObjectWith: album)
    let begun = SideBySide.Clock.wall.seconds
    var allowed = 0
    for _ in 0..<sizes.checks
    where device.container.canUpdateRecord(forManagedObjectWith: album) { allowed += 1 }
    let seconds = SideBySide.Clock.wall.seconds - begun
    guard allowed == sizes.checks else {
      throw Failure.wrongCount("permissions", allowed, expected: sizes.checks)
    }
    return .figure("sharing.check", seconds * 1e9 / Double(sizes.checks), "ns", atMost: 1_000)
  }
}
