import Foundation
import ModelSource
import TestSupport
import Testing

@Suite struct `Model bundles` {
  private let contents = SourceText("<entity name=\"E\"/>").contents

  @Test func `The version that the bundle names is current`() throws {
    try withBundle(["Notes", "Notes 2", "Notes 10"], current: "Notes 2.xcdatamodel") { url in
      let bundle = try ModelBundle(contentsOf: url)
      #expect(bundle.name == "Notes")
      #expect(bundle.versions.map(\.name) == ["Notes", "Notes 2", "Notes 10"])
      #expect(bundle.currentVersionName == "Notes 2")
      #expect(bundle.isVersioned)
    }
  }

  @Test func `By default the only version is current, or the one named like the bundle`() throws {
    for (versions, current) in [(["Other"], "Other"), (["A", "Notes"], "Notes")] {
      try withBundle(versions) { url in
        let bundle = try ModelBundle(contentsOf: url)
        #expect(bundle.currentVersionName == current)
      }
    }
  }

  @Test func `A bundle without a current version is an error`() throws {
    try withBundle(["A", "B"]) { expect(.currentVersion, $0) }
    try withBundle(["A"], current: "Gone.xcdatamodel") { expect(.currentVersion, $0) }
    try withBundle(["A", "B"], current: "") { expect(.currentVersion, $0) }
  }

  @Test func `A broken file of the current version is an error with its line`() throws {
    try withBundle(["A"]) { url in
      try Data("<plist>\n<dict></plist>".utf8).write(
        to: url.appendingPathComponent(".xccurrentversion"))
      let error = #expect(throws: ModelSourceError.self) { try ModelBundle(contentsOf: url) }
      #expect(error?.code == .syntax)
      #expect(error?.issues.first?.position?.line == 2)
    }
  }

  @Test func `A single version is a model too, and so is its contents file`() throws {
    try withBundle(["A"]) { url in
      let version = url.appendingPathComponent("A.xcdatamodel", isDirectory: true)
      let bundle = try ModelBundle(contentsOf: version)
      #expect(bundle.currentVersionName == "A")
      #expect(!bundle.isVersioned)
      #expect(try ModelBundle(contentsOf: version.appendingPathComponent("contents")).name == "A")
    }
  }

  @Test func `A model saved before Xcode 4 is an error with a remedy`() throws {
    try withBundle(["A"]) { url in
      let version = url.appendingPathComponent("A.xcdatamodel")
      try FileManager.default.moveItem(
        at: version.appendingPathComponent("contents"),
        to: version.appendingPathComponent("elements"))
      let error = #expect(throws: ModelSourceError.self) { try ModelBundle(contentsOf: url) }
      #expect(error?.code == .binarySource)
      #expect(error?.message.contains("Open it in Xcode") == true)
    }
  }

  @Test func `An older version saved before Xcode 4 is skipped with a warning`() throws {
    try withBundle(["Notes", "Notes 2", "Notes 3"], current: "Notes 3.xcdatamodel") { url in
      let old = url.appendingPathComponent("Notes.xcdatamodel")
      try FileManager.default.moveItem(
        at: old.appendingPathComponent("contents"), to: old.appendingPathComponent("elements"))
      // A converted version can still have the old file next to the new one.
      try Data("old".utf8).write(to: url.appendingPathComponent("Notes 2.xcdatamodel/elements"))
      let bundle = try ModelBundle(contentsOf: url)
      #expect(bundle.versions.map(\.name) == ["Notes 2", "Notes 3"])
      #expect(bundle.warnings.map(\.code) == [.binarySource])
      #expect(bundle.warnings.first?.file.hasSuffix("Notes.xcdatamodel") == true)
    }
  }

  @Test func `Other files are an error`() throws {
    try withTemporaryDirectory { folder in
      expect(.unreadable, folder.appendingPathComponent("Gone.xcdatamodeld"))
      expect(.notAModel, folder)
      let empty = folder.appendingPathComponent("Empty.xcdatamodeld")
      try FileManager.default.createDirectory(at: empty, withIntermediateDirectories: true)
      expect(.notAModel, empty)
      let hollow = empty.appendingPathComponent("V.xcdatamodel")
      try FileManager.default.createDirectory(at: hollow, withIntermediateDirectories: true)
      expect(.notAModel, empty)
    }
  }

  @Test func `Errors of all versions are reported together`() throws {
    try withBundle(["A", "B"], current: "A.xcdatamodel") { url in
      for name in ["A", "B"] {
        try Data("<model><entity/></model>".utf8)
          .write(to: url.appendingPathComponent("\(name).xcdatamodel/contents"))
      }
      let error = #expect(throws: ModelSourceError.self) { try ModelBundle(contentsOf: url) }
      #expect(error?.errors.count == 2)
    }
  }

  static let classNames: [(String, SourceClassName.Module, String)] = [
    ("Car", .none, "Car"), (".Car", .current, "Car"), ("App.Car", .named("App"), "Car"),
    ("A.B.Car", .named("A.B"), "Car"),
  ]

  @Test(arguments: classNames)
  func `A class name is split and joined`(
    text: String, module: SourceClassName.Module, name: String
  ) {
    let parsed = SourceClassName(text)
    #expect(parsed?.module == module)
    #expect(parsed?.name == name)
    #expect(parsed?.text == text)
  }

  private func expect(_ code: ModelSourceError.Code, _ url: URL) {
    let error = #expect(throws: ModelSourceError.self) { try ModelBundle(contentsOf: url) }
    #expect(error?.code == code)
  }

  private func withBundle(
    _ versions: [String], current: String? = nil, _ body: (URL) throws -> Void
  ) throws {
    try withTemporaryDirectory { folder in
      let url = folder.appendingPathComponent("Notes.xcdatamodeld", isDirectory: true)
      for version in versions {
        let folder = url.appendingPathComponent("\(version).xcdatamodel")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(contents.utf8).write(to: folder.appendingPathComponent("contents"))
      }
      if let current {
        let key =
          current.isEmpty ? "" : "<key>_XCCurrentVersionName</key><string>\(current)</string>"
        let plist =
          "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"x\"><plist version=\"1.0\"><dict>\(key)</dict></plist>"
        try Data(plist.utf8).write(to: url.appendingPathComponent(".xccurrentversion"))
      }
      try body(url)
    }
  }
}
