import Foundation
import ParhelionCommands

/// The system's accounting of a process.
package struct ProcessFigures: Sendable {
  private let process: pid_t

  package init(process: Int32) { self.process = process }

  /// The processor time so far, of all threads.
  func processorSeconds() throws -> Double {
    var clock = clockid_t()
    guard unsafe clock_getcpuclockid(process, &clock) == 0 else {
      throw ServerBenchmark.Failure.serverIsGone
    }
    var time = timespec()
    guard unsafe clock_gettime(clock, &time) == 0 else {
      throw ServerBenchmark.Failure.serverIsGone
    }
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// The resident memory, in kilobytes.
  func residentKilobytes() throws -> Double { try figure("VmRSS") }

  /// The peak of the resident memory, in kilobytes.
  func peakKilobytes() throws -> Double { try figure("VmHWM") }

  /// Resets the peak of the resident memory; for this process only.
  package func forgetPeak() throws {
    do {
      try "5".write(toFile: "/proc/\(process)/clear_refs", atomically: false, encoding: .utf8)
    } catch {
      throw ServerBenchmark.Failure.peakIsNotReset(reason: CommandError.reason(of: error))
    }
  }

  private func figure(_ name: String) throws -> Double {
    guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8),
      let kilobytes = Self.figure(name, in: status)
    else { throw ServerBenchmark.Failure.serverIsGone }
    return kilobytes
  }

  /// A number of kilobytes from a line of a status file.
  static func figure(_ name: String, in status: String) -> Double? {
    let line = status.split(separator: "\n").first { $0.hasPrefix("\(name):") }
    return line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap {
      Double($0)
    }
  }
}
