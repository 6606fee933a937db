import CloudMirroring
import CommandTestSupport
import Foundation
import LaboratoryCommands
import MirrorModel
import ParhelionCommands
import TestSupport
import Testing

/// Two processes that mirror one store file, next to a device with a separate store.
@Suite("Two processes on one store file", .blockingThreads, .endsAtAll)
struct SharedFileTests {
  private struct World {
    let server: BenchServer
    let file: String
    let phone: BenchDevice

    init() throws {
      server = try BenchServer(executable: Programs.parhelion.path)
      file = server.path(of: "shared/Notes.sqlite")
      phone = try BenchDevice(.phone, on: server)
      try phone.open()
    }

    /// Another process on the shared file.
    func desk() throws -> BenchDevice {
      let desk = try BenchDevice(.desk, on: server)
      try desk.open(sharedFile: file)
      return desk
    }

    /// Checks that all devices have the same notes and that their number is `notes`.
    func check(_ devices: [BenchDevice], notes: Int) throws {
      for _ in 0..<2 { for device in devices + [phone] { try device.ask(.sync) } }
      let sums = try (devices + [phone]).map { try $0.sum() }
      #expect(Set(sums.map(\.digest)).count == 1, "\(sums)")
      #expect(sums.map(\.notes) == sums.map { _ in notes })
      #expect(sums.map(\.pendingCount) == sums.map { _ in 0 })
    }
  }

  private static func titles(_ name: String, _ count: Int) -> [String] {
    (1...count).map { "\(name) \($0)" }
  }

  @Test func `Concurrent saves and imports appear everywhere once`() throws {
    let world = try World()
    let (one, two) = (try world.desk(), try world.desk())
    let devices = [(one, "One"), (two, "Two"), (world.phone, "Phone")]
    let orders = try devices.map { device, name in
      try device.begin(.addOneByOne(folder: name, titles: Self.titles(name, 25)))
    }
    for ((device, _), order) in zip(devices, orders) { try device.end(order) }
    try world.check([one, two], notes: 75)
    // Each process changes objects of the other, and one of them changes the same object as the
    // phone.
    let changes = [
      (one, DemoOrder.rename(title: "Two 1", to: "Two first")),
      (two, .rename(title: "One 1", to: "One first")),
      (world.phone, .write(title: "One 2", text: "By the phone")),
      (one, .delete(titles: ["Phone 1", "Two 2"])),
      (two, .write(title: "One 2", text: "By two")),
    ]
    let numbers = try changes.map { device, order in try device.begin(order) }
    for ((device, _), number) in zip(changes, numbers) { try device.end(number) }
    try world.check([one, two], notes: 73)
    // An inspection of the file shows its progress.
    let inspected = Commands.runParhelion(["store", "inspect", world.file])
    #expect(inspected.status == .success)
    #expect(inspected.result.contains("acknowledged records: 76"), "\(inspected)")
    #expect(inspected.result.contains("pending changes: none"))
    for device in [one, two] { try device.ask(.pause) }
    try one.ask(.add(folder: "One", titles: ["Waits", "Waits too"]))
    let waiting = Commands.runParhelion(["store", "inspect", world.file, "--json"])
    let document =
      try JSONSerialization.jsonObject(with: Data(waiting.result.utf8)) as? [String: Any]
    let mirroring = try #require(document?["mirroring"] as? [String: Any])
    #expect((mirroring["pending"] as? [String: Int])?["insertions"] == 2)
    #expect(mirroring["acknowledged"] as? Int == 76)
    #expect(mirroring["zones"] as? [String] == [MirrorNames.zone])
  }

  @Test func `If one process is killed while saving and sending, the other finishes its work`()
    throws
  {
    let world = try World()
    let one = try world.desk()
    try one.ask(.add(folder: "One", titles: Self.titles("One", 3)))
    for round in 1...3 {
      var two: BenchDevice? = try world.desk()
      let before = try one.sum().notes
      _ = try two?.begin(.addOneByOne(folder: "Two", titles: Self.titles("Round \(round),", 200)))
      while try one.sum().notes < before + 4 * round {}
      try one.ask(.add(folder: "One", titles: ["Meanwhile \(round)"]))
      two = nil
      let saved = try one.sum().notes
      #expect(saved < before + 201, "It was killed too late.")
      try world.check([one], notes: saved)
    }
  }
}
