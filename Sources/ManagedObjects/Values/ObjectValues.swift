import Foundation
import ManagedObjectModel

/// The values of one managed object, by the names of its properties.
///
/// Numbers are kept as `NSNumber`, so that they can be read as any numeric type; texts, dates, identifiers and bytes as
/// Swift's own types.
struct ObjectValues {
  private enum Value {
    case attribute(Any)
    case toOne(NSManagedObject)
    case toMany(RelatedObjects)
  }

  private var values: [String: Value] = [:]

  init(defaultsOf entity: NSEntityDescription) {
    for (name, attribute) in entity.attributesByName {
      guard let value = attribute.defaultValue else { continue }
      values[name] = .attribute(AttributeValue.normalized(value))
    }
  }

  subscript(attribute name: String) -> Any? {
    get { if case .attribute(let value)? = values[name] { value } else { nil } }
    set { values[name] = newValue.map(Value.attribute) }
  }

  subscript(toOne name: String) -> NSManagedObject? {
    get { if case .toOne(let object)? = values[name] { object } else { nil } }
    set { values[name] = newValue.map(Value.toOne) }
  }

  subscript(toMany name: String) -> RelatedObjects {
    get { if case .toMany(let objects)? = values[name] { objects } else { RelatedObjects() } }
    set { values[name] = .toMany(newValue) }
  }

  /// A value in a few words.
  ///
  /// Related objects are only counted or named, since they may lead back here.
  func summary(of name: String) -> String {
    switch values[name] {
    case nil: "nil"
    case .attribute(let value): "\(value)"
    case .toOne(let object): "an object of \(object.entity.name ?? "an entity without a name")"
    case .toMany(let related): "\(related.count) objects"
    }
  }
}
