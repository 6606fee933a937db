public import Foundation
public import ObjectRows

/// A type that a generated accessor can read and write.
///
/// For generated code.
public protocol _ManagedValue {
  /// The value in this type, or nil where it is of another kind.
  static func _read(_ stored: Any) -> Self?

  /// Whether the type may stand for the members of a to-many relationship.
  static var _isCollection: Bool { get }

  /// The members of a to-many relationship in this type, or nothing where they have to be read by
  /// name.
  static func _gather(_ members: [NSManagedObject], isOrdered: Bool) -> Self?

  /// What a property without a value reads as, or nil where only an optional property may be
  /// without one.
  static var _absent: Self? { get }

  /// What to store for the value.
  var _stored: Any? { get }

  /// What the property of an object in probe mode reads as.
  static func _probed(by probe: _Probe) -> Self?

  /// The value in a slot, or nothing where it has to be read by name.
  static func _load(_ slot: RowSlot, _ row: RowReference) -> Self?
  /// The value in a slot, nil for null, or nothing where it has to be read by name.
  static func _loadOptional(_ slot: RowSlot, _ row: RowReference) -> Self??
  /// Sets a slot, or gives false where the value has to be set by name.
  func _store(_ slot: RowSlot, _ row: RowReference) -> Bool
}

extension _ManagedValue {
  /// False: no value of the type stands for several objects.
  @inlinable public static var _isCollection: Bool { false }
  /// Nothing: no value of the type stands for several objects.
  public static func _gather(_ members: [NSManagedObject], isOrdered: Bool) -> Self? { nil }

  /// Nothing to go on from: the value ends the path.
  public static func _probed(by probe: _Probe) -> Self? { _absent }
}

/// The mode of an object that reports which of its properties are read.
///
/// For generated code.
public struct _Probe {
  let probe: ObjectProbe
}

// MARK: - Numbers

/// A number type of an attribute.
///
/// For generated code.
public protocol _ManagedNumber: _ManagedValue {
  /// The number out of its box.
  init(_managed number: NSNumber)
  /// The number in a box.
  var _number: NSNumber { get }
  /// What an attribute without a value reads as.
  static var _zero: Self { get }
}

extension _ManagedNumber {
  /// The number in this type, or nil where the value is no number.
  public static func _read(_ stored: Any) -> Self? {
    (stored as? NSNumber).map(Self.init(_managed:))
  }
  /// Zero, as Core Data's scalar accessors give it.
  public static var _absent: Self? { _zero }
  /// The number in a box.
  public var _stored: Any? { _number }
}

extension Int16: _ManagedNumber {
  /// The number out of its box.
  public init(_managed number: NSNumber) { self = number.int16Value }
  /// The number in a box.
  public var _number: NSNumber { NSNumber(value: self) }
  /// Zero.
  public static var _zero: Int16 { 0 }
}

extension Int32: _ManagedNumber {
  /// The number out of its box.
  public init(_managed number: NSNumber) { self = number.int32Value }
  /// The number in a box.
  public var _number: NSNumber { NSNumber(value: self) }
  /// Zero.
  public static var _zero: Int32 { 0 }
}

extension Int64: _ManagedNumber {
  /// The number out of its box.
  public init(_managed number: NSNumber) { self = number.int64Value }
  /// The number in a box.
  public var _number: NSNumber { NSNumber(value: self) }
  /// Zero.
  public static var _zero: Int64 { 0 }
}

extension Int: _ManagedNumber {
  /// The number out of its box.
  public init(_managed number: NSNumber) { self = number.intValue }
  /// The number in a box.
  public var _number: NSNumber { NSNumber(value: self) }
  /// Zero.
  public static var _zero: Int { 0 }
}

extension Double: _ManagedNumber {
  /// The number out of its box.
  public init(_managed number: NSNumber) { self = number.doubleValue }
  /// The number in a box.
  public var _number: NSNumber { NSNumber(value: self) }
  /// Zero.
  public static var _zero: Double { 0 }
}

extension Float: _ManagedNumber {
  /// The number out of its box.
  public init(_managed number: NSNumber) { self = number.floatValue }
  /// The number in a box.
  public var _number: NSNumber { NSNumber(value: self) }
  /// Zero.
  public static var _zero: Float { 0 }
}

extension Bool: _ManagedNumber {
  /// The number out of its box.
  public init(_managed number: NSNumber) { self = number.boolValue }
  /// The number in a box.
  public var _number: NSNumber { NSNumber(value: self) }
  /// False.
  public static var _zero: Bool { false }
}
