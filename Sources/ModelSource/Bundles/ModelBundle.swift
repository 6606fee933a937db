package import ManagedObjectModel

/// The source of a data model, read: every version of an `.xcdatamodeld`, or the one that an
/// `.xcdatamodel` is.
package struct ModelBundle: Sendable {
  /// One version of the model.
  package struct Version: Sendable {
    /// The version's name: that of its folder, without the extension.
    package let name: String
    package let model: NSManagedObjectModel
    /// What the source says beyond the model, for the tools.
    package let source: ModelSourceInfo
  }

  /// The bundle's name without the extension.
  ///
  /// It is the name by which an application loads the model.
  package let name: String
  /// The versions, ordered by name; numbers in names count as numbers.
  package let versions: [Version]
  /// The name of the version that applications use.
  package let currentVersionName: String
  /// Whether the versions stand in an `.xcdatamodeld`.
  ///
  /// A bare `.xcdatamodel` has only one, and is compiled to a `.mom`.
  package let isVersioned: Bool
  /// What looked suspect.
  package let warnings: [ModelSourceIssue]

  /// The version of a name.
  package func version(named name: String) -> Version? {
    versions.first { $0.name == name }
  }

  /// The version that applications use.
  package var currentVersion: Version {
    guard let version = version(named: currentVersionName) else {
      preconditionFailure(
        "The current version \(currentVersionName) is not in the bundle; its reader has checked that."
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
