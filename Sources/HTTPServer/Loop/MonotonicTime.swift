private import Glibc

/// The clocks of this module.
///
/// No other code of this module reads the system's time directly.
enum MonotonicTime {
  /// The monotonic time, in nanoseconds.
  static func now() -> Int64 { read(CLOCK_MONOTONIC) }

  /// The wall-clock time, in seconds since 1970.
  static func secondsSince1970() -> Int { Int(read(CLOCK_REALTIME) / 1_000_000_000) }

  private static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}

extension Duration {
  /// The duration in whole nanoseconds, at most about 292 years.
  var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    return overflow ? .max : product + attoseconds / 1_000_000_000
  }
}
