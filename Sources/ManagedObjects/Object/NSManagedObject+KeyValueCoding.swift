import Foundation
import ManagedObjectModel
import ObjectRows
public import PredicateLanguage

private typealias NSExpression = PredicateLanguage.NSExpression

extension NSManagedObject: KeyValueCoding {
  /// Returns whether `value(forKey:)` knows the key without calling `value(forUndefinedKey:)`.
  ///
  /// Parhelion's addition.
  public func hasValue(forKey key: String) -> Bool {
    layout.ordinal(of: key) != nil || Self.plainKeys.contains(key)
  }

  /// The keys that every object has in addition to the properties of its entity.
  private static let plainKeys: Set<String> = [
    "entity", "self", "objectID", "managedObjectContext", "isInserted", "isUpdated", "isDeleted",
    "isFault",
    "hasChanges",
  ]

  final func plainValue(_ key: String) -> Any? {
    switch key {
    case "entity": entity
    case "self": self
    case "objectID": objectID
    case "managedObjectContext": managedObjectContext
    case "isInserted": NSNumber(value: isInserted)
    case "isUpdated": NSNumber(value: isUpdated)
    case "isDeleted": NSNumber(value: isDeleted)
    case "isFault": NSNumber(value: isFault)
    case "hasChanges": NSNumber(value: hasChanges)
    default: value(forUndefinedKey: key)
    }
  }

  final func valueAtEnd(of keyPath: String) -> Any? {
    NSExpression(forKeyPath: keyPath).expressionValue(with: self, context: nil)
  }

  final func setValueAtEnd(of keyPath: String, to value: Any?) {
    guard let dot = keyPath.firstIndex(of: ".") else { return setValue(value, forKey: keyPath) }
    let key = String(keyPath[..<dot])
    let rest = String(keyPath[keyPath.index(after: dot)...])
    if entity.attributesByName[key]?.attributeType == .compositeAttributeType {
      let element = self.value(forKey: key) as? [String: Any] ?? [:]
      return setValue(setting(rest, of: element, to: value), forKey: key)
    }
    (self.value(forKey: key) as? NSManagedObject)?.setValue(value, forKeyPath: rest)
  }

  /// Returns a composite value in which the element at a path is replaced.
  private func setting(_ path: String, of composite: [String: Any], to value: Any?) -> [String: Any]
  {
    var composite = composite
    guard let dot = path.firstIndex(of: ".") else {
      composite[path] = value is NSNull ? nil : value
      return composite
    }
    let key = String(path[..<dot])
    let inner = composite[key] as? [String: Any] ?? [:]
    composite[key] = setting(String(path[path.index(after: dot)...]), of: inner, to: value)
    return composite
  }
}

extension NSManagedObject: FetchableObject {
  package func lacksProperty(_ key: String) -> Bool {
    context?.source?.layouts.hasProperty(key, inFamilyOf: layout) ?? false
  }
}
