import Foundation
import ManagedObjectModel
public import PredicateLanguage

extension NSManagedObject: KeyValueCoding {
  /// Whether `value(forKey:)` knows the key without asking `value(forUndefinedKey:)`.
  ///
  /// Parhelion's addition.
  public func hasValue(forKey key: String) -> Bool {
    property(key) != nil || Self.plainKeys.contains(key)
  }

  /// The keys that every object has beside the properties of its entity.
  private static let plainKeys: Set<String> = ["entity", "self"]

  func plainValue(_ key: String) -> Any? {
    switch key {
    case "entity": entity
    case "self": self
    default: value(forUndefinedKey: key)
    }
  }
}
