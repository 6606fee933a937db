import ObjectRows

/// Tells of many objects whether the bits of their rows are enough to know that nothing is wrong
/// with them.
///
/// They are not where a class may have checks of its own. What a class and an entity ask for is
/// looked up once for objects of the same kind that follow one another.
struct ValidationByBits {
  private var layout: RowLayout?
  private var managedObjectClass: NSManagedObject.Type?
  /// The slots that must not be null; nil where that is not all that can be wrong.
  private var required: [RowSlot]?
  /// Whether nothing keeps an object from being deleted.
  private var allowsDeletion = false

  mutating func areEnough(for object: NSManagedObject) -> Bool {
    if !object.hasLayout(layout) || managedObjectClass != type(of: object) { learn(from: object) }
    if object.flags.change == .deletion { return allowsDeletion }
    guard let required else { return false }
    return required.allSatisfy { !$0.isNull(in: object.row) }
  }

  private mutating func learn(from object: NSManagedObject) {
    let blueprint = object.layout.blueprint
    layout = object.layout
    managedObjectClass = type(of: object)
    let hasHooks = blueprint.hasHooks(type(of: object))
    required = hasHooks ? nil : blueprint.validation.requiredSlots
    allowsDeletion = !hasHooks && blueprint.validation.denying.isEmpty
  }
}
