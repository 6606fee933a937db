import Foundation
import ObjectRows
import PredicateLanguage

/// Values that a class of the program returned.
enum StoreAnswer {
  /// The elements of a collection of Swift or Foundation; nil for any other value.
  static func elements(_ value: Any) -> [Any]? {
    if let array = value as? [Any] { return array }
    return Elements(value)?.values.compactMap { $0 }
  }
}

extension NSPersistentStore {
  /// The metadata of a store of the program's class, without UUID and type.
  var metadataForRows: [String: Any] {
    (metadata ?? [:]).filter { $0.key != NSStoreUUIDKey && $0.key != NSStoreTypeKey }
  }

  /// Replaces the metadata of a store of the program's class; UUID and type stay.
  func setMetadataForRows(_ metadata: [String: Any]) {
    var metadata = metadata
    metadata[NSStoreUUIDKey] = references.identity.uuid
    metadata[NSStoreTypeKey] = type
    self.metadata = metadata
  }
}
