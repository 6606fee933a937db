import CloudRecords

/// The steps from one schema to another: first roles, then types, each ordered by name.
package struct SchemaDifference: Hashable, Sendable {
  package private(set) var changes: [SchemaChange] = []

  package var isEmpty: Bool { changes.isEmpty }

  package init(from old: Schema, to new: Schema) {
    for role in old.roles.union(new.roles).sorted() {
      if !old.roles.contains(role) { changes.append(.addRole(role)) }
      if !new.roles.contains(role) { changes.append(.removeRole(role)) }
    }
    for name in Set((old.types + new.types).map(\.name)).sorted() {
      compare(old[type: name], new[type: name])
    }
  }

  private mutating func compare(_ old: RecordTypeDefinition?, _ new: RecordTypeDefinition?) {
    switch (old, new) {
    case (let old?, let new?): compare(old, new)
    case (nil, let new?): changes.append(.addType(new))
    case (let old?, nil): changes.append(.removeType(old))
    case (nil, nil): break
    }
  }

  private mutating func compare(_ old: RecordTypeDefinition, _ new: RecordTypeDefinition) {
    for field in SystemField.allCases {
      let definition = FieldDefinition(name: field.rawValue, datatype: .plain(field.type))
      compare(old[indexesOf: field], new[indexesOf: field], of: definition, in: new.name)
    }
    for name in Set((old.fields + new.fields).map(\.name)).sorted() {
      compare(old[field: name], new[field: name], in: new.name)
    }
    for role in Set(old.grants.roles + new.grants.roles).sorted() {
      compare(old.grants[role], new.grants[role], of: role, in: new.name)
    }
  }

  private mutating func compare(_ old: FieldDefinition?, _ new: FieldDefinition?, in type: String) {
    switch (old, new) {
    case (let old?, let new?):
      if old.datatype != new.datatype {
        changes.append(
          .changeDatatype(field: new.name, type: type, from: old.datatype, to: new.datatype))
      }
      compare(old.indexes, new.indexes, of: new, in: type)
    case (nil, let new?): changes.append(.addField(new, type: type))
    case (let old?, nil): changes.append(.removeField(old, type: type))
    case (nil, nil): break
    }
  }

  private mutating func compare(
    _ old: FieldIndexes, _ new: FieldIndexes, of field: FieldDefinition, in type: String
  ) {
    var plain = field
    plain.indexes = []
    let (added, removed) = (new.subtracting(old), old.subtracting(new))
    if !added.isEmpty { changes.append(.addIndexes(added, field: plain, type: type)) }
    if !removed.isEmpty { changes.append(.removeIndexes(removed, field: plain, type: type)) }
  }

  private mutating func compare(
    _ old: RecordPermissions, _ new: RecordPermissions, of role: String, in type: String
  ) {
    let (added, removed) = (new.subtracting(old), old.subtracting(new))
    if !added.isEmpty { changes.append(.grant(added, role: role, type: type)) }
    if !removed.isEmpty { changes.append(.revoke(removed, role: role, type: type)) }
  }
}
