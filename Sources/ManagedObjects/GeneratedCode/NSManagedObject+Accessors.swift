import Foundation
import ManagedObjectModel
public import ObjectRows

/// Functions for generated accessors.
///
/// The generator and these functions may change together, because sources that users write do not
/// call them. An accessor that knows its property's ordinal needs only a test of one word and a
/// load, unless the object is a fault.
extension NSManagedObject {
  /// Returns the value of a property.
  ///
  /// For generated code.
  @inlinable @inline(__always)
  public final func _get<Value: _ManagedValue>(_ ordinal: Int, _ key: StaticString) -> Value {
    if flags.isDisjoint(with: .slow), let value = Value._load(owner.slotTable[ordinal], row) {
      return value
    }
    return _getSlowly(ordinal, key)
  }

  /// Returns the value of a property that is not available in the row: of a fault, or a
  /// relationship.
  ///
  /// It is compiled with the property, and therefore knows the members' type.
  ///
  /// For generated code.
  @inlinable final func _getSlowly<Value: _ManagedValue>(_ ordinal: Int, _ key: StaticString)
    -> Value
  {
    if Value._isCollection, let members = _members(ordinal, key),
      let value = Value._gather(members.objects, isOrdered: members.isOrdered)
    {
      return value
    }
    if Value._isDestination, let destination = _destination(ordinal, key),
      let value = Value._reach(destination)
    {
      return value
    }
    return _getOutOfFault(ordinal, key)
  }

  /// Returns the value of a property of an object that may be a fault.
  ///
  /// For generated code.
  @usableFromInline final func _getOutOfFault<Value: _ManagedValue>(
    _ ordinal: Int, _ key: StaticString
  ) -> Value {
    guard prepareReading(ordinal, key) else { return _get(key.description) }
    let slot = owner.slotTable[ordinal]
    slot.loadText(in: row)
    return Value._load(slot, row) ?? _get(key.description)
  }

  /// Returns the members of a to-many relationship, or nil if the property must be read by name.
  ///
  /// For generated code.
  @usableFromInline final func _members(
    _ ordinal: Int, _ key: StaticString
  ) -> (objects: [NSManagedObject], isOrdered: Bool)? {
    guard prepareReading(ordinal, key) else { return nil }
    let kind = layout.memberKinds[ordinal]
    return kind == .none ? nil : (members(ordinal).objects, kind == .ordered)
  }

  /// Returns the destination of a to-one relationship, or nothing if the property must be read by
  /// name.
  ///
  /// For generated code.
  @usableFromInline final func _destination(_ ordinal: Int, _ key: StaticString)
    -> NSManagedObject??
  {
    guard prepareReading(ordinal, key), owner.slotTable[ordinal].kind == .toOne else { return nil }
    return .some(destination(ordinal))
  }

  /// Loads the object's values if necessary.
  ///
  /// Returns false if the property must be read by name.
  private func prepareReading(_ ordinal: Int, _ key: StaticString) -> Bool {
    guard flags.isDisjoint(with: [.probe, .observed, .otherOrdinals]) else { return false }
    if flags.contains(.checked) { context?.requireAccess("\(entityName).\(key) was read") }
    if flags.contains(.fault) { prepareAccess() }
    return true
  }

  /// Sets the value of a property.
  ///
  /// For generated code.
  @inlinable @inline(__always)
  public final func _set<Value: _ManagedValue>(
    _ ordinal: Int, _ key: StaticString, _ value: __owned Value
  ) {
    if flags.isDisjoint(with: .slow) {
      if !flags.contains(.writable) { _becomeWritable() }
      if value._store(owner.slotTable[ordinal], row) { return _noteSet(ordinal) }
      if Value._isDestination, _relate(ordinal, value._destination) { return }
    }
    _set(key.description, value)
  }

  /// Gives the object a private copy of its row and marks it as changed.
  ///
  /// For generated code.
  @usableFromInline final func _becomeWritable() { becomeWritable() }

  /// Sets a to-one relationship and updates the inverse.
  ///
  /// Returns false if the property must be set by name.
  ///
  /// For generated code.
  @usableFromInline final func _relate(_ ordinal: Int, _ object: NSManagedObject?) -> Bool {
    relate(ordinal, to: object)
  }

  /// Records a change of an object that the context already lists as changed.
  ///
  /// For generated code.
  @usableFromInline final func _noteSet(_ ordinal: Int) {
    guard flags.intersection([.stateful, .silent]) == .stateful else { return }
    // The state is not retained: no function called here releases it.
    unsafe Unmanaged.passUnretained(owner)._withUnsafeGuaranteedRef {
      unsafe unsafeDowncast($0, to: ObjectState.self).recordSet(ordinal)
    }
  }

  /// Returns the value of a property that is stored as a raw value.
  ///
  /// For generated code.
  public final func _get<Value: RawRepresentable>(_ ordinal: Int, _ key: StaticString) -> Value
  where Value.RawValue: _ManagedValue {
    _get(key.description)
  }

