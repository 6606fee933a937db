public import Foundation

extension Optional: _ManagedValue where Wrapped: _ManagedValue {
  /// The value converted to the wrapped type, or nothing if it has another type.
  public static func _read(_ stored: Any) -> Wrapped?? { Wrapped._read(stored).map(Optional.some) }
  /// Whether the wrapped type can hold the members of a to-many relationship.
  @inlinable public static var _isCollection: Bool { Wrapped._isCollection }
  /// The members of a to-many relationship in the wrapped type.
  @inlinable
  public static func _gather(_ members: [NSManagedObject], isOrdered: Bool) -> Wrapped?? {
    Wrapped._gather(members, isOrdered: isOrdered).map(Optional.some)
  }
  /// Whether the wrapped type is a class of managed objects.
  @inlinable public static var _isDestination: Bool { Wrapped._isDestination }
  /// The destination in the wrapped type; nil if there is none.
  @inlinable
  public static func _reach(_ destination: NSManagedObject?) -> Wrapped?? {
    guard let destination else { return .some(nil) }
    return Wrapped._reach(destination).map(Optional.some)
  }
  /// The wrapped value as a destination.
  @inlinable public var _destination: NSManagedObject? {
    guard let self else { return nil }
    return self._destination
  }
  /// Nil: an optional property may have no value.
  public static var _absent: Wrapped?? { .some(nil) }
  /// The wrapped value as it is stored, if there is one.
  public var _stored: Any? { flatMap { $0._stored } }
  /// The wrapped value as a date attribute stores it, if there is one.
  public var _storedDate: Date? { flatMap { $0._storedDate } }
  /// The wrapped type's value for a probing object, so that a key path can continue through it.
  public static func _probed(by probe: _Probe) -> Wrapped?? { .some(Wrapped._probed(by: probe)) }
}

/// A value that is stored without conversion.
///
/// For generated code.
public protocol _PlainManagedValue: _ManagedValue {}

extension _PlainManagedValue {
  /// The value, or nil if it has another type.
  public static func _read(_ stored: Any) -> Self? { stored as? Self }
  /// The value itself.
  public var _stored: Any? { self }
}

extension String: _PlainManagedValue {
  /// The empty string, as Foundation bridges a missing one.
  public static var _absent: String? { "" }
}

extension Data: _PlainManagedValue {
  /// Empty data, as Foundation bridges missing data.
  public static var _absent: Data? { Data() }
}

extension Decimal: _PlainManagedValue {
  /// The number, or nil if the value is not a number.
  public static func _read(_ stored: Any) -> Decimal? { (stored as? NSNumber)?.decimalValue }
  /// Zero, as Foundation bridges a missing number.
  public static var _absent: Decimal? { 0 }
  /// The number as an `NSDecimalNumber`.
  public var _stored: Any? { NSDecimalNumber(decimal: self) }
}

extension Date: _PlainManagedValue {
  /// Nil: only an optional property may have no date.
  public static var _absent: Date? { nil }
  /// The reference date.
  public static func _probed(by probe: _Probe) -> Date? { Date(timeIntervalSinceReferenceDate: 0) }
}

extension UUID: _PlainManagedValue {
  /// Nil: only an optional property may have no identifier.
  public static var _absent: UUID? { nil }
  /// The identifier with all bits zero.
  public static func _probed(by probe: _Probe) -> UUID? {
    UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  }
}

extension URL: _PlainManagedValue {
  /// Nil: only an optional property may have no URL.
  public static var _absent: URL? { nil }
  /// The root folder.
  public static func _probed(by probe: _Probe) -> URL? { URL(fileURLWithPath: "/") }
}

extension Array: _ManagedValue {
  /// The elements of an array or ordered set, or nil if one has another type.
  public static func _read(_ stored: Any) -> [Element]? {
    guard let elements = (stored as? NSOrderedSet)?.array ?? (stored as? [Any]) else { return nil }
    return castElements(of: elements)
  }
  /// True: an array holds the members of an ordered relationship.
  @inlinable public static var _isCollection: Bool { true }
  /// The members of an ordered relationship.
  public static func _gather(_ members: [NSManagedObject], isOrdered: Bool) -> [Element]? {
    isOrdered ? castElements(of: members) : nil
  }
  /// No elements.
  public static var _absent: [Element]? { [] }
  /// The array itself.
  public var _stored: Any? { self }
}

extension Set: _ManagedValue {
  /// The elements of a set, or nil if one has another type.
  public static func _read(_ stored: Any) -> Set<Element>? {
    if let set = stored as? Set<Element> { return set }
    guard let elements = (stored as? NSSet)?.allObjects ?? (stored as? NSOrderedSet)?.array,
      let cast: [Element] = castElements(of: elements)
    else { return nil }
    return Set(cast)
  }
  /// True: a set holds the members of a relationship.
  @inlinable public static var _isCollection: Bool { true }
  /// The members of a relationship.
  ///
  /// If the compiler knows the members' class, as in an accessor, this takes a fifth of the time.
  @inlinable
  public static func _gather(_ members: [NSManagedObject], isOrdered: Bool) -> Set<Element>? {
    var set = Set(minimumCapacity: members.count)
    for member in members {
      guard let member = member as? Element else { return nil }
      // `insert` would return the member, retained once more.
      set.update(with: member)
    }
    return set
  }
  /// No elements.
  public static var _absent: Set<Element>? { [] }
  /// The set itself.
  public var _stored: Any? { self }
}

extension Dictionary: _ManagedValue {
  /// The dictionary, or nil if the value has another type.
  public static func _read(_ stored: Any) -> [Key: Value]? { stored as? [Key: Value] }
  /// No entries.
  public static var _absent: [Key: Value]? { [:] }
  /// The dictionary itself.
  public var _stored: Any? { self }
}

extension NSObject: _ManagedValue {
  /// The object, or nil if it has another class.
  public static func _read(_ stored: Any) -> Self? { stored as? Self }
  /// Whether this is the class of a Foundation set.
  @inlinable public static var _isCollection: Bool {
    self == NSSet.self || self == NSOrderedSet.self
  }
  /// The members of a relationship, if the type matches the relationship's kind of set.
  public static func _gather(_ members: [NSManagedObject], isOrdered: Bool) -> Self? {
    if isOrdered { return self == NSOrderedSet.self ? NSOrderedSet(array: members) as? Self : nil }
    return self == NSSet.self ? NSSet.of(members) as? Self : nil
  }
  /// Whether this is a class of managed objects.
  @inlinable public static var _isDestination: Bool { self is NSManagedObject.Type }
  /// The destination, or nil if there is none or it has another class.
  @inlinable
  public static func _reach(_ destination: NSManagedObject?) -> Self? { destination as? Self }
  /// The object itself, if it is a managed object.
  @inlinable public var _destination: NSManagedObject? { self as? NSManagedObject }
  /// Nil: only an optional property may have no object.
  public static var _absent: Self? { nil }
  /// The object itself.
  public var _stored: Any? { self }
  /// For a managed object class, an object that reports to the same probe.
  public static func _probed(by probe: _Probe) -> Self? {
    (self as? NSManagedObject.Type)?.probe(reportingTo: probe.probe) as? Self
  }
}

/// The elements converted to another type, or nil if one of them has another type.
private func castElements<Element, Wanted>(of elements: [Element]) -> [Wanted]? {
  var cast: [Wanted] = []
  cast.reserveCapacity(elements.count)
  for element in elements {
    guard let wanted = element as? Wanted else { return nil }
    cast.append(wanted)
  }
  return cast
}
