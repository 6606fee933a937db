extension Schema {
  /// What production becomes when this schema, development's, is deployed to it.
  ///
  /// Deployed applications rely on production as it is: it gets types, fields, indexes and
  /// permissions, and loses none. All that stands in the way is told at once, and nothing is
  /// deployed.
  ///
  /// - Parameter revokingPermissions: Production also loses the roles and permissions that
  ///   development does not have: what was granted by mistake can be taken back, which costs nobody
  ///   data.
  package func deployed(
    to production: Schema, revokingPermissions: Bool = false
  ) throws(SchemaIssues) -> Schema {
    var problems = SchemaIssues()
    for change in SchemaDifference(from: production, to: self).changes where !change.isAddition {
      if change.isRevocation, revokingPermissions { continue }
      guard let sentence = change.refusalByProduction else { continue }
      problems.append(SchemaIssue(sentence, remedy: change.remedyBeforeDeploying))
    }
    try problems.throwIfAny()
    return self
  }
}

extension SchemaChange {
  /// What to do so that production need not take the step.
  fileprivate var remedyBeforeDeploying: String {
    switch self {
    case .removeRole, .revoke:
      "Grant it in development again, or deploy with the wish to revoke permissions."
    case .removeIndexes:
      "Applications may query by it: mark the field in development again."
    case .changeDatatype:
      "Types never change: reset development to production, and give the new values a field with another name."
    default:
      "Applications may use it: import a schema with it into development, or reset development to production."
    }
  }
}
