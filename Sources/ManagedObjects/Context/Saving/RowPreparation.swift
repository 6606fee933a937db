import Foundation
import ManagedObjectModel
import ObjectRows

/// Prepares an object's row for a store: permanent keys in relationships, encoded bytes in
/// transformable attributes.
struct RowPreparation {
  let object: NSManagedObject
  let plan: SavePlan
  /// The changed properties; nil for a new object, all of whose properties count as changed.
  let changed: OrdinalSet?

  @inline(__always)
  func prepare() throws {
    if object.row.key != object.key { object.row.key = object.key }
    if !plan.toOne.isEmpty { try settleDestinations() }
    if !plan.encoded.isEmpty { try encode() }
  }

  private func settleDestinations() throws {
    let layout = object.layout
    for ordinal in plan.toOne {
      let slot = layout.slot(ordinal)
      guard !slot.isNull(in: object.row) else { continue }
      let value = slot.load(from: object.row, as: ToOneValue.self)
      guard let destination = object.state?.destinations[ordinal] else {
        if value.key < 0 { throw SaveError.dangling(layout.properties[ordinal], of: object) }
        continue
      }
      let isChanged = changed?.contains(ordinal) ?? true
      guard isChanged ? destination.canBeReferenced(by: object) : destination.key > 0 else {
        throw SaveError.dangling(layout.properties[ordinal], of: object)
      }
      guard destination.storeNumber == object.storeNumber else {
        throw SaveError.otherStore(layout.properties[ordinal], of: object)
      }
      if value.key != destination.key {
        slot.store(ToOneValue(key: destination.key, layoutIndex: value.layoutIndex), in: object.row)
      }
    }
  }

  private func encode() throws {
    let layout = object.layout
    for box in plan.encoded {
      let slot = layout.slots[box.ordinal]
      guard let decoded = slot.load(from: object.row, as: BoxedValue?.self) as? DecodedValue else {
        continue
      }
      let data = try AttributeTransformer(box.attribute).encode(decoded.value)
      object.ownState().decoded[box.ordinal] = decoded.value
      if let data {
        slot.store(Optional<BoxedValue>.some(EncodedValue(data)), in: object.row)
      } else {
        layout.setNil(slot, in: object.row)
      }
    }
  }
}

extension NSManagedObject {
  /// Whether a save may write a reference to the object: it has a key, belongs to the same context
  /// and is not deleted.
  ///
  /// Imported objects may reference deleted ones, as they did at their origin.
  @inline(__always)
  final func canBeReferenced(by other: NSManagedObject) -> Bool {
    guard key > 0 else { return false }
    if !flags.contains(.deleted),
      unsafe heldRegistry?.toOpaque() == other.heldRegistry?.toOpaque()
    {
      return true
    }
    return other.context?.savesUnvalidated ?? false
  }
}
