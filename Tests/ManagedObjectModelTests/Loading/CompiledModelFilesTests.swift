import Foundation
import ManagedObjectModel
import TestSupport
import Testing

@Suite struct CompiledModelFilesTests {
  /// Makes a tree of empty files and folders; a path that ends in a slash is a folder.
  private func withTree(_ paths: [String], _ body: (URL) throws -> Void) throws {
    try withTemporaryDirectory { root in
      for path in paths {
        let url = root.appendingPathComponent(path)
        let folder = path.hasSuffix("/") ? url : url.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        if !path.hasSuffix("/") { try Data().write(to: url) }
      }
      try body(root)
    }
  }

  @Test func `Compiled models are ordered by folder and name`() throws {
    try withTree(["b/Zoo.mom", "b/Art.momd/", "b/notes.txt", "a/Sea.mom"]) { root in
      let folders = [root.appendingPathComponent("b"), root.appendingPathComponent("a")]
      #expect(
        CompiledModelFiles.all(in: folders).map(\.lastPathComponent) == [
          "Art.momd", "Zoo.mom", "Sea.mom",
        ])
    }
  }

  @Test func `A folder of versions is preferred to a single file of its name`() throws {
    try withTree(["Sea.mom", "Sea.momd/", "Art.mom"]) { root in
      #expect(
        CompiledModelFiles.all(in: [root]).map(\.lastPathComponent) == ["Sea.momd", "Art.mom"])
      #expect(CompiledModelFiles.first(named: "Sea", in: [root])?.lastPathComponent == "Sea.momd")
      #expect(CompiledModelFiles.first(named: "Land", in: [root]) == nil)
    }
  }

  @Test func `The resources of a program's modules are found next to it`() throws {
    try withTree(["App_One.resources/One.momd/", "App_Two.bundle/Two.mom", "Other/Three.mom"]) {
      root in
      let bundle = try #require(Bundle(url: root))
      let found = CompiledModelFiles.all(in: CompiledModelFiles.folders(ofProgramIn: bundle))
      #expect(found.map(\.lastPathComponent) == ["One.momd", "Two.mom"])
    }
  }

  @Test func `A missing folder contains nothing`() {
    #expect(CompiledModelFiles.all(in: [URL(fileURLWithPath: "/nowhere/at/all")]) == [])
  }
}
