import Foundation
import ManagedObjectModel
import ObjectRows
import SQLiteDriver
import SQLiteStore
import Synchronization
import TestSupport
import Testing

/// Records the statements that a store runs.
final class StatementRecorder: Sendable {
  private let recorded = Mutex<[String]>([])

  private let hook = Mutex<(@Sendable (String) -> Void)?>(nil)

  func add(_ statement: LoggedStatement) {
    recorded.withLock { $0.append(statement.sql) }
    hook.withLock { $0 }?(statement.sql)
  }

  /// Calls a closure after each statement.
  func setHook(_ hook: @escaping @Sendable (String) -> Void) { self.hook.withLock { $0 = hook } }

  /// The statements since the last call.
  func take() -> [String] {
    recorded.withLock { statements in
      defer { statements = [] }
      return statements
    }
  }
}

/// A store of a model, with a record of its statements.
final class SampleStore {
  let store: SQLiteRowStore
  let layouts: ModelLayouts
  let statements = StatementRecorder()
  let path: String?
  /// The connection with which the store writes.
  private let main: Connection

  /// Opens a store, and creates it if it is missing.
  ///
  /// - Parameter folder: The file's folder, or nil for a store in memory.
  init(
    _ model: NSManagedObjectModel, configuration: String? = nil, in folder: URL? = nil,
    journal: JournalMode? = nil,
    timeout: Duration = .milliseconds(50), keepsHistory: Bool = false
  ) throws {
    layouts = .of(model)
    let url = folder?.appendingPathComponent("Sample.sqlite") ?? URL(fileURLWithPath: "/dev/null")
    path = folder == nil ? nil : url.path
    let opened = try Self.open(url, layouts, configuration, journal, timeout, keepsHistory)
    main = opened.connection
    var logging = StatementLogging()
    logging.observe = { [statements] in statements.add($0) }
    store = try SQLiteRowStore(opened, logging: logging)
    _ = statements.take()
  }

  private static func open(
    _ url: URL, _ layouts: ModelLayouts, _ configuration: String?, _ journal: JournalMode?,
    _ timeout: Duration,
    _ keepsHistory: Bool
  ) throws -> OpenedStore {
    var options = StoreOptions()
    options.timeout = timeout
    options.tracksHistory = keepsHistory
    if let journal { options.pragmas["journal_mode"] = journal.rawValue }
    return try StoreOpening(
      url: url, layouts: layouts, configuration: configuration, options: options
    ).run()
  }

  subscript(name: String) -> RowLayout {
    guard let layout = layouts[named: name] else {
      preconditionFailure("The model has no entity \(name).")
    }
    return layout
  }

  /// Opens the store's file again as a store.
  func opened(readOnly: Bool = false) throws -> OpenedStore {
    var options = StoreOptions()
    options.isReadOnly = readOnly
    return try StoreOpening(
      url: URL(fileURLWithPath: #require(path)), layouts: layouts, options: options
    ).run()
  }

  /// Limits the disk to a number of pages.
  func setMaximumPages(_ pages: Int64) throws { try main.set(.maximumPageCount, to: pages) }

  /// The contents of the first integer array of the store's connection.
  func rememberedKeys() throws -> [Int64] { try main.integerArray(0).values }

  /// Another connection to the same file.
  func outsider() throws -> Connection { try Connection(.file(#require(path))) }
}
