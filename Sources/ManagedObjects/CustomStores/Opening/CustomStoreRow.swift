import Foundation
import ManagedObjectModel
import ObjectRows

/// A row that is filled with the values of a store of the program's class.
struct CustomStoreRow {
  let row: RowReference
  let layout: RowLayout

  /// Sets an attribute; nil and `NSNull` leave it without a value.
  ///
  /// - Throws: An error if the attribute cannot hold the value.
  func set(_ value: Any?, ofAttribute attribute: NSAttributeDescription, _ ordinal: Int) throws {
    guard let value, !isNull(value) else { return }
    let stored = try Self.stored(value, attribute)
    guard let stored else { return }
    guard Self.fits(stored, attribute), layout.setValue(stored, ofAttribute: ordinal, in: row)
    else { throw mismatch(value, attribute) }
  }

  /// Sets the destination of a to-one relationship.
  func set(_ destination: RowKey, ofRelationship ordinal: Int) {
    layout.slots[ordinal].store(
      ToOneValue(key: destination.key, layoutIndex: destination.layoutIndex), in: row)
  }

  /// The value as rows hold it, in a form that several contexts can share.
  private static func stored(_ value: Any, _ attribute: NSAttributeDescription) throws -> Any? {
    if value is BoxedValue { return value }
    guard attribute.attributeType == .transformableAttributeType else {
      return BoxedAttribute.boxed(value, for: attribute)
    }
    return try AttributeTransformer(attribute).encode(value).map(EncodedValue.init)
  }

  /// Whether a number is within the range of an integer attribute.
  private static func fits(_ value: Any, _ attribute: NSAttributeDescription) -> Bool {
    guard let number = value as? NSNumber else { return true }
    return switch attribute.attributeType {
    case .integer16AttributeType: Int16(exactly: number.int64Value) != nil
    case .integer32AttributeType: Int32(exactly: number.int64Value) != nil
    default: true
    }
  }

  private func mismatch(_ value: Any, _ attribute: NSAttributeDescription) -> StoreError {
    let place = "\(layout.entity.name ?? "").\(attribute.name)"
    return StoreError(
      .unfitValue,
      "The store's value of \(place) is a \(type(of: value)), which the attribute cannot "
        + "hold. Return a value of the attribute's type.",
      context: ["entity": layout.entity.name ?? "", "property": attribute.name])
  }
}

extension StoreError.Code {
  /// A store of the program's class returned a value that the model does not allow.
  static let unfitValue = Self("unfitValue", cocoaCode: 134060)
}
