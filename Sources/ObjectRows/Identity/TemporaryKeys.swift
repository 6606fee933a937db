package import Foundation
import Synchronization

/// Assigns the keys of unsaved objects: negative, and unique in a process.
///
/// A simulation has a separate source, so that a seed always gives the same identifiers. Each
/// source has its own range of keys, because objects of several sources may be in one context.
package final class TemporaryKeys: Sendable {
  /// The default source.
  package static let usual = TemporaryKeys { UInt64.random(in: .min ... .max) }

  private static let sourceCount = Atomic<Int64>(0)

  /// The start of the source's range.
  private let start: Int64
  private let last: Atomic<Int64>
  private let randomBits: @Sendable () -> UInt64
  /// The first half of each UUID of this source, so that the UUIDs of two processes differ.
  ///
  /// Drawn when first needed.
  private let bits = Mutex<UInt64?>(nil)

  package init(randomBits: @escaping @Sendable () -> UInt64) {
    self.randomBits = randomBits
    // Ranges are reused after half a million sources. Production programs have one.
    let source =
      Self.sourceCount.add(1, ordering: .relaxed).oldValue & (1 << Limits.temporarySourceBits - 1)
    start = -(source << (Int64.bitWidth - 1 - Limits.temporarySourceBits))
    last = Atomic(start)
  }

  package func next() -> Int64 { last.subtract(1, ordering: .relaxed).newValue }

  /// The UUID that represents a temporary key in a URI.
  package func uuid(of key: Int64) -> UUID {
    let halves = (ownBits.bigEndian, UInt64(bitPattern: key &- start).bigEndian)
    return unsafe UUID(uuid: unsafeBitCast(halves, to: uuid_t.self))
  }

  /// The temporary key that a UUID represents, or nil if the UUID is from another process.
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
