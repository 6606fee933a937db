/// One difference between two schemas, as a step from the first to the second.
package enum SchemaChange: Hashable, Sendable {
  case addRole(String)
  case removeRole(String)
  case addType(RecordTypeDefinition)
  case removeType(RecordTypeDefinition)
  case addField(FieldDefinition, type: String)
  case removeField(FieldDefinition, type: String)
  case changeDatatype(field: String, type: String, from: Datatype, to: Datatype)
  /// `field` has the datatype that it has after the step, and no indexes. It may be a system field,
  /// with its name in schemas.
  case addIndexes(FieldIndexes, field: FieldDefinition, type: String)
  case removeIndexes(FieldIndexes, field: FieldDefinition, type: String)
  case grant(RecordPermissions, role: String, type: String)
  case revoke(RecordPermissions, role: String, type: String)
}

extension SchemaChange {
  /// Whether the step removes nothing.
  ///
  /// Without `revokingPermissions`, a deployment has only such steps.
  package var isAddition: Bool {
    switch self {
    case .addRole, .addType, .addField, .addIndexes, .grant: true
    case .changeDatatype(_, _, let old, let new): old.canBecome(new)
    case .removeRole, .removeType, .removeField, .removeIndexes, .revoke: false
    }
  }

  /// Whether the step erases values of records.
  package var losesValues: Bool {
    switch self {
    case .removeType, .removeField: true
    case .changeDatatype: !isAddition
    default: false
    }
  }

  /// Whether the step removes only permissions.
  package var isRevocation: Bool {
    switch self {
    case .removeRole, .revoke: true
    default: false
    }
  }

  /// The record type that the step changes; nil for roles.
  package var recordType: String? {
    switch self {
    case .addRole, .removeRole: nil
    case .addType(let type), .removeType(let type): type.name
    case .addField(_, let type), .removeField(_, let type), .changeDatatype(_, let type, _, _),
      .addIndexes(_, _, let type), .removeIndexes(_, _, let type), .grant(_, _, let type),
      .revoke(_, _, let type):
      type
    }
  }
}
