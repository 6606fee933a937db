import ManagedObjectModel

/// The slot kind for a property's values.
func kind(of property: NSPropertyDescription) -> SlotKind {
  switch property {
  case let relationship as NSRelationshipDescription: relationship.isToMany ? .none : .toOne
  case let attribute as NSAttributeDescription: kind(of: attribute)
  default: .none
  }
}

private func kind(of attribute: NSAttributeDescription) -> SlotKind {
  switch attribute.attributeType {
  case .booleanAttributeType: .bool
  case .integer16AttributeType: .int16
  case .integer32AttributeType: .int32
  case .integer64AttributeType: .int64
  case .floatAttributeType: .float
  case .doubleAttributeType: .double
  case .dateAttributeType: .date
  case .UUIDAttributeType: .uuid
  case .decimalAttributeType: .decimal
  case .stringAttributeType: .string
  case .URIAttributeType: .url
  case .binaryDataAttributeType: attribute.allowsExternalBinaryDataStorage ? .boxed : .data
  case .transformableAttributeType, .undefinedAttributeType, .compositeAttributeType,
    .objectIDAttributeType:
    .boxed
  }
}

/// The kind of a relationship's members.
///
/// A layout stores it: reading it from the relationship costs a cast and a retain for each object.
package enum MemberKind: UInt8 {
  /// The property is not a to-many relationship.
  case none
  case unordered
  case ordered

  init(_ property: NSPropertyDescription) {
    switch property {
    case let relationship as NSRelationshipDescription where relationship.isToMany:
      self = relationship.isOrdered ? .ordered : .unordered
    default: self = .none
    }
  }
}

/// Places the slots of a row without padding between them.
struct SlotPlan {
  private var kinds: [(kind: SlotKind, isStored: Bool)] = []

  mutating func add(_ kind: SlotKind, isStored: Bool) { kinds.append((kind, isStored)) }

  func finish(startingAt start: Int) -> (slots: [RowSlot], stride: Int, nullBitmapOffset: Int) {
    var offsets = [Int](repeating: 0, count: kinds.count)
    var next = start
    for alignment in [8, 4, 2, 1] {
      for (ordinal, planned) in kinds.enumerated() where planned.kind.alignment == alignment {
        offsets[ordinal] = next
        next += planned.kind.bytes
      }
    }
    let slots = kinds.enumerated().map { ordinal, planned in
      RowSlot(
        offset: Int32(offsets[ordinal]), nullBit: Int32(next * 8 + ordinal), kind: planned.kind,
        isStored: planned.isStored)
    }
    let bitmapBytes = (kinds.count + 7) / 8
    return (slots, (next + bitmapBytes + 7) & ~7, next)
  }
}

extension SlotKind {
  /// The size of a slot in bytes; a multiple of its alignment, so that later slots stay aligned.
  var bytes: Int {
    switch self {
    case .none: 0
    case .bool: 1
    case .int16: 2
    case .int32, .float: 4
    case .decimal: 20
    case .int64, .double, .date, .boxed: 8
    case .uuid, .toOne, .string, .data, .url: 16
    }
  }

  var alignment: Int {
    switch self {
    case .none: 0
    case .bool: 1
    case .int16: 2
    case .int32, .float, .decimal: 4
    case .int64, .double, .date, .boxed, .uuid, .toOne, .string, .data, .url: 8
    }
  }
}
