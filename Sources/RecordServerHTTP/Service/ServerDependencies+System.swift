import CloudRecords
import Cryptography
private import Glibc
import RecordServer

extension ServerDependencies {
  /// Creates the dependencies of a production server: the system's clock and random names.
  static func system(
    limits: ServiceLimits, report: @escaping @Sendable (any Error) -> Void
  ) -> ServerDependencies {
    var dependencies = ServerDependencies(
      now: { .now }, makeName: { randomName }, limits: limits, report: report)
    let start = ContinuousClock.now
    dependencies.elapsed = { ContinuousClock.now - start }
    return dependencies
  }

  private static var randomName: String {
    var text: [UInt8] = []
    text.reserveCapacity(32)
    for byte in SecureRandom.bytes(16) { text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
    return String(decoding: text, as: UTF8.self)
  }

  private static let digits = Array("0123456789abcdef".utf8)
}

extension Timestamp {
  /// The current time of the system.
  fileprivate static var now: Timestamp {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(milliseconds: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
  }
}
