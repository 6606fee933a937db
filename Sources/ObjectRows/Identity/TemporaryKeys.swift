package import Foundation
import Synchronization

/// Gives out the keys of objects that were not saved yet: negative, and each once in a process.
///
/// A simulation has its own, so that one seed gives the same identifiers whatever else the process
/// does. Every source has a range of keys for itself: objects of several may meet in one context.
package final class TemporaryKeys: Sendable {
  /// What real programs use.
  package static let usual = TemporaryKeys { UInt64.random(in: .min ... .max) }

  private static let sourceCount = Atomic<Int64>(0)

  /// Where the source's range begins.
  private let start: Int64
  private let last: Atomic<Int64>
  private let randomBits: @Sendable () -> UInt64
  /// Half of the UUIDs of the source's identifiers, so that those of two processes differ; drawn
  /// when it is first needed.
  private let bits = Mutex<UInt64?>(nil)

  package init(randomBits: @escaping @Sendable () -> UInt64) {
    self.randomBits = randomBits
    // Ranges are used again after half a million sources, of which real programs have one.
    let source =
      Self.sourceCount.add(1, ordering: .relaxed).oldValue & (1 << Limits.temporarySourceBits - 1)
    start = -(source << (Int64.bitWidth - 1 - Limits.temporarySourceBits))
    last = Atomic(start)
  }

  package func next() -> Int64 { last.subtract(1, ordering: .relaxed).newValue }

  /// The UUID that stands for a temporary key in a URI.
  package func uuid(of key: Int64) -> UUID {
    let halves = (ownBits.bigEndian, UInt64(bitPattern: key &- start).bigEndian)
    return unsafe UUID(uuid: unsafeBitCast(halves, to: uuid_t.self))
  }

  /// The temporary key that a UUID stands for, or nil where it is from another process.
  package func key(of uuid: UUID) -> Int64? {
    let halves = unsafe unsafeBitCast(uuid.uuid, to: (UInt64, UInt64).self)
    let key = Int64(bitPattern: UInt64(bigEndian: halves.1)) &+ start
    return UInt64(bigEndian: halves.0) == ownBits && key < 0 ? key : nil
  }

  private var ownBits: UInt64 {
    bits.withLock { bits in
      if let bits { return bits }
      let drawn = randomBits()
      bits = drawn
      return drawn
    }
  }
}
