import SourceMigration
import Testing

/// The migration of a few files.
struct Migrated {
  let plan: MigrationPlan
  private let files: [SourceFile]

  init(_ files: [SourceFile], options: MigrationOptions = MigrationOptions()) {
    self.files = files
    plan = SourceMigrator(options: options).plan(for: files)
  }

  init(_ text: String, options: MigrationOptions = MigrationOptions()) {
    self.init([SourceFile(path: "Post.swift", text: text)], options: options)
  }

  /// All files after the migration.
  var results: [SourceFile] {
    files.map { file in
      let migrated = plan.changes.first { $0.file.path == file.path }?.migrated
      return SourceFile(path: file.path, text: migrated ?? file.text)
    }
  }

  /// The first file's text after the migration.
  var text: String { results.first?.text ?? "" }

  /// The warnings as `line: message`.
  var warnings: [String] {
    plan.diagnostics.filter { $0.severity == .warning }.map { "\($0.line): \($0.message)" }
  }

  var errors: [String] {
    plan.diagnostics.filter { $0.severity == .error }.map { "\($0.line): \($0.message)" }
  }
}

/// A text before and after the migration, with a name for test results.
struct Example: Sendable, CustomTestStringConvertible {
  let name: String
  let before: String
  let after: String

  init(_ name: String, _ before: String, _ after: String) {
    self.name = name
    self.before = before
    self.after = after
  }

  var testDescription: String { name }
}
