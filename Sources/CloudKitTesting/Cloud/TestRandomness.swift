private import Foundation

/// What a test's cloud takes from chance.
package struct TestRandomness: Sendable {
  /// Gives a new name, different from every other: 32 hexadecimal digits.
  package var makeName: @Sendable () -> String
  /// Bytes for secrets and identifiers; nil for those that nobody can guess.
  package var randomBytes: (@Sendable (Int) -> [UInt8])?

  /// The machine's chance.
  package init() {
    makeName = { UUID().uuidString.filter { $0 != "-" }.lowercased() }
    randomBytes = nil
  }

  /// Chance that somebody decides.
  package init(
    makeName: @escaping @Sendable () -> String, randomBytes: @escaping @Sendable (Int) -> [UInt8]
  ) {
    self.makeName = makeName
    self.randomBytes = randomBytes
  }
}
