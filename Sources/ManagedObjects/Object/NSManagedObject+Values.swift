import Foundation
import ManagedObjectModel
import ObjectRows

/// Values of properties by ordinal, in the form of key-value coding.
extension NSManagedObject {
  /// The current value: attributes as values, to-one relationships as objects, to-many
  /// relationships as sets.
  final func currentValue(_ ordinal: Int) -> Any? {
    switch layout.properties[ordinal] {
    case let attribute as NSAttributeDescription: attributeValue(attribute, ordinal, in: row)
    case let relationship as NSRelationshipDescription where relationship.isToMany:
      collection(of: members(ordinal).objects, relationship)
    case is NSRelationshipDescription: destination(ordinal)
    default: fetchedObjects(ordinal)
    }
  }

  /// The value of an attribute in one of the object's rows.
  ///
  /// Bytes that cannot be decoded stop the program.
  final func attributeValue(
    _ attribute: NSAttributeDescription, _ ordinal: Int, in row: RowReference
  ) -> Any? {
    do {
      return try readValue(attribute, ordinal, in: row)
    } catch {
      preconditionFailure("The value of \(place(attribute)) cannot be read. \(error)")
    }
  }

  /// The value of an attribute in one of the object's rows, or the error of decoding its bytes.
  final func readValue(_ attribute: NSAttributeDescription, _ ordinal: Int, in row: RowReference)
    throws -> Any?
  {
    guard let value = layout.value(ofAttribute: ordinal, in: row) else { return nil }
    // Only boxed slots: casting other values to a class would copy data into an object.
    guard layout.slots[ordinal].kind == .boxed, let box = value as? BoxedValue else { return value }
    return try open(box, attribute, ordinal, isCurrent: row == self.row)
  }

  private func open(
    _ box: BoxedValue, _ attribute: NSAttributeDescription, _ ordinal: Int, isCurrent: Bool
  ) throws -> Any? {
    if let decoded = box as? DecodedValue { return decoded.value }
    if isCurrent, let known = state?.decoded[ordinal] { return known }
    switch box {
    case let binary as BinaryValue: return binary.data
    case let encoded as EncodedValue:
      return try decode(encoded.data, attribute, ordinal, isCurrent: isCurrent)
    case let external as ExternalValue:
      // A missing file reads as nil, so that the object's other values stay usable.
      // `binaryData(forKey:)` reports it.
      guard let data = try? external.data() else { return nil }
      guard attribute.attributeType == .transformableAttributeType else { return data }
      return try decode(data, attribute, ordinal, isCurrent: isCurrent)
    default: return nil
    }
  }

  /// Decodes bytes.
  ///
  /// The decoded value is cached in the object, so that two objects never share one.
  private func decode(
    _ data: Data, _ attribute: NSAttributeDescription, _ ordinal: Int, isCurrent: Bool
  ) throws -> Any? {
    let value = try AttributeTransformer(attribute).decode(data)
    if isCurrent { ownState().decoded[ordinal] = value }
    return value
  }

  /// The value of an attribute as a document contains it: undecoded, unless it was set.
  ///
  /// A value that cannot be decoded thus stays as it is.
  final func storedValue(forKey name: String) -> Any? {
    prepareAccess()
    guard let ordinal = layout.ordinal(of: name) else { return nil }
    let value = layout.value(ofAttribute: ordinal, in: row)
    return value is DecodedValue ? primitiveValue(forKey: name) : value
  }

  /// Whether a value exists that cannot be read: its file is missing, or its bytes cannot be
  /// decoded.
  ///
  /// A save leaves it unchanged.
  final func isUnreadable(_ ordinal: Int) -> Bool {
    guard layout.slots[ordinal].kind == .boxed, !layout.slots[ordinal].isNull(in: row),
      let attribute = layout.properties[ordinal] as? NSAttributeDescription
    else { return false }
    return (try? readValue(attribute, ordinal, in: row)) == nil
  }

  /// Sets a property and updates the inverse of a relationship.
  ///
  /// The caller sends the change notifications of this object.
  final func setCurrentValue(_ value: Any?, _ ordinal: Int) {
    let property = layout.properties[ordinal]
    switch property {
    case let attribute as NSAttributeDescription: setAttribute(value, attribute, ordinal)
    case let relationship as NSRelationshipDescription where relationship.isToMany:
      relate(relationship, ordinal, to: objects(in: value, for: relationship))
    case let relationship as NSRelationshipDescription:
      relate(relationship, ordinal, to: related(value, for: relationship))
    default:
      preconditionFailure(
        "\(place(property)) is a fetched property: its value is the result of a fetch and cannot be set."
      )
    }
  }

  /// Sets a property without change notifications, and without updating the inverse.
  ///
  /// This alone does not mark the object as changed. If another change does, a save writes this
  /// value too.
  final func setPrimitive(_ value: Any?, _ ordinal: Int) {
    let property = layout.properties[ordinal]
    prepareAccess()
    switch property {
    case let attribute as NSAttributeDescription:
      recordForSave(ordinal, makeRowWritable())
      setAttribute(value, attribute, ordinal)
    case let relationship as NSRelationshipDescription where relationship.isToMany:
      let objects = objects(in: value, for: relationship)
      // The event keeps the former members, which only `beginChange(of:)` records otherwise.
      _ = makeRowWritable().event
      membersToReplace(ordinal).replace(with: unique(objects))
    case let relationship as NSRelationshipDescription:
      let object = related(value, for: relationship)
      let state = makeRowWritable()
      _ = state.event
      recordForSave(ordinal, state)
      setDestination(object, ordinal, state)
    default: preconditionFailure("\(place(property)) is a fetched property and cannot be set.")
    }
  }

