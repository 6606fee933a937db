import ManagedObjectModel

/// The kind of value of an SQL expression.
enum ValueKind: Hashable {
  case boolean
  /// An integer with this number of bits.
  case integer(Int)
  case float, double, decimal
  case date
  case text, url
  case uuid
  case data(isTagged: Bool)
  case encoded(isTagged: Bool)
  /// The key of an entity's row, with the layout indexes of the entity and of its root.
  case key(layout: Int, root: Int)
  /// The number of an entity.
  case entity
  /// The number of an entity, compared by name.
  case entityName
  /// Any kind.
  case unknown
}

extension ValueKind {
  /// The kind of an attribute's values; nil if the attribute has no column of its own.
  init?(_ attribute: NSAttributeDescription) {
    let isTagged = attribute.allowsExternalBinaryDataStorage
    switch attribute.attributeType {
    case .booleanAttributeType: self = .boolean
    case .integer16AttributeType: self = .integer(16)
    case .integer32AttributeType: self = .integer(32)
    case .integer64AttributeType: self = .integer(64)
    case .floatAttributeType: self = .float
    case .doubleAttributeType: self = .double
    case .decimalAttributeType: self = .decimal
    case .dateAttributeType: self = .date
    case .stringAttributeType: self = .text
    case .URIAttributeType: self = .url
    case .UUIDAttributeType: self = .uuid
    case .binaryDataAttributeType: self = .data(isTagged: isTagged)
    case .transformableAttributeType: self = .encoded(isTagged: isTagged)
    case .undefinedAttributeType, .compositeAttributeType, .objectIDAttributeType: return nil
    }
  }

  /// The encoding of a constant that is compared with the expression.
  var storageForm: BindingEncoding {
    switch self {
    case .boolean, .integer, .float, .double, .decimal: .number
    case .date: .date
    case .text, .url: .text
    case .uuid: .uuid
    case .data(let isTagged): .data(isTagged: isTagged)
    case .encoded(let isTagged): .encoded(isTagged: isTagged)
    case .key(_, let root): .key(root: root)
    case .entity: .entity
    case .entityName: .entityName
    case .unknown: .own
    }
  }

  var isText: Bool { self == .text || self == .url || self == .unknown }

  var isNumber: Bool {
    switch self {
    case .boolean, .integer, .float, .double, .decimal, .unknown: true
    default: false
    }
  }

  /// Whether `<` has a meaning for the values.
  var isOrdered: Bool {
    switch self {
    case .encoded, .key, .entity, .entityName, .data(isTagged: true): false
    default: true
    }
  }
}

/// An SQL expression and its kind of value.
struct SQLValue {
  var text: SQLText
  var kind: ValueKind
  /// Whether it is a plain column, so that an index may serve it.
  var isColumn = false
  /// For a key, the SQL for the entity number of its row, if that varies.
  var entityNumber: SQLText?
  /// For a count, the test whether there is any row.
  var existence: SQLText?
}
