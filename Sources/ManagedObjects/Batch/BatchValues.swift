import Foundation
import ManagedObjectModel
import ObjectRows
import PredicateLanguage

/// Sets attributes of rows to the values of a batch request.
struct BatchValues {
  let layout: RowLayout
  /// The attributes that the store computes.
  private let derived: OrdinalSet

  init(layout: RowLayout) {
    self.layout = layout
    derived = OrdinalSet(
      layout.properties.indices.filter {
        layout.properties[$0] is NSDerivedAttributeDescription
      })
  }

  /// A value that cannot be set, with the reason.
  struct Refusal: Error {
    let key: String
    let reason: String
  }

  /// Sets an attribute, and returns its ordinal; returns nil for a transient attribute.
  func set(_ key: String, to value: Any, in row: RowReference) throws -> Int? {
    guard let ordinal = layout.ordinal(of: key) else {
      throw Refusal(key: key, reason: "the entity has no such attribute.")
    }
    let slot = layout.slot(ordinal)
    if slot.isStored, !derived.contains(ordinal), setPlain(value, slot, in: row) { return ordinal }
    let attribute = try attribute(ordinal, key)
    guard !attribute.isTransient else { return nil }
    try set(attribute, ordinal, to: unwrapped(value), in: row)
    return ordinal
  }

  /// The attribute with an ordinal, if a request can set it.
  func attribute(_ ordinal: Int, _ key: String) throws -> NSAttributeDescription {
    let property = layout.properties[ordinal]
    if property is NSDerivedAttributeDescription {
      throw Refusal(key: key, reason: "it is a derived attribute, which the store computes.")
    }
    if property is NSRelationshipDescription {
      throw Refusal(
        key: key, reason: "batch requests cannot change relationships. Set it in a context.")
    }
    guard let attribute = property as? NSAttributeDescription else {
      throw Refusal(key: key, reason: "it is no attribute.")
    }
    return attribute
  }

  /// Sets the most frequent types without boxing the value; returns false for all others.
  @inline(__always)
  private func setPlain(_ value: Any, _ slot: RowSlot, in row: RowReference) -> Bool {
    let type = type(of: value)
    switch slot.kind {
    case .string where type == String.self:
      slot.store(value as? String, in: row)
    case .int64 where type == Int.self:
      slot.store(Int64(value as? Int ?? 0), in: row)
    case .int64 where type == Int64.self: slot.store(value as? Int64 ?? 0, in: row)
    case .double where type == Double.self: slot.store(value as? Double ?? 0, in: row)
    case .bool where type == Bool.self: slot.store(value as? Bool ?? false, in: row)
    case .date where type == Date.self:
      guard let date = value as? Date else { return false }
      slot.store(date.timeIntervalSinceReferenceDate, in: row)
    case .uuid where type == UUID.self:
      guard let uuid = value as? UUID else { return false }
      slot.store(uuid, in: row)
    default: return false
    }
    return true
  }

  private func set(
    _ attribute: NSAttributeDescription, _ ordinal: Int, to value: Any?, in row: RowReference
  ) throws {
    guard let value else { return layout.setNil(layout.slot(ordinal), in: row) }
    let normalized = AttributeValue.normalized(value)
    try check(normalized, attribute, attribute.name)
    let boxed = try box(normalized, attribute)
    guard layout.setValue(boxed, ofAttribute: ordinal, in: row) else {
      throw mismatch(value, attribute, attribute.name)
    }
  }

  /// The value as a row stores it, with transformable values as bytes.
  private func box(_ value: Any, _ attribute: NSAttributeDescription) throws -> Any? {
    guard attribute.attributeType == .transformableAttributeType else {
      return BoxedAttribute.boxed(value, for: attribute)
    }
    return try AttributeTransformer(attribute).encode(value).map { EncodedValue($0) }
  }

  // MARK: Checks

  /// Checks the type of a value for an attribute, or for an element of a composite one.
  func check(_ attribute: NSAttributeDescription, _ value: Any, _ key: String) throws {
    guard let value = unwrapped(value) else { return }
    try check(AttributeValue.normalized(value), attribute, key)
  }

  private func check(_ value: Any, _ attribute: NSAttributeDescription, _ key: String) throws {
    if let composite = attribute as? NSCompositeAttributeDescription {
      return try check(value, composite, key)
    }
    switch attribute.attributeType {
    case .integer16AttributeType:
      try check(value, fits: Int64(Int16.min)...Int64(Int16.max), attribute, key)
    case .integer32AttributeType:
      try check(value, fits: Int64(Int32.min)...Int64(Int32.max), attribute, key)
    case .integer64AttributeType:
      try check(value, fits: Int64.min...Int64.max, attribute, key)
    case .decimalAttributeType:
      guard value is NSNumber else { throw mismatch(value, attribute, key) }
    default:
      guard AttributeValue.fits(value, attribute.attributeType) else {
        throw mismatch(value, attribute, key)
      }
    }
  }

  private func check(
    _ value: Any, fits range: ClosedRange<Int64>, _ attribute: NSAttributeDescription,
    _ key: String
  ) throws {
    guard let number = value as? NSNumber else { throw mismatch(value, attribute, key) }
    guard range.contains(number.int64Value), isWithin64Bits(number) else {
      throw Refusal(
        key: key,
        reason: "it holds numbers from \(range.lowerBound) to \(range.upperBound), not \(number).")
    }
  }

  /// Whether the integer part of a number fits in 64 bits.
  ///
  /// The `doubleValue` of the largest 64-bit integers rounds up to 2^63, which is outside of the
  /// range. So their texts are compared.
  private func isWithin64Bits(_ number: NSNumber) -> Bool {
    (-0x1p63..<0x1p63).contains(number.doubleValue)
      || number.stringValue == "\(number.int64Value)"
  }

  private func check(_ value: Any, _ composite: NSCompositeAttributeDescription, _ key: String)
    throws
  {
    guard let values = value as? [String: Any] else { throw mismatch(value, composite, key) }
    for (name, value) in values.sorted(by: { $0.key < $1.key }) {
      let path = "\(key).\(name)"
      guard let element = composite.elements.first(where: { $0.name == name }) else {
        throw Refusal(key: path, reason: "the composite attribute has no such element.")
      }
      guard let value = unwrapped(value) else { continue }
      try check(AttributeValue.normalized(value), element, path)
    }
  }

  private func mismatch(_ value: Any, _ attribute: NSAttributeDescription, _ key: String)
    -> Refusal
  {
    Refusal(
      key: key,
      reason:
        "it takes a \(attribute.attributeValueClassName ?? "value"), not a \(type(of: value)).")
  }
}
