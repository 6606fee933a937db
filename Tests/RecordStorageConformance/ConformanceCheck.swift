package import RecordStorage
import Testing

/// One requirement on every storage engine.
///
/// An engine's tests run all checks:
///
/// ```swift
/// @Test(arguments: ConformanceCheck.all)
/// func `The storage conforms`(check: ConformanceCheck) async throws {
///   try await check.run(on: …)
/// }
/// ```
package struct ConformanceCheck: Sendable {
  /// The requirement as a sentence.
  package let sentence: String

  private let body: @Sendable (StorageUnderTest) async throws -> Void

  init(_ sentence: String, _ body: @escaping @Sendable (StorageUnderTest) async throws -> Void) {
    self.sentence = sentence
    self.body = body
  }

  /// Runs the check in an empty store.
  package func run(on storage: StorageUnderTest) async throws { try await body(storage) }

  /// All checks.
  package static let all =
    entries + ranges + transactions + snapshots + concurrency + ends + restorations + durability
    + randomOperations
}

extension ConformanceCheck: CustomTestStringConvertible {
  package var testDescription: String { sentence }
}

/// A place for a store that is empty at first, and a way to open it.
package struct StorageUnderTest: Sendable {
  /// Whether the store persists after its engine is closed.
  package let isDurable: Bool

  private let opening: @Sendable () async throws -> any StorageEngine
  private let restoring: (@Sendable (any StorageEngine) async throws -> any StorageEngine)?
  private let finding: @Sendable (any StorageEngine) async throws -> [String]

  /// Creates a place for the stores of an engine.
  ///
  /// - Parameters:
  ///   - restore: Backs up an engine and restores the backup in another place, or nil if the
  ///     engine has no backups.
  ///   - issues: Returns inconsistencies of a store, such as values that belong to no entry.
  package init(
    isDurable: Bool,
    restore: (@Sendable (any StorageEngine) async throws -> any StorageEngine)? = nil,
    issues: @escaping @Sendable (any StorageEngine) async throws -> [String],
    open: @escaping @Sendable () async throws -> any StorageEngine
  ) {
    self.isDurable = isDurable
    restoring = restore
    finding = issues
    opening = open
  }

  /// Expects a consistent store.
  func expectNoIssues(in engine: any StorageEngine) async throws {
    let issues = try await finding(engine)
    #expect(issues == [])
  }

  /// A store restored from a backup of the engine, or nil if the engine has no backups.
  func restored(from engine: any StorageEngine) async throws -> (any StorageEngine)? {
    try await restoring?(engine)
  }

  /// Opens the store, which is the same each time if it is durable.
  func open() async throws -> any StorageEngine { try await opening() }

  /// Opens the store and closes it after `body`, which must leave a consistent store.
  func withEngine(_ body: (any StorageEngine) async throws -> Void) async throws {
    let engine = try await open()
    do {
      try await body(engine)
      try await expectNoIssues(in: engine)
    } catch {
      await engine.close()
      throw error
    }
    await engine.close()
  }
}
