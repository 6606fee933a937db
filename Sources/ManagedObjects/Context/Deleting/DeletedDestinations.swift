import ManagedObjectModel
import ObjectRows

/// Tells whether to-one relationships lead to nothing, or to something deleted, without following
/// them.
///
/// Nothing is deleted while it is in use, so that what was found of one row holds for the next one
/// that leads there.
struct DeletedDestinations {
  let context: NSManagedObjectContext
  private var last: (value: ToOneValue, storeNumber: UInt16, isDeleted: Bool)?

  init(context: NSManagedObjectContext) { self.context = context }

  mutating func isDeleted(_ ordinal: Int, of object: NSManagedObject) -> Bool {
    if let known = object.state?.destinations[ordinal] { return known.flags.contains(.deleted) }
    guard object.hasRow || object.key < 0 else { return false }
    let slot = object.owner.slotTable[ordinal]
    guard !slot.isNull(in: object.row) else { return true }
    let value = slot.load(from: object.row, as: ToOneValue.self)
    if let last, last.value == value, last.storeNumber == object.storeNumber {
      return last.isDeleted
    }
    let layout = context.layouts[value.layoutIndex]
    let storeNumber = context.storeNumber(ofKey: value.key, layout, relatedTo: object.storeNumber)
    let known = context.registry.object(
      value.key, rootIndex: layout.rootIndex, storeNumber: storeNumber)
    let isDeleted = known?.flags.contains(.deleted) ?? false
    last = (value, object.storeNumber, isDeleted)
    return isDeleted
  }
}
