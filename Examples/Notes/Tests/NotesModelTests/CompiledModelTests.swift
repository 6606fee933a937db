import CoreData
import Foundation
import Testing

@Suite struct CompiledModelTests {
  /// Returns the compiled model in the resource bundle that the build puts beside the tests.
  private func compiledModel() throws -> URL {
    let folder = Bundle.main.bundleURL
    let contents = try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    let bundle = try #require(
      contents.first { $0.lastPathComponent.hasPrefix("Notes_NotesModel.") })
    return bundle.appendingPathComponent("Notes.momd")
  }

  @Test func `The compiled model is a resource with every version`() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: compiledModel().path)
    #expect(names.sorted() == ["Notes 2.mom", "Notes.mom", "VersionInfo.plist"])
  }

  @Test func `The current version is linked into the program`() throws {
    let linked = try #require(NSManagedObjectModel.linked(named: "Notes"))
    #expect(
      linked.entitiesByName.keys.sorted() == ["Attachment", "Entry", "Folder", "Note", "Tag"])
    #expect(linked.versionIdentifiers == ["2"])
    #expect(NSManagedObjectModel.linked(named: "Nothing") == nil)
  }
}
