package import ObjectRows
package import SQLiteDriver

/// The settings of launch arguments for the stores that a program opens.
package struct StoreDebugging: Sendable {
  /// The level of SQLite's syncs to the disk; nil for the store's own setting.
  package var synchronous: Synchronous?
  /// Whether a file is checked for damage when it opens.
  package var checksIntegrity = false

  package init() {}

  /// The settings of launch arguments.
  ///
  /// | argument | effect |
  /// |---|---|
  /// | `-com.apple.CoreData.SQLiteDebugSynchronous 0` to `3` | sets SQLite's `synchronous` pragma |
  /// | `-com.apple.CoreData.SQLiteIntegrityCheck 1` | checks each file when it opens |
  package init(_ launch: LaunchArguments) {
    synchronous = launch.number("SQLiteDebugSynchronous").flatMap {
      Synchronous(rawValue: Int64($0))
    }
    checksIntegrity = launch.flag("SQLiteIntegrityCheck") ?? false
  }

  /// The settings of this process's launch arguments.
  package static let ofProcess = StoreDebugging(.ofProcess)

  /// The debugging settings of stores that are opened now; a test may replace them.
  @TaskLocal package static var current = StoreDebugging.ofProcess
}
