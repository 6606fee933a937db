import Foundation
import ManagedObjectModel
import ManagedObjects
import TestSupport
import Testing

@Suite struct `References to model versions` {
  private static let first = NotesModel.first.model
  private static let second = NotesModel.second.model

  private func code(_ reference: NSManagedObjectModelReference) throws -> Int {
    let error = try #require(throws: (any Error).self) { _ = try reference.resolve() }
    return (error as NSError).code
  }

  @Test func `A reference to a model checks its checksum`() throws {
    let checksum = Self.first.versionChecksum
    let reference = NSManagedObjectModelReference(model: Self.first, versionChecksum: checksum)
    #expect(reference.resolvedModel === Self.first && reference.versionChecksum == checksum)
    let wrong = NSManagedObjectModelReference(model: Self.second, versionChecksum: checksum)
    #expect(try code(wrong) == NSManagedObjectModelReferenceNotFoundError)
  }

  @Test func `The program stops if a model is missing`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ =
        NSManagedObjectModelReference(name: "Nowhere", in: nil, versionChecksum: "a").resolvedModel
    }
    #expect(standardError(of: result).contains("NSManagedObjectModelReference.resolvedModel: "))
  }

  @Test func `Files, names and version hashes find the version with the checksum`() throws {
    try withTemporaryDirectory { folder in
      let models = [("Notes", Self.first), ("Notes2", Self.second)]
      for (name, model) in models {
        try CompiledModel.write(model).write(to: folder.appendingPathComponent("\(name).mom"))
      }
      let bundle = try #require(Bundle(path: folder.path))
      for (name, model) in models {
        let checksum = model.versionChecksum
        let file = folder.appendingPathComponent("\(name).mom")
        for reference in [
          NSManagedObjectModelReference(fileURL: file, versionChecksum: checksum),
          NSManagedObjectModelReference(name: name, in: bundle, versionChecksum: checksum),
          NSManagedObjectModelReference(
            entityVersionHashes: model.entityVersionHashesByName, in: bundle,
            versionChecksum: checksum),
        ] {
          #expect(
            try reference.resolve().entityVersionHashesByName == model.entityVersionHashesByName)
        }
      }
      let missing = folder.appendingPathComponent("None.mom")
      #expect(
        try code(NSManagedObjectModelReference(fileURL: missing, versionChecksum: "a"))
          == NSManagedObjectModelReferenceNotFoundError)
      #expect(
        try code(
          NSManagedObjectModelReference(
            name: "Notes", in: bundle, versionChecksum: Self.second.versionChecksum))
          == NSManagedObjectModelReferenceNotFoundError)
      #expect(
        try code(
          NSManagedObjectModelReference(
            entityVersionHashes: [:], in: bundle, versionChecksum: Self.first.versionChecksum))
          == NSManagedObjectModelReferenceNotFoundError)
    }
  }

  @Test(.requiresFixtures) func `A version of a compiled folder is found by its checksum`() throws {
    let folder = try Fixtures.url("compiled/XCServerCoreData__XCServerCoreData.momd")
    let checksums = try NSManagedObjectModel.checksumsForVersionedModel(at: folder)
    #expect(checksums.count > 2)
    for (name, checksum) in checksums {
      let reference = NSManagedObjectModelReference(fileURL: folder, versionChecksum: checksum)
      #expect(try reference.resolve().versionChecksum == checksum, "\(name)")
    }
  }
}
