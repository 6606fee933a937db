package import RecordStorage
import Testing

/// One thing that every storage engine must do, to be run against each of them.
///
/// An engine's tests run the whole suite:
///
/// ```swift
/// @Test(arguments: ConformanceCheck.all) func `conforms`(check: ConformanceCheck) async throws {
///   try await check.run(on: …)
/// }
/// ```
package struct ConformanceCheck: Sendable {
  /// What the engine must do, as a sentence.
  package let sentence: String

  private let body: @Sendable (StorageUnderTest) async throws -> Void

  init(_ sentence: String, _ body: @escaping @Sendable (StorageUnderTest) async throws -> Void) {
    self.sentence = sentence
    self.body = body
  }

  /// Runs the check in an empty store.
  package func run(on storage: StorageUnderTest) async throws { try await body(storage) }

  /// The suite.
  package static let all =
    entries + ranges + transactions + snapshots + concurrency + ends + restorations + durability + randomOperations
}

extension ConformanceCheck: CustomTestStringConvertible {
  package var testDescription: String { sentence }
}

/// A place for a store that is empty at first, and how to open it.
package struct StorageUnderTest: Sendable {
  /// Whether the store is still there after its engine was closed.
  package let isDurable: Bool

  private let opening: @Sendable () async throws -> any StorageEngine
  private let restoring: (@Sendable (any StorageEngine) async throws -> any StorageEngine)?

  /// - Parameter restore: Makes a backup of what an engine has, and restores it in another place; nil where the engine cannot.
  package init(
    isDurable: Bool, restore: (@Sendable (any StorageEngine) async throws -> any StorageEngine)? = nil,
    open: @escaping @Sendable () async throws -> any StorageEngine
  ) {
    self.isDurable = isDurable
    restoring = restore
    opening = open
  }

  /// A store that was restored from a backup of what an engine has; nil where the engine has no backups.
  func restored(from engine: any StorageEngine) async throws -> (any StorageEngine)? {
    try await restoring?(engine)
  }

  /// Opens the store: the same one each time, if it is durable.
  func open() async throws -> any StorageEngine { try await opening() }

  /// Opens the store, and closes it after `body`.
  func withEngine(_ body: (any StorageEngine) async throws -> Void) async throws {
    let engine = try await open()
    do {
      try await body(engine)
    } catch {
      await engine.close()
      throw error
    }
    await engine.close()
  }
}
