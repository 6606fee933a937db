public import Foundation
public import ManagedObjectModel
import PredicateLanguage

private typealias NSExpression = PredicateLanguage.NSExpression

/// An object whose properties are described by an entity of a managed object model.
///
/// Create one with an entity and no context. Its attributes have the defaults of the model. Properties are read and
/// set through generated accessors or by key. Setting a relationship also sets the inverse one of the other object.
///
/// Objects that are related both ways keep each other alive. Remove the relationships to let them go.
open class NSManagedObject: NSObject, NSFetchRequestResult {
  /// The entity that describes the object.
  public let entity: NSEntityDescription

  var values: ObjectValues

  /// The probe that this object reports to, if it was made to find out what a key path reads.
  var probe: ObjectProbe?

  /// Creates an object of an entity.
  ///
  /// - Precondition: The entity is not abstract.
  public init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
    self.entity = entity
    values = ObjectValues(defaultsOf: entity)
    super.init()
  }

  /// Creates an object in the way that this library needs, through the initialiser that subclasses override.
  ///
  /// Every subclass inherits it, so that it can be called where only the class is known at run time.
  public required convenience init(_materialise materialisation: _Materialisation) {
    self.init(entity: materialisation.entity, insertInto: nil)
    probe = materialisation.probe
  }

  /// The context that the object is registered in: nil, as the object was created without one.
  open var managedObjectContext: NSManagedObjectContext? { nil }

  // MARK: Entity

  /// The entity that this class represents, in the models that are linked into the process.
  ///
  /// - Precondition: A model with an entity of this class is linked into the process.
  open class func entity() -> NSEntityDescription {
    RegisteredModels.shared.entity(of: self)
  }

  /// A request for all objects of the entity that this class represents.
  @_disfavoredOverload
  open class func fetchRequest() -> NSFetchRequest<any NSFetchRequestResult> {
    let request = NSFetchRequest<any NSFetchRequestResult>()
    request.entity = entity()
    return request
  }

  // MARK: Values by key

  /// The value of a property.
  ///
  /// Numbers come as `NSNumber`, to-many relationships as `NSSet` or `NSOrderedSet`.
  open func value(forKey key: String) -> Any? {
    guard let property = property(key) else { return plainValue(key) }
    willAccessValue(forKey: key)
    defer { didAccessValue(forKey: key) }
    return storedValue(of: property)
  }

  /// Sets the value of a property, and the inverse of a relationship.
  ///
  /// - Precondition: The value is of the property's type.
  open func setValue(_ value: Any?, forKey key: String) {
    guard let property = property(key) else { return setValue(value, forUndefinedKey: key) }
    willChangeValue(forKey: key)
    defer { didChangeValue(forKey: key) }
    store(value, in: property, maintainingInverse: true)
  }

  /// The value at the end of a path of property names and collection operators.
  ///
  /// A key of many objects gives the array of their values.
  open func value(forKeyPath keyPath: String) -> Any? {
    NSExpression(forKeyPath: keyPath).expressionValue(with: self, context: nil)
  }

  /// Sets the property that ends a path, in the object that the path before it leads to.
  ///
  /// Nothing happens where the path leads to no object.
  open func setValue(_ value: Any?, forKeyPath keyPath: String) {
    guard let dot = keyPath.lastIndex(of: ".") else { return setValue(value, forKey: keyPath) }
    let target = self.value(forKeyPath: String(keyPath[..<dot])) as? NSManagedObject
    target?.setValue(value, forKey: String(keyPath[keyPath.index(after: dot)...]))
  }

  /// Called for a key that names no property of the entity.
  ///
  /// Override it to give such keys a meaning. This one stops the program.
  open func value(forUndefinedKey key: String) -> Any? {
    stopForUndefined(key)
  }

  /// Called to set a key that names no property of the entity.
  ///
  /// Override it to give such keys a meaning. This one stops the program.
  open func setValue(_ value: Any?, forUndefinedKey key: String) {
    stopForUndefined(key)
  }

  // MARK: Primitive values

  /// The stored value of a property.
  ///
  /// Use it in the accessors that you write yourself.
  open func primitiveValue(forKey key: String) -> Any? {
    guard let property = property(key) else { stopForUndefined(key) }
    return storedValue(of: property)
  }

  /// Sets the stored value of a property and nothing else.
  ///
  /// The inverse of a relationship stays as it is.
  open func setPrimitiveValue(_ value: Any?, forKey key: String) {
    guard let property = property(key) else { stopForUndefined(key) }
    store(value, in: property, maintainingInverse: false)
  }

  // MARK: Notices

  /// Called before a property is read.
  ///
  /// An object outside a context has all of its values in memory, so this one has nothing to bring in.
  open func willAccessValue(forKey key: String?) {}

  /// Called after a property was read.
  open func didAccessValue(forKey key: String?) {}

  /// Called before a property is set.
  ///
  /// An object outside a context has nobody to tell of its changes.
  open func willChangeValue(forKey key: String) {}

  /// Called after a property was set.
  open func didChangeValue(forKey key: String) {}

  // MARK: Description

  /// The object's class, entity and values.
  open override var description: String {
    let data = entity.propertiesByName.keys.sorted().map { "\n    \($0) = \(values.summary(of: $0));" }
    let address = "0x" + String(UInt(bitPattern: ObjectIdentifier(self)), radix: 16)
    return "<\(type(of: self)): \(address)> (entity: \(entity.name ?? "without a name"); data: {\(data.joined())\n})"
  }
}

@available(*, unavailable, message: "A managed object belongs to the queue of its context. Pass its objectID instead.")
extension NSManagedObject: Sendable {}

/// What is needed to create a managed object of a class that is known only at run time.
public struct _Materialisation {
  let entity: NSEntityDescription
  let probe: ObjectProbe?

  init(entity: NSEntityDescription, probe: ObjectProbe? = nil) {
    self.entity = entity
    self.probe = probe
  }
}
