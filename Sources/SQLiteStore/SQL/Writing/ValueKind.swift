import ManagedObjectModel

/// What an expression of SQL has as its value.
enum ValueKind: Hashable {
  case boolean
  /// A whole number of so many bits.
  case integer(Int)
  case float, double, decimal
  case date
  case text, url
  case uuid
  case data(isTagged: Bool)
  case encoded(isTagged: Bool)
  /// The key of a row of an entity, by the indexes of its layout and of its root's.
  case key(layout: Int, root: Int)
  /// The number of an entity.
  case entity
  /// The same, compared by name.
  case entityName
  /// Any of them.
  case unknown
}

extension ValueKind {
  /// What an attribute holds; nil where it is not stored.
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

  /// How a constant beside the expression is bound.
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

  /// Whether `<` means something for the values.
  var isOrdered: Bool {
    switch self {
    case .encoded, .key, .entity, .entityName, .data(isTagged: true): false
    default: true
    }
  }
}

/// An expression of SQL and what it has as its value.
struct SQLValue {
  var text: SQLText
  var kind: ValueKind
  /// Whether it is a column as it is, so that an index may serve it.
  var isColumn = false
  /// For a key, what gives the number of its row's entity, where that is not certain.
  var entityNumber: SQLText?
  /// For a number of rows, whether there is any.
  var existence: SQLText?
}
