import ManagedObjectModel
import ObjectRows

/// The data for creating objects of an entity: the class, the initial flags, and a row with the
/// model's defaults.
///
/// It is created once for a layout, which retains it.
// Sendable: immutable after its initializer.
@safe
final class ObjectBlueprint: @unchecked Sendable {
  /// The layout, which outlives this object.
  @safe unowned(unsafe) let layout: RowLayout
  let managedObjectClass: NSManagedObject.Type
  /// The size of an object in bytes, if initializing one only sets the properties of
  /// `NSManagedObject`.
  let plainBytes: Int?
  /// Whether the entity is abstract.
  let isAbstract: Bool
  /// The initial flags of every object of the class.
  let flags: ObjectFlags
  /// The model's validation rules.
  let validation: ValidationPlan
  /// The plans of to-one relationships, by ordinal.
  let toOnePlans: [ToOnePlan?]
  /// A row with the model's default values.
  let defaults: RowReference

  init(_ layout: RowLayout) {
    self.layout = layout
    isAbstract = layout.entity.isAbstract
    managedObjectClass = RegisteredModels.shared.managedObjectClass(of: layout.entity)
    plainBytes = PlainObjects.bytes(of: managedObjectClass)
    flags = Self.flags(of: managedObjectClass, layout)
    validation = ValidationPlan(layout)
    toOnePlans = layout.properties.map(ToOnePlan.init)
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

  /// The flags of an object of any class.
  ///
  /// A class other than the entity's may be hand-written.
  func flags(of managedObjectClass: NSManagedObject.Type) -> ObjectFlags {
    managedObjectClass == self.managedObjectClass
      ? flags : Self.flags(of: managedObjectClass, layout)
  }

  /// Whether objects may have life-cycle methods, or validation in addition to the model's.
  func hasHooks(_ managedObjectClass: NSManagedObject.Type) -> Bool {
    flags(of: managedObjectClass).contains(.hooked)
  }

  /// The initial flags of objects of a class.
  ///
  /// The accessors of a generated class use the ordinals of one version of the entity. A class that
  /// does not fit this layout gets `otherOrdinals`.
  private static func flags(of managedObjectClass: NSManagedObject.Type, _ layout: RowLayout)
    -> ObjectFlags
  {
    if managedObjectClass == NSManagedObject.self { return .otherOrdinals }
    guard let expected = RegisteredModels.shared.propertyOrder(of: managedObjectClass),
      layout.properties.count >= expected.count,
      zip(layout.properties, expected).allSatisfy({ $0.name == $1 })
    else { return [.otherOrdinals, .hooked] }
    return PlainObjects.isGenerated(managedObjectClass) ? [] : .hooked
  }
}

extension RowLayout {
  /// The data for creating objects of the layout's entity.
  var blueprint: ObjectBlueprint { companion { ObjectBlueprint(self) } }

  /// The layout of an entity, whose model can no longer be changed.
  ///
  /// An entity without a model gets a separate layout.
  static func layout(of entity: NSEntityDescription) -> RowLayout {
    guard let model = entity.model else { return RowLayout(entity: entity, index: 0, rootIndex: 0) }
    guard let layout = ModelLayouts.of(model)[entity] else {
      preconditionFailure(
        "The entity \(entity.name ?? "without a name") is not in its model. Add it to the model."
      )
    }
    return layout
  }
}
