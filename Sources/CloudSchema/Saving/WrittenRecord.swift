package import CloudRecords

/// What a schema needs to know of a record that somebody saves.
package struct WrittenRecord: Sendable {
  package var recordType: String
  package var fields: [WrittenField]

  package init(recordType: String, fields: [WrittenField]) {
    self.recordType = recordType
    self.fields = fields
  }
}

/// A field of such a record: its name, and how the client said what it is.
package struct WrittenField: Hashable, Sendable {
  package var name: String
  package var type: WrittenType
  /// The client says that it sealed the value.
  package var isEncrypted: Bool

  package init(name: String, type: WrittenType, isEncrypted: Bool = false) {
    self.name = name
    self.type = type
    self.isEncrypted = isEncrypted
  }
}

/// How a client says what a value is.
package enum WrittenType: Hashable, Sendable {
  /// It named the type.
  case named(FieldType)
  /// It named none, and the value looks like this.
  case inferred(FieldType)
  /// It sealed the value, and only it knows the type: bytes to everybody else (`ENCRYPTED_BYTES`).
  case sealed
  /// It named none, and the value is a list without members.
  case emptyList
  /// The value is null: the field is cleared.
  case null
}

extension WrittenField {
  /// The datatype that a schema learns from the field; nil where it says too little.
  ///
  /// A number without a type becomes a NUMBER: whether it is always whole cannot be known.
  var learntDatatype: Datatype? {
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

  /// What the client wrote, in sentences of errors.
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
