private import Glibc

/// Clocks.
///
/// Nobody else in this module asks the system for the time.
enum MonotonicTime {
  /// Nanoseconds since some moment, which nobody can set back.
  static func now() -> Int64 { read(CLOCK_MONOTONIC) }

  /// Seconds since the beginning of 1970.
  static func secondsSince1970() -> Int { Int(read(CLOCK_REALTIME) / 1_000_000_000) }

  private static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}

extension Duration {
  /// The whole nanoseconds; more than 292 years are as many as fit.
  var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    return overflow ? .max : product + attoseconds / 1_000_000_000
  }
}
