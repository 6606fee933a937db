import Foundation
package import MirrorModel
package import ObjectRows
import Synchronization

/// The lines that mirroring writes to standard error.
package struct MirrorLogging: Sendable {
  /// The amount of output, in the numbers of Core Data's launch argument.
  package enum Level: Int, Comparable, Sendable {
    /// Nothing.
    case silent = -1
    /// A blocker, the first time that a store has one with its code.
    case blockers = 0
    /// Also each step with its errors.
    case steps = 1
    /// Also external events, and the phase after each step.
    case decisions = 2
    /// Also the names of records that are sent and received.
    case records = 3

    package static func < (one: Level, other: Level) -> Bool { one.rawValue < other.rawValue }
  }

  package var level = Level.blockers
  /// Writes a line.
  package var write: @Sendable (String) -> Void = { line in
    try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
  }

  package init(level: Level) { self.level = level }
}

extension MirrorLogging {
  /// The log of this process, by its launch arguments.
  package static let ofProcess = MirrorLogging(.ofProcess)

  /// Creates the log that launch arguments request.
  ///
  /// | argument | output |
  /// |---|---|
  /// | `-com.apple.CoreData.CloudKitDebug 1` to `3` | steps; decisions; names of records |
  /// | `-com.apple.CoreData.Logging.stderr 0` | nothing |
  package init(_ launch: LaunchArguments) {
    let number = launch.number("CloudKitDebug") ?? 0
    let isOn = launch.flag("Logging.stderr") ?? true
    level =
      isOn ? Level(rawValue: min(max(number, 0), Level.records.rawValue)) ?? .blockers : .silent
  }

  /// Writes a line about a store, if the level asks for it.
  func note(_ level: Level, _ store: String, _ text: @autoclosure () -> String) {
    guard self.level >= level else { return }
    write("CoreData+CloudKit: \(store): " + text().replacing("\n", with: " "))
  }
}

extension MirrorEngine {
  /// Writes each blocker once, by its code.
  func logBlockers() {
    guard shared.logging.level >= .blockers else { return }
    let news = driving.withLock { driving in
      driving.machine.failures(at: mirror.now).filter { driving.logged.insert($0.kind).inserted }
    }
    for failure in news { log(.blockers, "error: \(failure)") }
  }

  /// Writes the end of a step.
  func logEnd(of step: MirrorStep, _ outcome: MirrorOutcome) {
    guard shared.logging.level >= .steps else { return }
    let failures = [outcome.failure].compactMap(\.self) + outcome.blockers
    let count =
      step == .importing && outcome.failure == nil ? ", \(importer.progress.count) records" : ""
    log(
      .steps,
      "\(step) ended\(count)\(failures.isEmpty ? "" : " with " + failures.map(\.description).joined(separator: "; "))"
    )
    log(.decisions, "\(machine.phase(at: mirror.now)) follows")
  }
}

extension MirrorMachine {
  /// All errors and blockers, except those that the program requested.
  fileprivate func failures(at now: Date) -> [MirrorError] {
    let all = [block, failure, pushOutage(at: now)].compactMap(\.self) + allBlockers
    return all.filter { $0.kind != .paused && $0.kind != .cancelled }
  }
}

extension MirrorStep: CustomStringConvertible {
  /// The name of the step in the log.
  package var description: String {
    switch self {
    case .setUp: "setup"
    case .importing: "import"
    case .exporting: "export"
    case .reset(let reset): "reset of \(reset)"
    }
  }
}

extension MirrorError: CustomStringConvertible {
  /// The code, the message and the remedy.
  package var description: String { "\(kind.rawValue): \(message) \(remedy)" }
}
