import Foundation
import Synchronization

/// The source of random values that all parts of one simulated device or server share.
package final class SharedRandomness: Sendable {
  private let generator: Mutex<SimulatedGenerator>

  package init(seed: UInt64) { generator = Mutex(SimulatedGenerator(seed: seed)) }

  func bits() -> UInt64 { generator.withLock { $0.next() } }

  /// A number from 0 up to, but not including, 1.
  func fraction() -> Double { Double(bits() >> 11) / Double(1 << 53) }

  func bytes(_ count: Int) -> [UInt8] {
    generator.withLock { generator in
      (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next() >> 56) }
    }
  }

  func uuid() -> UUID {
    let bytes = bytes(16)
    return UUID(
      uuid: (
        bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7],
        bytes[8], bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
      ))
  }

  /// A name of 32 hexadecimal digits.
  func name() -> String { uuid().uuidString.filter { $0 != "-" }.lowercased() }
}
