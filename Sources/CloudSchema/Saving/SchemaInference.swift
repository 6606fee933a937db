import CloudRecords

/// The rules for saving one record.
struct SchemaInference {
  let recordType: String
  /// The existing type, or nil for a new one.
  let definition: RecordTypeDefinition?
  let place: SaveContext
  let limits: ServiceLimits

  // MARK: Types

  func checkNewType(typeCount: Int) throws(CloudError) {
    if let defect = SchemaName.recordType.defect(in: recordType) {
      throw rejection(
        "The record type '\(recordType.asNameInSentence)' \(defect).", SchemaName.remedy)
    }
    guard place.environment == .development else {
      throw undeployed(
        "Cannot create new type \(recordType) in production schema.", "a record of this type")
    }
    guard typeCount < SchemaLimits.recordTypes else {
      throw rejection(
        "Cannot create new type \(recordType): the schema has \(SchemaLimits.recordTypes) record types, which is the maximum.",
        "Use one type for records with the same fields, or import a schema without unused types."
      )
    }
  }

  // MARK: Fields

  /// Returns the field to add to the schema, or nil if the field is known or its value is null.
  func check(_ field: WrittenField) throws(CloudError) -> FieldDefinition? {
    if field.type == .null { return nil }
    if field.isEncrypted, place.database == .public {
      throw rejection(
        "encrypted fields are not supported in the public database: field '\(field.name.asNameInSentence)' for type '\(recordType)'.",
        "Save the value as it is, neither with isEncrypted nor as ENCRYPTED_BYTES, or the record in a private database."
      )
    }
    guard let known = knownField(field.name) else { return try learn(field) }
    if !known.datatype.takes(field) { throw mismatch(field, known.datatype) }
    return nil
  }

  private func knownField(_ name: String) -> FieldDefinition? {
    definition?[field: name] ?? SystemType(rawValue: recordType)?.field(named: name)
  }

  private func learn(_ field: WrittenField) throws(CloudError) -> FieldDefinition {
    if let defect = SchemaName.field(of: recordType).defect(in: field.name) {
      throw rejection(
        "The field '\(field.name.asNameInSentence)' for type '\(recordType)' \(defect).",
        SchemaName.remedy)
    }
    guard place.environment == .development else {
      throw undeployed(
        "Cannot create or modify field '\(field.name)' in record '\(recordType)' in production schema.",
        "a record with this field")
    }
    guard let datatype = field.learnedDatatype else { throw unlearnable(field) }
    return FieldDefinition(name: field.name, datatype: datatype, indexes: datatype.learnedIndexes)
  }

  /// Checks that no new field is given twice.
  func checkSingle(_ fields: [FieldDefinition]) throws(CloudError) {
    var names: Set<String> = []
    for field in fields where !names.insert(field.name).inserted {
      throw rejection(
        "The field '\(field.name)' for type '\(recordType)' is given twice.", "Send it once.")
    }
  }

  func checkFieldCount(adding added: Int) throws(CloudError) {
    let count = (definition?.fieldCount ?? 0) + added
    guard count > limits.fieldsPerRecordType else { return }
    throw rejection(
      "The record type '\(recordType)' would have \(count) fields; at most \(limits.fieldsPerRecordType) are allowed.",
      "Move some of them to another record type, and reference its records.")
  }

  // MARK: Sentences

  private func rejection(_ sentence: String, _ remedy: String) -> CloudError {
    CloudError(.badRequest, "\(sentence) \(remedy)")
  }

  private func undeployed(_ sentence: String, _ what: String) -> CloudError {
    CloudError(
      .badRequest,
      "\(sentence) Save \(what) in development, or import a schema that defines it there, then deploy: parhelion schema deploy.",
      extension: .schemaNotDeployed)
  }

  private func mismatch(_ field: WrittenField, _ datatype: Datatype) -> CloudError {
    if field.isEncrypted, !datatype.isEncrypted {
      return rejection(
        "Attempt to save encrypted data in non encrypted field type: field '\(field.name)' for type '\(recordType)', defined to be: \(datatype.errorName).",
        "A plain field cannot become encrypted: use a field with another name for encrypted values."
      )
    }
    if field.isEncrypted, case .inferred = field.type, datatype.fieldType == .bytes {
      return rejection(
        "byte values must be base64 encoded: field '\(field.name)' for type '\(recordType)', defined to be: \(datatype.errorName).",
        "Encode the value, and name its type: BYTES.")
    }
    return rejection(
      "invalid attempt to set value type \(errorName(of: field, for: datatype)) for field '\(field.name)' for type '\(recordType)', defined to be: \(datatype.errorName).",
      remedy(for: field, datatype))
  }

  /// The written type in error messages.
  ///
  /// A value without a type counts as sealed bytes if the field is encrypted.
  private func errorName(of field: WrittenField, for datatype: Datatype) -> String {
    guard datatype.isEncrypted, case .inferred = field.type else { return field.errorName }
    return Datatype.encrypted(.bytes).errorName
  }

  private func remedy(for field: WrittenField, _ datatype: Datatype) -> String {
    let types =
      datatype.fieldType.map(\.name)
      ?? (datatype.isList ? "INT64_LIST or DOUBLE_LIST" : "INT64 or DOUBLE")
    if datatype.isEncrypted, place.database == .public {
      return
        "Encrypted fields are for private databases: use a field with another name for public values."
    }
    if datatype.isEncrypted {
      return "Send it with \"isEncrypted\": true and \"type\": \"\(types)\"."
    }
    return
      "Send a value of the type \(types), or give values of another type a field with another name: types never change."
  }

  private func unlearnable(_ field: WrittenField) -> CloudError {
    let place = "field '\(field.name)' for type '\(recordType)'"
    switch field.type {
    case .named(let type):
      return rejection(
        "Values of type \(type.name) cannot be encrypted: \(place).",
        "Save it without isEncrypted; assets are protected as they are, and references name records only."
      )
    case .inferred:
      return rejection(
        "byte values must be base64 encoded: \(place), which is encrypted and has no type.",
        "Name the type of the value that was encrypted, such as \"type\": \"STRING\".")
    case .sealed, .emptyList, .null:
      return rejection(
        "The members' type of an empty list cannot be learned: \(place).",
        "Name the list's type, such as STRING_LIST.")
    }
  }
}
