import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import SQLiteStore
import Testing

/// The kinds of stores in the conformance tests.
enum StoreKind: String, CaseIterable, CustomTestStringConvertible {
  case memory
  /// SQLite, in a file.
  case file
  /// SQLite, in memory.
  case nowhere

  func open(_ model: NSManagedObjectModel, _ url: URL) throws -> any RowStore {
    switch self {
    case .memory:
      try MemoryRowStore(model: model, configuration: nil, identity: StoreIdentity(uuid: "memory"))
    case .file: try SQLiteRowStore(StoreOpening(url: url, layouts: ModelLayouts.of(model)).run())
    case .nowhere:
      try SQLiteRowStore(
        StoreOpening(url: URL(fileURLWithPath: "/dev/null"), layouts: ModelLayouts.of(model)).run())
    }
  }

  var testDescription: String { rawValue }
}
