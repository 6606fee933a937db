import Foundation
package import MirrorModel
package import ObjectRows
import Synchronization

/// The lines that mirroring writes to standard error.
package struct MirrorLogging: Sendable {
  /// How much it writes, as Core Data's launch argument counts.
  package enum Level: Int, Comparable, Sendable {
    /// Nothing.
    case silent = -1
    /// A blocker, when a store meets the first one of its code.
    case blockers = 0
    /// Also each step with its errors.
    case steps = 1
    /// Also what happened outside, and what the store waits for.
    case decisions = 2
    /// Also the names of the records that are sent and received.
    case records = 3

    package static func < (one: Level, other: Level) -> Bool { one.rawValue < other.rawValue }
  }

  package var level = Level.blockers
  /// Takes a line.
  package var write: @Sendable (String) -> Void = { line in
    try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
  }

  package init(level: Level) { self.level = level }
}

extension MirrorLogging {
  /// The log that this process was started with.
  package static let ofProcess = MirrorLogging(.ofProcess)

  /// The log that launch arguments ask for.
  ///
  /// | argument | what it asks for |
  /// |---|---|
  /// | `-com.apple.CoreData.CloudKitDebug 1` to `3` | steps; decisions; names of records |
  /// | `-com.apple.CoreData.Logging.stderr 0` | nothing at all |
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
  /// Writes each blocker once, by its code: what stays in the way is not repeated.
  func logBlockers() {
    guard shared.logging.level >= .blockers else { return }
    let news = driving.withLock { driving in
      driving.machine.faults(at: site.now).filter { driving.logged.insert($0.kind).inserted }
    }
    for fault in news { log(.blockers, "error: \(fault)") }
  }

  /// Writes how a step ended.
  func logEnd(of step: MirrorStep, _ outcome: MirrorOutcome) {
    guard shared.logging.level >= .steps else { return }
    let faults = [outcome.fault].compactMap(\.self) + outcome.blockers
    let count =
      step == .importing && outcome.fault == nil ? ", \(importer.progress.count) records" : ""
    log(
      .steps,
      "\(step) ended\(count)\(faults.isEmpty ? "" : " with " + faults.map(\.description).joined(separator: "; "))"
    )
    log(.decisions, "\(machine.phase(at: site.now)) follows")
  }
}

extension MirrorMachine {
  /// Everything that stands in the way, except what the program asked for itself.
  fileprivate func faults(at now: Date) -> [MirrorError] {
    let all = [block, fault, deafness(at: now)].compactMap(\.self) + allBlockers
    return all.filter { $0.kind != .paused && $0.kind != .cancelled }
  }
}

extension MirrorStep: CustomStringConvertible {
  /// The step in the log.
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
  /// Code, message and remedy.
  package var description: String { "\(kind.rawValue): \(message) \(kind.remedy)" }
}
