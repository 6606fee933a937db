package import Foundation

extension UUID {
  /// Creates a random UUID of version 4, like `UUID()`.
  ///
  /// On Linux, Foundation opens, reads and closes a file for each UUID. The system generator needs
  /// two short calls.
  package static func random() -> UUID {
    var generator = SystemRandomNumberGenerator()
    let (high, low) = (generator.next() as UInt64, generator.next() as UInt64)
    let halves = (high & ~0xF000 | 0x4000, low & (1 << 62 - 1) | 1 << 63)
    return unsafe UUID(
      uuid: unsafeBitCast((halves.0.bigEndian, halves.1.bigEndian), to: uuid_t.self))
  }
}
