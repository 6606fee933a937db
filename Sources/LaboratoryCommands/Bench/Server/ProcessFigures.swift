import Foundation

/// What the system knows of a process's costs.
struct ProcessFigures {
  let process: pid_t

  /// The processor time that it took so far, whatever thread it was spent on.
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

  /// The kilobytes of memory that it has now.
  func residentKilobytes() throws -> Double { try figure("VmRSS") }

  /// The most kilobytes that it ever had.
  func peakKilobytes() throws -> Double { try figure("VmHWM") }

  /// Begins to look for the most memory anew, in this process.
  func forgetPeak() throws {
    do {
      try "5".write(toFile: "/proc/\(process)/clear_refs", atomically: false, encoding: .utf8)
    } catch {
      throw ServerBenchmark.Failure.serverIsGone
    }
  }

  private func figure(_ name: String) throws -> Double {
    guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8),
      let kilobytes = Self.figure(name, in: status)
    else { throw ServerBenchmark.Failure.serverIsGone }
    return kilobytes
  }

  /// The kilobytes that a line of a status file tells.
  static func figure(_ name: String, in status: String) -> Double? {
    let line = status.split(separator: "\n").first { $0.hasPrefix("\(name):") }
    return line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap {
      Double($0)
    }
  }
}
