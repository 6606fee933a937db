/// A container's environment: development or production.
///
/// The two share no data. A schema is deployed from development to production.
package enum CloudEnvironment: String, CaseIterable, Hashable, Sendable {
  /// Saving a record adds its type and its fields to the schema.
  case development
  /// The schema is fixed: it changes only by deployment.
  case production
}

/// A container in one environment.
///
/// A request accesses only this container and this environment.
package struct ContainerAddress: Hashable, Sendable {
  /// The container's identifier, such as `iCloud.com.example.notes`.
  package var container: String
  package var environment: CloudEnvironment

  package init(container: String, environment: CloudEnvironment) {
    self.container = container
    self.environment = environment
  }
}
