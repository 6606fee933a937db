extension Schema {
  /// Returns development's schema after a schema is imported into it.
  ///
  /// The imported schema replaces development's: types, fields, indexes and permissions that it
  /// does not mention are removed. System types that it does not mention do not change.
  /// Production's types and fields must remain, because development's schema is deployed to
  /// production later. A field cannot change its type, because it may have values.
  ///
  /// - Throws: All issues. Nothing is imported then.
  package func importing(_ imported: Schema, production: Schema) throws(SchemaIssues)
    -> SchemaReplacement
  {
    let new = imported.withSystemTypes(of: self)
    var issues = SchemaIssues()
    for change in SchemaDifference(from: production, to: new).changes where change.losesValues {
      guard let sentence = change.rejectionByProduction else { continue }
      issues.append(SchemaIssue(sentence, remedy: change.remedyBeforeImporting))
    }
    for change in SchemaDifference(from: self, to: new).changes where change.losesValues {
      guard let issue = change.issueOfRetyping(production) else { continue }
      issues.append(issue)
    }
    try issues.throwIfAny()
    return SchemaReplacement(of: self, by: new)
  }

  /// Returns development's schema after a reset to production's schema.
  ///
  /// The server erases all records of development.
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
    return "Add it to the imported schema: production keeps its types and fields."
  }

  /// The issue of a field that changes its type in development, or nil for other steps and for
  /// steps that production already rejects.
  fileprivate func issueOfRetyping(_ production: Schema) -> SchemaIssue? {
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
