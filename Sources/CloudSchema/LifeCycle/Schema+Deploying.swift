extension Schema {
  /// Returns production's schema after the deployment of this schema, which is development's.
  ///
  /// Deployed applications rely on production's schema, so it gains types, fields, indexes and
  /// permissions, and loses none. If anything prevents the deployment, all issues are reported and
  /// nothing is deployed.
  ///
  /// - Parameter revokingPermissions: Whether production also loses the roles and permissions that
  ///   development does not have. This revokes mistaken grants and deletes no data.
  package func deployed(
    to production: Schema, revokingPermissions: Bool = false
  ) throws(SchemaIssues) -> Schema {
    var issues = SchemaIssues()
    for change in SchemaDifference(from: production, to: self).changes where !change.isAddition {
      if change.isRevocation, revokingPermissions { continue }
      guard let sentence = change.rejectionByProduction else { continue }
      issues.append(SchemaIssue(sentence, remedy: change.remedyBeforeDeploying))
    }
    try issues.throwIfAny()
    return self
  }
}

extension SchemaChange {
  /// The remedy that removes the step from a deployment.
  fileprivate var remedyBeforeDeploying: String {
    switch self {
    case .removeRole, .revoke:
      "Grant it in development again, or deploy and revoke permissions."
    case .removeIndexes:
      "Applications may query by it: mark the field in development again."
    case .changeDatatype:
      "Types never change: reset development to production, and give the new values a field with another name."
    default:
      "Applications may use it: import a schema with it into development, or reset development to production."
    }
  }
}
