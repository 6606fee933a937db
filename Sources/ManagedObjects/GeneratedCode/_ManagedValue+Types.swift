public import Foundation

extension Optional: _ManagedValue where Wrapped: _ManagedValue {
  /// The value in the wrapped type, or nil where it is of another kind.
  public static func _read(_ stored: Any) -> Wrapped?? { Wrapped._read(stored).map(Optional.some) }
  /// Whether the wrapped type may stand for the members of a to-many relationship.
  @inlinable public static var _isCollection: Bool { Wrapped._isCollection }
  /// The members of a to-many relationship in the wrapped type.
  @inlinable
  public static func _gather(_ members: [NSManagedObject], isOrdered: Bool) -> Wrapped?? {
    Wrapped._gather(members, isOrdered: isOrdered).map(Optional.some)
  }
  /// Nil: an optional property may be without a value.
  public static var _absent: Wrapped?? { .some(nil) }
  /// What to store for the wrapped value, if there is one.
  public var _stored: Any? { flatMap { $0._stored } }
  /// What a required property of the wrapped type reads as, so that a path can go on through it.
  public static func _probed(by probe: _Probe) -> Wrapped?? { .some(Wrapped._probed(by: probe)) }
}

/// A value that is stored as it is.
///
/// For generated code.
public protocol _PlainManagedValue: _ManagedValue {}

extension _PlainManagedValue {
  /// The value, or nil where it is of another kind.
  public static func _read(_ stored: Any) -> Self? { stored as? Self }
  /// The value itself.
  public var _stored: Any? { self }
}

extension String: _PlainManagedValue {
  /// The empty text, as Foundation bridges a missing one.
  public static var _absent: String? { "" }
}

extension Data: _PlainManagedValue {
  /// No bytes, as Foundation bridges missing ones.
  public static var _absent: Data? { Data() }
}

extension Decimal: _PlainManagedValue {
  /// The number, or nil where the value is none.
  public static func _read(_ stored: Any) -> Decimal? { (stored as? NSNumber)?.decimalValue }
  /// Zero, as Foundation bridges a missing number.
  public static var _absent: Decimal? { 0 }
  /// The number in a box.
  public var _stored: Any? { NSDecimalNumber(decimal: self) }
}

extension Date: _PlainManagedValue {
  /// Nothing: only an optional property may be without a date.
  public static var _absent: Date? { nil }
  /// The reference date.
  public static func _probed(by probe: _Probe) -> Date? { Date(timeIntervalSinceReferenceDate: 0) }
}

extension UUID: _PlainManagedValue {
  /// Nothing: only an optional property may be without an identifier.
  public static var _absent: UUID? { nil }
  /// The identifier of zeros.
  public static func _probed(by probe: _Probe) -> UUID? {
    UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  }
}

extension URL: _PlainManagedValue {
  /// Nothing: only an optional property may be without an address.
  public static var _absent: URL? { nil }
  /// The root folder.
  public static func _probed(by probe: _Probe) -> URL? { URL(fileURLWithPath: "/") }
}

extension Array: _ManagedValue {
  /// The elements of an array or ordered set, or nil where one is of another kind.
  public static func _read(_ stored: Any) -> [Element]? {
    guard let elements = (stored as? NSOrderedSet)?.array ?? (stored as? [Any]) else { return nil }
    return castElements(of: elements)
  }
  /// True: the members of an ordered relationship.
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
  /// The elements of a set, or nil where one is of another kind.
  public static func _read(_ stored: Any) -> Set<Element>? {
    if let set = stored as? Set<Element> { return set }
    guard let elements = (stored as? NSSet)?.allObjects ?? (stored as? NSOrderedSet)?.array,
      let cast: [Element] = castElements(of: elements)
    else { return nil }
    return Set(cast)
  }
  /// True: the members of a relationship.
  @inlinable public static var _isCollection: Bool { true }
  /// The members of a relationship.
  ///
  /// Where the compiler knows the class of the members, as it does in an accessor, this takes a
  /// fifth of the time.
  @inlinable
  public static func _gather(_ members: [NSManagedObject], isOrdered: Bool) -> Set<Element>? {
    var set = Set(minimumCapacity: members.count)
    for member in members {
      guard let member = member as? Element else { return nil }
      // An insertion would give back the member, held once more.
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
  /// The dictionary, or nil where the value is of another kind.
  public static func _read(_ stored: Any) -> [Key: Value]? { stored as? [Key: Value] }
  /// No entries.
  public static var _absent: [Key: Value]? { [:] }
  /// The dictionary itself.
  public var _stored: Any? { self }
}

extension NSObject: _ManagedValue {
  /// The object, or nil where it is of another class.
  public static func _read(_ stored: Any) -> Self? { stored as? Self }
  /// Whether this is the class of a Foundation set.
  @inlinable public static var _isCollection: Bool {
    self == NSSet.self || self == NSOrderedSet.self
  }
  /// The members of a relationship, where they are wanted as the kind of set that the relationship
  /// has.
  public static func _gather(_ members: [NSManagedObject], isOrdered: Bool) -> Self? {
    if isOrdered { return self == NSOrderedSet.self ? NSOrderedSet(array: members) as? Self : nil }
    return self == NSSet.self ? NSSet.of(members) as? Self : nil
  }
  /// Nothing: only an optional property may be without an object.
  public static var _absent: Self? { nil }
  /// The object itself.
  public var _stored: Any? { self }
  /// For a managed object's class, an object that reports to the same probe.
  public static func _probed(by probe: _Probe) -> Self? {
    (self as? NSManagedObject.Type)?.probe(reportingTo: probe.probe) as? Self
  }
}

/// The elements in another type, or nil where one of them is of another kind.
private func castElements<Element, Wanted>(of elements: [Element]) -> [Wanted]? {
  var cast: [Wanted] = []
  cast.reserveCapacity(elements.count)
  for element in elements {
    guard let wanted = element as? Wanted else { return nil }
    cast.append(wanted)
  }
  return cast
}