  /// Sets a property that is stored as a raw value.
  ///
  /// For generated code.
  public final func _set<Value: RawRepresentable>(
    _ ordinal: Int, _ key: StaticString, _ value: Value
  )
  where Value.RawValue: _ManagedValue {
    _set(key.description, value)
  }

  /// Returns the value of a property of any other type.
  ///
  /// For generated code.
  @_disfavoredOverload
  public final func _get<Value>(_ ordinal: Int, _ key: StaticString) -> Value {
    _get(key.description)
  }

  /// Sets a property of any other type.
  ///
  /// For generated code.
  @_disfavoredOverload
  public final func _set<Value>(_ ordinal: Int, _ key: StaticString, _ value: Value) {
    _set(key.description, value)
  }

  // MARK: By name

  /// Returns the value of a property.
  ///
  /// For generated code.
  public final func _get<Value: _ManagedValue>(_ key: String) -> Value {
    if let probe { return probed(key, by: probe) }
    return read(value(forKey: key), as: Value.self, of: key)
  }

  /// Returns the value of a property that is stored as a raw value.
  ///
  /// For generated code.
  public final func _get<Value: RawRepresentable>(_ key: String) -> Value
  where Value.RawValue: _ManagedValue {
    let raw: Value.RawValue = _get(key)
    guard let value = Value(rawValue: raw) else {
      preconditionFailure("\(place(key)) holds \(raw), which is not a \(Value.self).")
    }
    return value
  }

  /// Returns the value of a property of any other type.
  ///
  /// For generated code.
  @_disfavoredOverload
  public final func _get<Value>(_ key: String) -> Value {
    _ = probe?.record(key)
    let stored = probe == nil ? value(forKey: key) : nil
    guard let value = stored as? Value else { stop(key, holding: stored, insteadOf: Value.self) }
    return value
  }

  /// Sets a property.
  ///
  /// For generated code.
  public final func _set(_ key: String, _ value: some _ManagedValue) {
    setValue(stored(value, in: key), forKey: key)
  }

  /// Sets a property that is stored as a raw value.
  ///
  /// For generated code.
  public final func _set<Value: RawRepresentable>(_ key: String, _ value: Value)
  where Value.RawValue: _ManagedValue {
    setValue(stored(value.rawValue, in: key), forKey: key)
  }

  /// Sets a property of any other type.
  ///
  /// For generated code.
  @_disfavoredOverload
  public final func _set<Value>(_ key: String, _ value: Value) {
    setValue(flattened(value), forKey: key)
  }

  /// Returns the primitive value of a property.
  ///
  /// For generated code.
  public final func _getPrimitive<Value: _ManagedValue>(_ key: String) -> Value {
    if let probe { return probed(key, by: probe) }
    return read(primitiveValue(forKey: key), as: Value.self, of: key)
  }

  /// Sets the primitive value of a property.
  ///
  /// For generated code.
  public final func _setPrimitive(_ key: String, _ value: some _ManagedValue) {
    setPrimitiveValue(stored(value, in: key), forKey: key)
  }
}

extension NSManagedObject {
  private func read<Value: _ManagedValue>(_ stored: Any?, as type: Value.Type, of key: String)
    -> Value
  {
    guard let value = stored.map({ Value._read($0) }) ?? Value._absent else {
      stop(key, holding: stored, insteadOf: type)
    }
    return value
  }

  /// The value as the property stores it: a date attribute takes seconds as a date.
  private func stored(_ value: some _ManagedValue, in key: String) -> Any? {
    guard let date = value._storedDate, let ordinal = layout.ordinal(of: key),
      layout.slots[ordinal].kind == .date
    else { return value._stored }
    return date
  }

  private func probed<Value: _ManagedValue>(_ key: String, by probe: ObjectProbe) -> Value {
    guard let value = Value._probed(by: _Probe(probe: probe.record(key))) else {
      preconditionFailure(
        "A key path through \(place(key)) cannot be turned into text: its type is \(Value.self).")
    }
    return value
  }

  private func flattened<Value>(_ value: Value) -> Any? {
    let optional = value as Any?
    if case .some(let inner as any OptionalValue) = optional { return inner.value }
    return optional
  }

  private func place(_ key: String) -> String {
    "\(entity.name ?? "An entity without a name").\(key)"
  }

  private func stop<Value>(_ key: String, holding stored: Any?, insteadOf type: Value.Type) -> Never
  {
    guard let stored else {
      preconditionFailure(
        "\(place(key)) has no value, and its Swift type \(type) allows none. Make it optional.")
    }
    preconditionFailure(
      "\(place(key)) holds a \(Swift.type(of: stored)), but its Swift type is \(type).")
  }
}

/// An optional of any type.
private protocol OptionalValue {
  var value: Any? { get }
}

extension Optional: OptionalValue {
  fileprivate var value: Any? { map { $0 as Any } }
}
