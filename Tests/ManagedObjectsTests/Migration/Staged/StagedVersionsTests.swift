import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import Testing

@Suite struct `The versions of staged migrations` {
  private func reference(_ checksum: String) -> NSManagedObjectModelReference {
    NSManagedObjectModelReference(model: NSManagedObjectModel(), versionChecksum: checksum)
  }

  private func lightweight(_ checksums: String...) -> NSLightweightMigrationStage {
    NSLightweightMigrationStage(checksums)
  }

  private func custom(_ source: String, _ destination: String) -> NSCustomMigrationStage {
    NSCustomMigrationStage(migratingFrom: reference(source), to: reference(destination))
  }

  /// The steps from one version to another, as text.
  private func steps(_ stages: [NSMigrationStage], _ source: String, _ destination: String)
    throws -> [String]
  {
    let versions = try StagedVersions(stages)
    let (start, end) = (versions.index(of: source), versions.index(of: destination))
    return try versions.steps(from: #require(start), to: #require(end)).map { step in
      switch step {
      case .lightweight(let index): "lightweight to \(versions.checksums[index])"
      case .custom(_, let index): "custom to \(versions.checksums[index])"
      }
    }
  }

  @Test func `Consecutive lightweight versions are one step`() throws {
    let stages = [lightweight("a", "b"), lightweight("c", "d")]
    #expect(try steps(stages, "a", "d") == ["lightweight to d"])
    #expect(try steps(stages, "b", "c") == ["lightweight to c"])
    #expect(try steps(stages, "c", "c") == [])
  }

  @Test func `Custom stages run one after another, between lightweight ones`() throws {
    let stages = [
      lightweight("a", "b", "c"), custom("c", "d"), custom("d", "e"), lightweight("e", "f"),
    ]
    #expect(
      try steps(stages, "a", "f")
        == ["lightweight to c", "custom to d", "custom to e", "lightweight to f"])
    #expect(try steps(stages, "d", "f") == ["custom to e", "lightweight to f"])
    #expect(try steps(stages, "b", "c") == ["lightweight to c"])
    #expect(try steps(stages, "b", "d") == ["lightweight to c", "custom to d"])
  }

  @Test func `Stages that share no version have a lightweight migration between them`() throws {
    let stages = [lightweight("a"), custom("b", "c"), lightweight("d")]
    #expect(
      try steps(stages, "a", "d") == ["lightweight to b", "custom to c", "lightweight to d"])
  }

  @Test func `A version in two places is refused`() throws {
    for stages in [
      [lightweight("a", "b"), lightweight("a")], [custom("a", "b"), custom("c", "a")],
      [custom("a", "a")],
    ] as [[NSMigrationStage]] {
      let error = try #require(throws: StoreError.self) { _ = try StagedVersions(stages) }
      #expect(error.message.contains("Duplicate version checksums"))
      #expect(error.message.contains("repeats a"))
    }
  }

  @Test func `A manager with a version in two places stops the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = NSStagedMigrationManager([NSLightweightMigrationStage(["a", "b", "a"])])
    }
    #expect(
      standardError(of: result).contains(
        "NSStagedMigrationManager(_:): Duplicate version checksums across stages detected"))
  }

  @Test func `The abstract stage cannot run`() throws {
    #expect(throws: StoreError.self) { _ = try StagedVersions([NSMigrationStage()]) }
  }
}
