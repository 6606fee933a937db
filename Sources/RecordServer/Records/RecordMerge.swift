import CloudRecords
import CloudSchema
import CloudWire

/// Merges the fields of a saved record.
enum RecordMerge {
  /// Merges the fields from a client into the existing ones.
  ///
  /// - Parameter replaces: Whether fields that the client did not send are removed.
  static func fields(
    _ sent: [RecordInput.NamedField], over old: RecordFields, replaces: Bool,
    as type: RecordTypeDefinition?
  ) throws(CloudError) -> RecordFields {
    var fields = replaces ? RecordFields(capacity: sent.count) : old
    for entry in sent {
      fields[entry.name] = try field(entry.field, named: entry.name, as: type)
    }
    return fields
  }

  private static func field(
    _ input: FieldInput, named name: String, as type: RecordTypeDefinition?
  ) throws(CloudError) -> Field? {
    let datatype =
      type?[field: name]?.datatype
      ?? type.flatMap { SystemType(rawValue: $0.name)?.field(named: name)?.datatype }
    switch input.content {
    case .clear: return nil
    case .stated(let value):
      return Field(
        datatype?.stored(value) ?? value, isEncrypted: input.isEncrypted,
        isOpaqueCiphertext: input.isOpaqueCiphertext)
    case .inferred(let value):
      if let wanted = datatype?.fieldType, let fitting = input.value(as: wanted) {
        return Field(fitting, isEncrypted: input.isEncrypted)
      }
      return Field(datatype?.stored(value) ?? value, isEncrypted: input.isEncrypted)
    case .emptyList:
      guard let wanted = datatype?.fieldType, let empty = input.value(as: wanted) else {
        // A list of numbers whose type the schema does not know yet.
        return datatype?.isList == true ? Field(.list(of: .int64, [])) : nil
      }
      return Field(empty, isEncrypted: input.isEncrypted)
    }
  }

  /// The written fields, for validation by the schema.
  static func written(_ sent: [RecordInput.NamedField], recordType: String) -> WrittenRecord {
    WrittenRecord(
      recordType: recordType,
      fields: sent.map { entry in
        let type: WrittenType =
          switch entry.field.content {
          case .clear: .null
          case .stated where entry.field.isOpaqueCiphertext: .sealed
          case .stated(let value): .named(value.type)
          case .inferred(let value): .inferred(value.type)
          case .emptyList: .emptyList
          }
        return WrittenField(name: entry.name, type: type, isEncrypted: entry.field.isEncrypted)
      })
  }
}
