import ClassGeneration
import Foundation
import ManagedObjectModel
import ModelSource
import TestSupport
import Testing

@Suite struct ModelCompilerTests {
  /// Wrong usage, and the message about it.
  static let wrongUsage: [([String], String)] = [
    ([], "Name the module with --module; \"\" is not the name of one."),
    (["a.xcdatamodeld", "--module"], "--module needs a value."),
    (["a.xcdatamodeld", "--module", "--output-swift"], "--module needs a value."),
    (
      ["a.xcdatamodeld", "--module", "1x", "--output-swift", "o"],
      "Name the module with --module; \"1x\" is not the name of one."
    ),
    (
      ["a.xcdatamodeld", "--module", "M"],
      "Nothing to write: give --output-swift, --output-momd or --output-support."
    ),
    (
      ["a", "b", "--module", "M", "--output-swift", "o"],
      "--output-swift and --output-momd take exactly one MODEL."
    ),
    (["a", "--modul", "M"], "There is no option --modul."),
  ]

  @Test(arguments: wrongUsage.indices)
  func `Wrong usage is explained in a sentence`(index: Int) {
    let (words, message) = Self.wrongUsage[index]
    #expect(throws: ModelCompilerArguments.UsageError(message: message)) {
      try ModelCompilerArguments(words)
    }
  }

  @Test func `Every option is read`() throws {
    let arguments = try ModelCompilerArguments([
      "A.xcdatamodeld", "--module", "M", "--output-swift", "A.swift", "--output-momd", "A.momd",
      "--sources", "1.swift",
      "2.swift", "--output-support", "S.swift",
    ])
    #expect(arguments.models == ["A.xcdatamodeld"])
    #expect(arguments.module == "M")
    #expect(arguments.outputSwift == "A.swift")
    #expect(arguments.outputCompiled == "A.momd")
    #expect(arguments.outputSupport == "S.swift")
    #expect(arguments.sources == ["1.swift", "2.swift"])
  }

  @Test func `An unchanged file is not written`() throws {
    try withTemporaryDirectory { folder in
      let model = try SampleModel(
        contents: "<entity name=\"Car\" representedClassName=\"Car\" codeGenerationType=\"class\"/>"
      )
      .write(to: folder)
      let output = folder.appendingPathComponent("out/Car.swift")
      let arguments = try ModelCompilerArguments([
        model.path, "--module", "M", "--output-swift", output.path,
      ])
      #expect(ModelCompiler.run(arguments).succeeded)
      let past = Date(timeIntervalSince1970: 1_000_000)
      try FileManager.default.setAttributes([.modificationDate: past], ofItemAtPath: output.path)
      #expect(ModelCompiler.run(arguments).succeeded)
      let date =
        try FileManager.default.attributesOfItem(atPath: output.path)[.modificationDate] as? Date
      #expect(date == past)
    }
  }

  @Test func `A broken model is reported at its line, and nothing is written`() throws {
    try withTemporaryDirectory { folder in
      let model = try SampleModel(
        contents: "<entity name=\"Car\"><attribute name=\"a\" attributeType=\"Colour\"/></entity>"
      )
      .write(to: folder)
      let output = folder.appendingPathComponent("Car.swift")
      let (succeeded, messages) = ModelCompiler.run(
        try ModelCompilerArguments([model.path, "--module", "M", "--output-swift", output.path]))
      #expect(!succeeded)
      #expect(
        messages.contains {
          $0.contains("contents:3:") && $0.contains(": error: ") && $0.contains("Colour")
        })
      #expect(!FileManager.default.fileExists(atPath: output.path))
    }
  }

  @Test func `A missing model and a missing source are reported`() throws {
    let (succeeded, messages) = ModelCompiler.run(
      try ModelCompilerArguments([
        "/nowhere/A.xcdatamodeld", "--module", "M", "--output-support", "/nowhere/S.swift",
      ]))
    #expect(!succeeded)
    #expect(messages.count == 1)
  }

  @Test func `A model compiles to a folder with exactly one file per version`() throws {
    try withTemporaryDirectory { folder in
      let contents =
        "<entity name=\"Car\"><attribute name=\"plate\" attributeType=\"String\"/></entity>"
      let model = try SampleModel(contents: contents).write(to: folder)
      let output = folder.appendingPathComponent("out/Sample.momd")
      try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
      try Data().write(to: output.appendingPathComponent("Old.mom"))
      let arguments = try ModelCompilerArguments([
        model.path, "--module", "M", "--output-momd", output.path,
      ])
      #expect(ModelCompiler.run(arguments).messages == [])
      let names = try FileManager.default.contentsOfDirectory(atPath: output.path)
      #expect(names.sorted() == ["Sample.mom", "VersionInfo.plist"])
      let compiled = try CompiledModel.read(contentsOf: output)
      #expect(
        compiled.entitiesByName["Car"]?.attributesByName["plate"]?.attributeType
          == .stringAttributeType)
      let source = try ModelBundle(contentsOf: model).currentVersion.model
      #expect(compiled.entityVersionHashesByName == source.entityVersionHashesByName)
    }
  }

  @Test func `A bare model compiles to one file`() throws {
    try withTemporaryDirectory { folder in
      let bundle = try SampleModel(contents: "<entity name=\"Car\"/>").write(to: folder)
      let output = folder.appendingPathComponent("Sample.mom")
      let model = bundle.appendingPathComponent("Sample.xcdatamodel")
      let arguments = try ModelCompilerArguments([
        model.path, "--module", "M", "--output-momd", output.path,
      ])
      #expect(ModelCompiler.run(arguments).succeeded)
      #expect(try CompiledModel.read(contentsOf: output).entities.map(\.name) == ["Car"])
    }
  }
}
