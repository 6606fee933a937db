import Foundation

/// The benchmarks of mirroring: a server and devices, each in a separate process.
package struct SyncBenchmark {
  /// The sizes of the workloads.
  package struct Sizes: Sendable {
    /// The number of measurements of whole transfers.
    package var rounds = 3
    /// The number of objects that go from one device to the other, and that each device edits
    /// offline.
    package var objects = 10_000
    /// The number of objects that both edit offline.
    package var conflicts = 1_000
    /// The number of objects that a new device fetches; another device fetches a tenth, to compare.
    package var replica = 100_000
    /// The number of rounds of saves with and without mirroring, and the number of objects in a
    /// large save.
    package var saves = (rounds: 15, objects: 1_000)
    /// The number of sequential changes whose latency is measured.
    package var changes = 300
    /// The number of objects in the stores in which the latency is measured again.
    package var changedReplica = 20_000

    package init() {}
  }

  package typealias Measured = LocalBenchmark.Measured

  /// The error if the devices differ, so that measurements are meaningless.
  struct Disagreement: Error, CustomStringConvertible {
    let desk: DemoSum
    let phone: DemoSum
    /// The expected number of notes.
    let notes: Int
    var description: String { "The devices do not agree on \(notes) notes: \(desk) and \(phone)." }
  }

  /// The error if a new device does not have all notes of the server.
  struct OtherNotes: Error, CustomStringConvertible {
    let found: Int
    let expected: Int
    var description: String { "The new device has \(found) notes, and not \(expected)." }
  }

  package var sizes = Sizes()
  let executable: String

  /// Creates a benchmark of syncing with a server.
  ///
  /// - Parameter executable: The path of `parhelion`.
  package init(executable: String) { self.executable = executable }

  /// The workloads of `bench sync`: throughput.
  package func bulk() -> [BenchmarkWorkload] {
    [
      BenchmarkWorkload("sync.objects", "sync.objects.floor", run: objects),
      BenchmarkWorkload("sync.offline", run: offline),
      BenchmarkWorkload(
        "sync.first.time", "sync.first.floor", "sync.first.memory", "sync.first.server", run: first),
      BenchmarkWorkload(
        "sync.save.paused", "sync.save.paused.many", "sync.save.alone", "sync.save.one",
        "sync.save.many", run: saves),
    ]
  }

  /// The workloads of `bench push`: latency.
  package func single() -> [BenchmarkWorkload] {
    [
      BenchmarkWorkload(
        "push.p50", "push.p99", "push.store", "push.server", "push.wire", "push.rest", "push.floor",
        run: changes),
      BenchmarkWorkload("push.replica") { try replica() },
    ]
  }

  /// Two devices with empty stores.
  func devices(on server: BenchServer) throws -> (desk: BenchDevice, phone: BenchDevice) {
    let (desk, phone) = (try BenchDevice(.desk, on: server), try BenchDevice(.phone, on: server))
    for device in [desk, phone] {
      _ = try device.open()
      try device.ask(.sync)
    }
    return (desk, phone)
  }

  /// Throws unless both devices have the same content, with this number of notes.
  func check(_ desk: BenchDevice, _ phone: BenchDevice, notes: Int) throws {
    for device in [desk, phone, desk, phone] { try device.ask(.sync) }
    let sums = (desk: try desk.sum(), phone: try phone.sum())
    guard sums.desk == sums.phone, sums.desk.notes == notes, sums.desk.pendingCount == 0 else {
      throw Disagreement(desk: sums.desk, phone: sums.phone, notes: notes)
    }
  }
}
