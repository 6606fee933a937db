package import CloudRecords

/// The parts of a saved record that a schema checks.
package struct WrittenRecord: Sendable {
  package var recordType: String
  package var fields: [WrittenField]

  package init(recordType: String, fields: [WrittenField]) {
    self.recordType = recordType
    self.fields = fields
  }
}

/// A field of a saved record: its name, and its type as the client gave it.
package struct WrittenField: Hashable, Sendable {
  package var name: String
  package var type: WrittenType
  /// Whether the client marks the value as sealed.
  package var isEncrypted: Bool

  package init(name: String, type: WrittenType, isEncrypted: Bool = false) {
    self.name = name
    self.type = type
    self.isEncrypted = isEncrypted
  }
}

/// The type of a value as the client gave it.
package enum WrittenType: Hashable, Sendable {
  /// The client named the type.
  case named(FieldType)
  /// The client named no type, and the value has this form.
  case inferred(FieldType)
  /// The client sealed the value, and only the client knows its type. The server sees bytes
  /// (`ENCRYPTED_BYTES`).
  case sealed
  /// The client named no type, and the value is an empty list.
  case emptyList
  /// The value is null, which clears the field.
  case null
}

extension WrittenField {
  /// The datatype that a schema learns from the field, or nil if the type is unknown.
  ///
  /// A number without a type becomes a NUMBER, because later values may have fractions.
  var learnedDatatype: Datatype? {
    switch type {
    case .named(let type):
      isEncrypted ? (type.canBeEncrypted ? .encrypted(type) : nil) : .plain(type)
    case .inferred(let type):
      isEncrypted ? (type == .bytes ? .encrypted(.bytes) : nil) : Self.unnamed(type)
    case .sealed: .encrypted(.bytes)
    case .emptyList, .null: nil
    }
  }

  private static func unnamed(_ type: FieldType) -> Datatype {
    switch type {
    case .int64, .double: .number(preferred: nil)
    case .int64List, .doubleList: .numberList(preferred: nil)
    default: .plain(type)
    }
  }

  /// The written type in error messages.
  ///
  /// A sealed value without a type is bytes to the server.
  var errorName: String {
    switch type {
    case .named(let type): isEncrypted ? Datatype.encrypted(type).errorName : type.name
    case .inferred(let type): isEncrypted ? Datatype.encrypted(.bytes).errorName : type.name
    case .sealed: Datatype.encrypted(.bytes).errorName
    case .emptyList: "UNKNOWN_LIST"
    case .null: "NULL"
    }
  }
}
