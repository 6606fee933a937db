import ManagedObjectModel
import ObjectRows

/// Checks if to-one relationships are nil or point to deleted objects, without loading these.
///
/// No object is deleted while this value is in use, so a row's result holds for all objects that
/// reference the row.
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
