import SourceMigration

/// Swift source text: migrating a migrated file changes nothing.
enum SourceMigrationTarget: FuzzTarget {
  static let name = "source-migration"

  static func run(_ bytes: [UInt8]) {
    guard let text = String(validating: bytes, as: UTF8.self) else { return }
    let migrator = SourceMigrator()
    let plan = migrator.plan(for: [SourceFile(path: "a.swift", text: text)])
    guard let change = plan.changes.first else { return }
    let again = migrator.plan(for: [SourceFile(path: "a.swift", text: change.migrated)])
    require(
      !again.diagnostics.contains { $0.severity == .error }, "the result cannot be read again")
    require(again.changes.isEmpty, "a second run changes something")
  }
}
