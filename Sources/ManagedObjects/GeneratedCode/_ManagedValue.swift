public import Foundation
public import ObjectRows

/// A type that generated accessors can read and write.
///
/// For generated code.
public protocol _ManagedValue {
  /// Converts a stored value to this type, or returns nil if it has another type.
  static func _read(_ stored: Any) -> Self?

  /// Whether the type can hold the members of a to-many relationship.
  static var _isCollection: Bool { get }

  /// Returns the members of a to-many relationship in this type, or nil if they must be read by
  /// name.
  static func _gather(_ members: [NSManagedObject], isOrdered: Bool) -> Self?

  /// Whether the type is a class of managed objects, or an optional of one.
  static var _isDestination: Bool { get }

  /// Returns the destination of a to-one relationship in this type, or nothing if it must be read
  /// by name.
  static func _reach(_ destination: NSManagedObject?) -> Self?

  /// The value as the destination of a to-one relationship.
  var _destination: NSManagedObject? { get }

  /// The value of a property that has none, or nil if only an optional property may have none.
  static var _absent: Self? { get }

  /// The value as it is stored.
  var _stored: Any? { get }

  /// The value as a date attribute stores it; nil, the default, means `_stored`.
  var _storedDate: Date? { get }

  /// The value of a property of a probing object.
  static func _probed(by probe: _Probe) -> Self?

  /// Returns the value in a slot, or nothing if it must be read by name.
  static func _load(_ slot: RowSlot, _ row: RowReference) -> Self?
  /// Returns the value in a slot, nil for null, or nothing if it must be read by name.
  static func _loadOptional(_ slot: RowSlot, _ row: RowReference) -> Self??
  /// Stores the value in a slot, or returns false if it must be set by name.
  func _store(_ slot: RowSlot, _ row: RowReference) -> Bool
}

extension _ManagedValue {
  /// False: the type cannot hold several objects.
  @inlinable public static var _isCollection: Bool { false }
  /// Nil: the type cannot hold several objects.
  public static func _gather(_ members: [NSManagedObject], isOrdered: Bool) -> Self? { nil }

  /// False: the type is not a class of managed objects.
  @inlinable public static var _isDestination: Bool { false }
  /// Nil: the type is not a class of managed objects.
  @inlinable public static func _reach(_ destination: NSManagedObject?) -> Self? { nil }
  /// Nil: the value is not a managed object.
  @inlinable public var _destination: NSManagedObject? { nil }

  /// Nil: a date attribute stores the value like any other.
  public var _storedDate: Date? { nil }

  /// The value of a property without one: the key path ends here.
  public static func _probed(by probe: _Probe) -> Self? { _absent }
}

/// The state of an object that reports which of its properties are read.
///
/// For generated code.
public struct _Probe {
  let probe: ObjectProbe
}

// MARK: - Numbers

/// A numeric attribute type.
///
/// For generated code.
public protocol _ManagedNumber: _ManagedValue {
  /// Creates the number from an `NSNumber`.
  init(_managed number: NSNumber)
  /// The number as an `NSNumber`.
  var _number: NSNumber { get }
  /// The value of an attribute that has none.
  static var _zero: Self { get }
}

extension _ManagedNumber {
  /// The number in this type, or nil if the value is not a number.
  public static func _read(_ stored: Any) -> Self? {
    (stored as? NSNumber).map(Self.init(_managed:))
  }
  /// Zero, as Core Data's scalar accessors return it.
  public static var _absent: Self? { _zero }
  /// The number as an `NSNumber`.
  public var _stored: Any? { _number }
}

extension Int16: _ManagedNumber {
  /// Creates the number from an `NSNumber`.
  public init(_managed number: NSNumber) { self = number.int16Value }
  /// The number as an `NSNumber`.
  public var _number: NSNumber { NSNumber(value: self) }
  /// Zero.
  public static var _zero: Int16 { 0 }
}

extension Int32: _ManagedNumber {
  /// Creates the number from an `NSNumber`.
  public init(_managed number: NSNumber) { self = number.int32Value }
  /// The number as an `NSNumber`.
  public var _number: NSNumber { NSNumber(value: self) }
  /// Zero.
  public static var _zero: Int32 { 0 }
}

extension Int64: _ManagedNumber {
  /// Creates the number from an `NSNumber`.
  public init(_managed number: NSNumber) { self = number.int64Value }
  /// The number as an `NSNumber`.
  public var _number: NSNumber { NSNumber(value: self) }
  /// Zero.
  public static var _zero: Int64 { 0 }
}

extension Int: _ManagedNumber {
  /// Creates the number from an `NSNumber`.
  public init(_managed number: NSNumber) { self = number.intValue }
  /// The number as an `NSNumber`.
  public var _number: NSNumber { NSNumber(value: self) }
  /// Zero.
  public static var _zero: Int { 0 }
}

extension Double: _ManagedNumber {
  /// The number, or the seconds of a date since the reference date; nil if the value is neither.
  public static func _read(_ stored: Any) -> Double? {
    (stored as? NSNumber)?.doubleValue ?? (stored as? Date)?.timeIntervalSinceReferenceDate
  }
  /// The date that is the number of seconds after the reference date.
  public var _storedDate: Date? { Date(timeIntervalSinceReferenceDate: self) }
  /// Creates the number from an `NSNumber`.
  public init(_managed number: NSNumber) { self = number.doubleValue }
  /// The number as an `NSNumber`.
  public var _number: NSNumber { NSNumber(value: self) }
  /// Zero.
  public static var _zero: Double { 0 }
}

extension Float: _ManagedNumber {
  /// Creates the number from an `NSNumber`.
  public init(_managed number: NSNumber) { self = number.floatValue }
  /// The number as an `NSNumber`.
  public var _number: NSNumber { NSNumber(value: self) }
  /// Zero.
  public static var _zero: Float { 0 }
}

extension Bool: _ManagedNumber {
  /// Creates the number from an `NSNumber`.
  public init(_managed number: NSNumber) { self = number.boolValue }
  /// The number as an `NSNumber`.
  public var _number: NSNumber { NSNumber(value: self) }
  /// False.
  public static var _zero: Bool { false }
}
