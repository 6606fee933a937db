/// A setting of a connection or of its database, with the type of its value.
///
/// A setting that is not listed here is `Pragma<Int64>("name")`.
package struct Pragma<Setting: PragmaValue>: Sendable {
  package let name: String

  package init(_ name: String) { self.name = name }
}

// MARK: - Settings

extension Pragma where Setting == Int64 {
  /// A number for the application's own use, in the file's header.
  package static var userVersion: Self { Self("user_version") }
  /// The kind of file, in its header.
  package static var applicationID: Self { Self("application_id") }
  /// A number that changes with every change of the schema.
  package static var schemaVersion: Self { Self("schema_version") }
  /// A number that changes, on this connection, with every commit of another connection.
  package static var dataVersion: Self { Self("data_version") }
  /// The pages in the cache, or kibibytes if negative.
  package static var cacheSize: Self { Self("cache_size") }
  package static var pageSize: Self { Self("page_size") }
  package static var pageCount: Self { Self("page_count") }
  package static var freelistCount: Self { Self("freelist_count") }
  /// The maximum number of pages in the file.
  package static var maximumPageCount: Self { Self("max_page_count") }
  /// The number of pages in the log at which a commit checkpoints it; 0 for never.
  package static var walAutocheckpoint: Self { Self("wal_autocheckpoint") }
  package static var journalSizeLimit: Self { Self("journal_size_limit") }
  package static var mmapSize: Self { Self("mmap_size") }
}

extension Pragma where Setting == Bool {
  package static var foreignKeys: Self { Self("foreign_keys") }
  package static var recursiveTriggers: Self { Self("recursive_triggers") }
  package static var secureDelete: Self { Self("secure_delete") }
  package static var queryOnly: Self { Self("query_only") }
  package static var deferForeignKeys: Self { Self("defer_foreign_keys") }
  package static var cellSizeCheck: Self { Self("cell_size_check") }
}

extension Pragma where Setting == String {
  package static var encoding: Self { Self("encoding") }
}

extension Pragma where Setting == JournalMode {
  package static var journalMode: Self { Self("journal_mode") }
}

extension Pragma where Setting == Synchronous {
  package static var synchronous: Self { Self("synchronous") }
}

extension Pragma where Setting == AutoVacuum {
  package static var autoVacuum: Self { Self("auto_vacuum") }
}

extension Pragma where Setting == LockingMode {
  package static var lockingMode: Self { Self("locking_mode") }
}
