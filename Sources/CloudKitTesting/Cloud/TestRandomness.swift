private import Foundation

/// The randomness of a test cloud.
package struct TestRandomness: Sendable {
  /// Returns a new unique name of 32 hexadecimal digits.
  package var makeName: @Sendable () -> String
  /// Returns bytes for secrets and identifiers; nil for the system's secure generator.
  package var randomBytes: (@Sendable (Int) -> [UInt8])?

  /// The system's randomness.
  package init() {
    makeName = { UUID().uuidString.filter { $0 != "-" }.lowercased() }
    randomBytes = nil
  }

  /// Randomness that the caller controls.
  package init(
    makeName: @escaping @Sendable () -> String, randomBytes: @escaping @Sendable (Int) -> [UInt8]
  ) {
    self.makeName = makeName
    self.randomBytes = randomBytes
  }
}
