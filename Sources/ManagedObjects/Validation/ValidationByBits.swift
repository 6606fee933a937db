import ObjectRows

/// Determines from the null bits of rows that objects are valid, if the bits suffice.
///
/// They do not suffice if a class may have its own validation. The rules are looked up once for
/// adjacent objects of the same kind.
struct ValidationByBits {
  private var layout: RowLayout?
  private var managedObjectClass: NSManagedObject.Type?
  /// The slots that must not be null; nil if there are other rules.
  private var required: [RowSlot]?
  /// Whether nothing prevents an object's deletion.
  private var allowsDeletion = false

  mutating func suffice(for object: NSManagedObject) -> Bool {
    if !object.hasLayout(layout) || managedObjectClass != type(of: object) {
      lookUpRules(from: object)
    }
    if object.flags.change == .deletion { return allowsDeletion }
    guard let required else { return false }
    return required.allSatisfy { !$0.isNull(in: object.row) }
  }

  private mutating func lookUpRules(from object: NSManagedObject) {
    let blueprint = object.layout.blueprint
    layout = object.layout
    managedObjectClass = type(of: object)
    let hasHooks = blueprint.hasHooks(type(of: object))
    required = hasHooks ? nil : blueprint.validation.requiredSlots
    allowsDeletion = !hasHooks && blueprint.validation.denying.isEmpty
  }
}
