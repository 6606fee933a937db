import ObjectRows

/// Determines from the null bits of rows that objects are valid, if the bits suffice.
///
/// They do not suffice if a class may have its own validation, or if the model has other rules than
/// required values. The rules are looked up once for objects of the same class and entity.
struct ValidationByBits {
  /// The rules for objects of one class and entity.
  private struct Rules {
    let layout: RowLayout
    let managedObjectClass: NSManagedObject.Type
    /// The slots that must not be null; nil if there are other rules.
    let required: [RowSlot]?
    /// Whether nothing prevents an object's deletion.
    let allowsDeletion: Bool

    init(_ object: NSManagedObject) {
      layout = object.layout
      managedObjectClass = type(of: object)
      let blueprint = layout.blueprint
      let hasHooks = blueprint.hasHooks(managedObjectClass)
      required = hasHooks ? nil : blueprint.validation.requiredSlots
      allowsDeletion = !hasHooks && blueprint.validation.denying.isEmpty
    }

    @inline(__always)
    func apply(to object: NSManagedObject) -> Bool {
      object.hasLayout(layout) && managedObjectClass == type(of: object)
    }
  }

  private var known: [Rules] = []
  /// The place of the last object's rules.
  private var last = 0

  mutating func suffice(for object: NSManagedObject) -> Bool {
    if last >= known.count || !known[last].apply(to: object) { findRules(for: object) }
    if object.flags.change == .deletion { return known[last].allowsDeletion }
    guard let required = known[last].required else { return false }
    return required.isEmpty || required.allSatisfy { !$0.isNull(in: object.row) }
  }

  private mutating func findRules(for object: NSManagedObject) {
    last = known.firstIndex { $0.apply(to: object) } ?? known.count
    if last == known.count { known.append(Rules(object)) }
  }
}
