/// Which of a container's two worlds a request means.
///
/// They share nothing but the schema that is deployed from one to the other.
package enum CloudEnvironment: String, CaseIterable, Hashable, Sendable {
  /// Types and fields are learnt from the records that are saved.
  case development
  /// Types and fields are those that were deployed.
  case production
}

/// A container in one environment: everything that a request can reach lies within one.
package struct ContainerAddress: Hashable, Sendable {
  /// The container's identifier, such as `iCloud.com.example.notes`.
  package var container: String
  package var environment: CloudEnvironment

  package init(container: String, environment: CloudEnvironment) {
    self.container = container
    self.environment = environment
  }
}
