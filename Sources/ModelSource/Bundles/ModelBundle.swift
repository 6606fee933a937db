package import ManagedObjectModel

/// The parsed source of a data model: every version of an `.xcdatamodeld`, or the single version of
/// an `.xcdatamodel`.
package struct ModelBundle: Sendable {
  /// One version of the model.
  package struct Version: Sendable {
    /// The version's name: its folder's name without the extension.
    package let name: String
    package let model: NSManagedObjectModel
    /// The source's settings that are not part of the model, for the tools.
    package let source: ModelSourceInfo
  }

  /// The bundle's name without the extension.
  ///
  /// Applications load the model by this name.
  package let name: String
  /// The versions, ordered by name; numbers in names are compared as numbers.
  package let versions: [Version]
  /// The name of the version that applications use.
  package let currentVersionName: String
  /// Whether the bundle is an `.xcdatamodeld`.
  ///
  /// A bare `.xcdatamodel` has only one version, and is compiled to a `.mom`.
  package let isVersioned: Bool
  /// The warnings from reading.
  package let warnings: [ModelSourceIssue]

  /// Returns the version with a name.
  package func version(named name: String) -> Version? {
    versions.first { $0.name == name }
  }

  /// The version that applications use.
  package var currentVersion: Version {
    guard let version = version(named: currentVersionName) else {
      preconditionFailure(
        "The current version \(currentVersionName) is not in the bundle, although its reader has checked that."
      )
    }
    return version
  }

  init(
    name: String, versions: [Version], currentVersionName: String, isVersioned: Bool,
    warnings: [ModelSourceIssue]
  ) {
    precondition(
      versions.contains { $0.name == currentVersionName },
      "The current version is one of the versions of the bundle.")
    self.name = name
    self.versions = versions
    self.currentVersionName = currentVersionName
    self.isVersioned = isVersioned
    self.warnings = warnings
  }
}
