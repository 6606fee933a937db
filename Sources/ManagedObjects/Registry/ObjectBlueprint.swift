import ManagedObjectModel
import ObjectRows

/// What creating an object of an entity needs: its class, its first flags, and a row with the
/// model's defaults.
///
/// It is made once for a layout, which keeps it.
// Sendable: immutable after its initialiser.
@safe
final class ObjectBlueprint: @unchecked Sendable {
  /// The layout, which outlives its blueprint.
  @safe unowned(unsafe) let layout: RowLayout
  let managedObjectClass: NSManagedObject.Type
  /// The bytes of an object of the class, where initialising one is no more than setting the
  /// properties of `NSManagedObject`.
  let plainBytes: Int?
  /// Whether the entity has no objects of its own.
  let isAbstract: Bool
  /// The flags that every object of the class starts with.
  let flags: ObjectFlags
  /// Whether the class is the one that a linked model has for the entity.
  private let isLinked: Bool
  /// What the model asks of values.
  let validation: ValidationPlan
  /// A row with the defaults of the model.
  let defaults: RowReference

  init(_ layout: RowLayout) {
    self.layout = layout
    isAbstract = layout.entity.isAbstract
    managedObjectClass = RegisteredModels.shared.managedObjectClass(of: layout.entity)
    plainBytes = PlainObjects.bytes(of: managedObjectClass)
    flags = Self.flags(of: managedObjectClass, layout)
    isLinked = !flags.contains(.otherOrdinals)
    validation = ValidationPlan(layout)
    defaults = layout.allocateRow(key: 0)
    for (ordinal, property) in layout.properties.enumerated() {
      guard let attribute = property as? NSAttributeDescription, let value = attribute.defaultValue
      else { continue }
      precondition(
        layout.setValue(
          BoxedAttribute.boxed(value, for: attribute), ofAttribute: ordinal, in: defaults),
        "The default value of \(layout.entity.name ?? "an entity without a name").\(attribute.name) is a \(type(of: value)), which the attribute cannot hold. Change the model."
      )
    }
  }

  deinit { layout.deallocateRow(defaults) }

  /// The flags of an object of any class: objects of another class than the entity's may have been
  /// made by hand.
  func flags(of managedObjectClass: NSManagedObject.Type) -> ObjectFlags {
    managedObjectClass == self.managedObjectClass
      ? flags : Self.flags(of: managedObjectClass, layout)
  }

  /// Whether objects may have checks of their own beside those of the model.
  func hasHooks(_ managedObjectClass: NSManagedObject.Type) -> Bool {
    if managedObjectClass == NSManagedObject.self { return false }
    return
      !(managedObjectClass == self.managedObjectClass && managedObjectClass._hasGeneratedBody
      && isLinked)
  }

  /// The accessors of a class name properties by ordinals of the model that the class was generated
  /// from.
  private static func flags(of managedObjectClass: NSManagedObject.Type, _ layout: RowLayout)
    -> ObjectFlags
  {
    guard let expected = RegisteredModels.shared.propertyOrder(of: managedObjectClass),
      layout.properties.count >= expected.count,
      zip(layout.properties, expected).allSatisfy({ $0.name == $1 })
    else { return .otherOrdinals }
    return []
  }
}

extension RowLayout {
  /// What creating an object of the layout's entity needs.
  var blueprint: ObjectBlueprint { companion { ObjectBlueprint(self) } }

  /// The layout of an entity, whose model comes into use.
  ///
  /// An entity without a model gets a layout of its own.
  static func layout(of entity: NSEntityDescription) -> RowLayout {
    guard let model = entity.model else { return RowLayout(entity: entity, index: 0, rootIndex: 0) }
    guard let layout = ModelLayouts.of(model)[entity] else {
      preconditionFailure(
        "The entity \(entity.name ?? "without a name") is none of its model's. Add it to the model."
      )
    }
    return layout
  }
}
