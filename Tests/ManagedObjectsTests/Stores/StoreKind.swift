import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import Testing

/// The kinds of stores that the conformance tests run over.
enum StoreKind: String, CaseIterable, CustomTestStringConvertible {
  case memory

  func open(_ model: NSManagedObjectModel, _ url: URL) throws -> any RowStore {
    switch self {
    case .memory: try MemoryRowStore(model: model, configuration: nil, identity: StoreIdentity(uuid: "memory"))
    }
  }

  var testDescription: String { rawValue }
}
