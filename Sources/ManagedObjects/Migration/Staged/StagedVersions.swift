import Foundation
package import ObjectRows

/// The versions of a staged migration in order, and the stages between them.
package struct StagedVersions {
  /// The checksums of the versions, the oldest first.
  package private(set) var checksums: [String] = []
  /// The custom stages, by the index of the version before the stage.
  private var customStages: [Int: NSCustomMigrationStage] = [:]

  /// One step from a version to a later one.
  package enum Step {
    /// A lightweight migration to the version with an index.
    case lightweight(to: Int)
    /// A custom stage, which ends at the version with an index.
    case custom(NSCustomMigrationStage, to: Int)
  }

  /// Lists the versions of stages; throws if a version occurs in two places.
  package init(_ stages: [NSMigrationStage]) throws(StoreError) {
    for stage in stages {
      switch stage {
      case let stage as NSLightweightMigrationStage:
        for checksum in stage.versionChecksums { try add(checksum, of: stage) }
      case let stage as NSCustomMigrationStage:
        try add(stage.currentModel.versionChecksum, of: stage)
        customStages[checksums.count - 1] = stage
        guard stage.currentModel.versionChecksum != stage.nextModel.versionChecksum else {
          throw Self.duplicate(stage.nextModel.versionChecksum, of: stage)
        }
        try add(stage.nextModel.versionChecksum, of: stage)
      default:
        throw StoreError(
          .stagedMigration,
          """
          \(stage) is not a stage that can be run. Use NSLightweightMigrationStage or \
          NSCustomMigrationStage.
          """
        )
      }
    }
  }

  /// Adds a version; the last one may be repeated by the next stage.
  private mutating func add(_ checksum: String, of stage: NSMigrationStage) throws(StoreError) {
    guard checksums.last != checksum else { return }
    guard !checksums.contains(checksum) else { throw Self.duplicate(checksum, of: stage) }
    checksums.append(checksum)
  }

  private static func duplicate(_ checksum: String, of stage: NSMigrationStage) -> StoreError {
    StoreError(
      .stagedMigration,
      """
      Duplicate version checksums across stages detected: \(stage.nameForMessages) repeats \
      \(checksum). List every version once, the oldest first.
      """,
      context: ["versionChecksum": checksum])
  }

  /// The index of the version with a checksum.
  package func index(of checksum: String) -> Int? { checksums.firstIndex(of: checksum) }

  /// The custom stage from one version to another.
  func customStage(from source: String, to destination: String) -> NSCustomMigrationStage? {
    index(of: source).flatMap { customStages[$0] }
      .flatMap { $0.nextModel.versionChecksum == destination ? $0 : nil }
  }

  /// The steps from one version to another, at least one unless they are equal.
  ///
  /// Consecutive lightweight stages are one step: an inferred migration needs no version between.
  package func steps(from source: Int, to destination: Int) -> [Step] {
    var steps: [Step] = []
    var index = source
    while index < destination {
      if let stage = customStages[index] {
        index += 1
        steps.append(.custom(stage, to: index))
      } else {
        let next = (index + 1..<destination).first { customStages[$0] != nil }
        index = next ?? destination
        steps.append(.lightweight(to: index))
      }
    }
    return steps
  }
}