  private func recordForSave(_ ordinal: Int, _ state: ObjectState) {
    if !flags.contains(.silent), !layout.properties[ordinal].isTransient {
      state.recordSet(ordinal)
    }
  }

  private func setAttribute(_ value: Any?, _ attribute: NSAttributeDescription, _ ordinal: Int) {
    state?.decoded[ordinal] = nil
    guard let value, !isNull(value) else { return layout.setNil(layout.slots[ordinal], in: row) }
    let normalized = AttributeValue.normalized(value)
    let isSet =
      AttributeValue.fits(normalized, attribute.attributeType)
      && layout.setValue(
        BoxedAttribute.boxed(normalized, for: attribute), ofAttribute: ordinal, in: row)
    precondition(
      isSet,
      "\(place(attribute)) takes a \(attribute.attributeValueClassName ?? "value") and was set to a \(type(of: value))."
    )
  }

  // MARK: Former values

  /// The row as last fetched or saved, or nil for an object that was never saved.
  final var committedRow: RowReference? {
    state?.committed?.row ?? (flags.contains(.stateful) ? nil : row)
  }

  final func committedValue(_ ordinal: Int) -> Any? {
    guard let committed = committedRow else { return nil }
    return formerValue(ordinal, in: committed) { $0.committed ?? $0.objects }
  }

  final func eventValue(_ ordinal: Int, _ event: ObjectEvent, _ state: ObjectState) -> Any? {
    guard let row = event.row ?? state.committed?.row else { return nil }
    if let object = event.destinations[ordinal] { return object }
    return formerValue(ordinal, in: row) { event.formerMembers(ordinal, of: $0) }
  }

  /// The value of a property in a former row of the object.
  ///
  /// - Parameter members: Returns a relationship's former members, given its loaded ones.
  private func formerValue(
    _ ordinal: Int, in row: RowReference, members: (ToManyMembers) -> [NSManagedObject]
  ) -> Any? {
    switch layout.properties[ordinal] {
    case let attribute as NSAttributeDescription: return attributeValue(attribute, ordinal, in: row)
    case let relationship as NSRelationshipDescription where relationship.isToMany:
      return collection(of: members(self.members(ordinal)), relationship)
    case is NSRelationshipDescription:
      let slot = layout.slots[ordinal]
      guard !slot.isNull(in: row) else { return nil }
      return context?.destination(slot.load(from: row, as: ToOneValue.self), of: self)
    default: return nil
    }
  }

  private func fetchedObjects(_ ordinal: Int) -> Any? {
    if let known = state?.decoded[ordinal] { return known }
    guard let context, let property = layout.properties[ordinal] as? NSFetchedPropertyDescription
    else { return nil }
    let objects = context.objects(ofFetchedProperty: property, of: self)
    ownState().decoded[ordinal] = objects
    return objects
  }

  // MARK: Messages

  /// The entity and property, for messages.
  final func place(_ property: NSPropertyDescription) -> String {
    "\(entity.name ?? "An entity without a name").\(property.name)"
  }

  final func stopForUndefined(_ key: String) -> Never {
    preconditionFailure(
      "The entity \(entity.name ?? "without a name") has no property \(key). Its properties are \(layout.properties.map(\.name).sorted().joined(separator: ", "))."
    )
  }

  /// A description of a few lines.
  ///
  /// Related objects are only counted or named, because they may refer back.
  final var summary: String {
    let address = "0x" + String(UInt(bitPattern: ObjectIdentifier(self)), radix: 16)
    let identifier = context == nil ? "" : "; id: \(objectID.description)"
    let data = flags.contains(.fault) ? "<fault>" : "{\(dataLines)\n}"
    return
      "<\(type(of: self)): \(address)> (entity: \(entity.name ?? "without a name")\(identifier); data: \(data))"
  }

  private var dataLines: String {
    layout.properties.indices.sorted { layout.properties[$0].name < layout.properties[$1].name }
      .map { "\n    \(layout.properties[$0].name) = \(summary(of: $0));" }.joined()
  }

  private func summary(of ordinal: Int) -> String {
    switch layout.properties[ordinal] {
    case let attribute as NSAttributeDescription:
      return isUnreadable(ordinal)
        ? "<cannot be read>" : attributeValue(attribute, ordinal, in: row).map { "\($0)" } ?? "nil"
    case let relationship as NSRelationshipDescription where relationship.isToMany:
      guard let members = state?.members[ordinal], members.isLoaded else {
        return "<relationship fault>"
      }
      return "\(members.objects.count) objects"
    case is NSRelationshipDescription:
      let slot = layout.slots[ordinal]
      if let object = state?.destinations[ordinal] {
        return "an object of \(object.entity.name ?? "an entity without a name")"
      }
      return slot.isNull(in: row) ? "nil" : "p\(slot.load(from: row, as: ToOneValue.self).key)"
    default: return "<fetched property>"
    }
  }
}
