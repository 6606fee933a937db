import CloudKitTesting
import CloudMirroring
import Foundation
import ManagedObjects
import MirrorModel
import ObjectRows
import Synchronization
import TestSupport
import Testing

/// The lines that mirroring writes to standard error.
@Suite("The log of mirroring", .endsAtAll)
struct MirrorLoggingTests {
  private static let levels:
    [(arguments: [String], defaults: [String: String], level: MirrorLogging.Level)] = [
      ([], [:], .blockers),
      (["-com.apple.CoreData.CloudKitDebug", "0"], [:], .blockers),
      (["-com.apple.CoreData.CloudKitDebug", "1"], [:], .steps),
      (["-com.apple.CoreData.CloudKitDebug", "3"], [:], .records),
      (["-com.apple.CoreData.CloudKitDebug", "9"], [:], .records),
      ([], ["com.apple.CoreData.CloudKitDebug": "2"], .decisions),
      (
        ["-com.apple.CoreData.CloudKitDebug", "1"], ["com.apple.CoreData.CloudKitDebug": "2"],
        .steps
      ),
      (
        ["-com.apple.CoreData.CloudKitDebug", "3", "-com.apple.CoreData.Logging.stderr", "0"], [:],
        .silent
      ),
    ]

  @Test(arguments: levels)
  func `Launch arguments and user defaults set the log level`(
    arguments: [String], defaults: [String: String], level: MirrorLogging.Level
  ) {
    let launch = LaunchArguments(arguments: arguments, environment: [:], defaults: { defaults[$0] })
    #expect(MirrorLogging(launch).level == level)
  }

  /// The lines that a device writes at a level while its network fails and returns.
  private func lines(at level: MirrorLogging.Level) async throws -> (name: String, lines: [String])
  {
    try await withTemporaryDirectory { folder in
      let lines = Lines()
      var logging = MirrorLogging(level: level)
      logging.write = { lines.add($0) }
      let cloud = try await TestCloud()
      let device = try await Device(cloud.signIn("ada"), in: folder, logging: logging)
      try await device.add("Person", ["name": "Ada"])
      device.network.isOnline = false
      for _ in 0..<2 {
        await #expect(throws: NSPersistentCloudKitContainer.SyncBlocker.self) {
          try await device.sync()
        }
      }
      device.network.isOnline = true
      try await device.sync()
      try device.close()
      return (device.file.lastPathComponent, lines.all)
    }
  }

  @Test func `The first blocker is one line with its code, message and remedy`() async throws {
    let (name, lines) = try await lines(at: .blockers)
    #expect(lines.count == 1)
    let line = try #require(lines.first)
    #expect(line.hasPrefix("CoreData+CloudKit: \(name): error: offline: "))
    #expect(line.hasSuffix(MirrorError.Kind.offline.remedy) && !line.contains("\n"))
  }

  @Test func `Higher levels log steps, decisions and record names`() async throws {
    #expect(try await lines(at: .silent).lines.isEmpty)
    let steps = try await lines(at: .steps).lines
    #expect(steps.filter { $0.contains("setup ended with offline: ") }.count == 2, "\(steps)")
    #expect(
      steps.contains { $0.hasSuffix("export begins") }
        && steps.contains { $0.hasSuffix("export ended") })
    #expect(!steps.contains { $0.contains("follows") || $0.contains("sends insertion") })
    let decisions = try await lines(at: .decisions).lines
    #expect(
      decisions.contains { $0.contains("follows") }
        && !decisions.contains { $0.contains("sends insertion") })
    #expect(try await lines(at: .records).lines.contains { $0.contains("sends insertion ") })
  }

  @Test func `A blocker prints as its code, message and remedy`() async throws {
    let container = NSPersistentCloudKitContainer(
      name: "None", managedObjectModel: AddressBook.model())
    let blocker = await #expect(throws: NSPersistentCloudKitContainer.SyncBlocker.self) {
      try await container.sync()
    }
    let remedy = MirrorError.Kind.nothingMirrored.remedy
    #expect(
      "\(try #require(blocker))"
        == "nothing-mirrored: No store of the container is mirrored. \(remedy)")
  }
}

/// Lines of a log.
private final class Lines: Sendable {
  private let lines = Mutex<[String]>([])

  func add(_ line: String) { lines.withLock { $0.append(line) } }

  var all: [String] { lines.withLock(\.self) }
}
