extension Schema {
  /// What development becomes when a schema is imported into it.
  ///
  /// The imported schema takes the place of development's, whose types, fields, indexes and
  /// permissions go where they are not mentioned. Production's types and fields must stay, since
  /// development's schema is deployed to it later. No field changes its type, for it may have
  /// values. Types of the system that are not mentioned stay as they are.
  ///
  /// - Throws: All that is wrong at once; then nothing is imported.
  package func importing(_ imported: Schema, production: Schema) throws(SchemaIssues)
    -> SchemaReplacement
  {
    let new = imported.withSystemTypes(of: self)
    var problems = SchemaIssues()
    for change in SchemaDifference(from: production, to: new).changes where change.losesValues {
      guard let sentence = change.refusalByProduction else { continue }
      problems.append(SchemaIssue(sentence, remedy: change.remedyBeforeImporting))
    }
    for change in SchemaDifference(from: self, to: new).changes where change.losesValues {
      guard let problem = change.problemOfRetyping(production) else { continue }
      problems.append(problem)
    }
    try problems.throwIfAny()
    return SchemaReplacement(of: self, by: new)
  }

  /// What development becomes when it is reset to production's definition; the server erases all of
  /// its records.
  package func reset(to production: Schema) -> SchemaReplacement {
    SchemaReplacement(of: self, by: production)
  }

  private func withSystemTypes(of current: Schema) -> Schema {
    var schema = self
    for type in SystemType.allCases
    where !defines(type: type.rawValue) && current.defines(type: type.rawValue) {
      if let definition = current[type: type.rawValue] { schema.define(definition) }
    }
    return schema
  }
}

extension SchemaChange {
  fileprivate var remedyBeforeImporting: String {
    if case .changeDatatype = self {
      return
        "Types never change: keep production's, and give the new values a field with another name."
    }
    return "Put it into the schema that is imported: production keeps what it has."
  }

  /// What refuses a field of another type in development; nil for other steps, and where production
  /// refuses already.
  fileprivate func problemOfRetyping(_ production: Schema) -> SchemaIssue? {
    guard case .changeDatatype(let field, let type, let old, let new) = self else { return nil }
    if let deployed = production[type: type]?[field: field], !deployed.datatype.canBecome(new) {
      return nil
    }
    return SchemaIssue(
      "The field '\(field)' in record '\(type)' is \(old.schemaText) and would become \(new.schemaText).",
      remedy: """
        Types never change: give the new values a field with another name, or import a schema without this one first, \
        which erases its values in development.
        """)
  }
}
