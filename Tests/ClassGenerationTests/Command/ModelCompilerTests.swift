import ClassGeneration
import Foundation
import ManagedObjectModel
import ModelSource
import TestSupport
import Testing

@Suite struct ModelCompilerTests {
  /// Wrong usage, and the message about it.
  static let wrongUsage: [([String], String)] = [
    ([], "--module needs the name of a Swift module; \"\" is not one."),
    (["a.xcdatamodeld", "--module"], "--module needs a value."),
    (["a.xcdatamodeld", "--module", "--output-swift"], "--module needs a value."),
    (
      ["a.xcdatamodeld", "--module", "1x", "--output-swift", "o"],
      "--module needs the name of a Swift module; \"1x\" is not one."
    ),
    (
      ["a.xcdatamodeld", "--module", "M"],
      "Nothing to write: give --output-swift, --output-momd, --output-support or --output-mapping."
    ),
    (
      ["a", "--module", "M", "--output-mapping", "o"],
      "--mapping and --output-mapping belong together."
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
      "2.swift", "--output-support", "S.swift", "--mapping", "X", "--output-mapping", "X.cdm",
    ])
    #expect(arguments.models == ["A.xcdatamodeld"])
    #expect(arguments.module == "M")
    #expect(arguments.outputSwift == "A.swift")
    #expect(arguments.outputCompiled == "A.momd")
    #expect(arguments.outputSupport == "S.swift")
    #expect(arguments.sources == ["1.swift", "2.swift"])
    #expect(arguments.mapping == "X")
    #expect(arguments.outputMapping == "X.cdm")
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

  /// Writes a model with two versions, and a mapping model to its second version.
  private static func writeMapping(
    to version: String, language: String = "Swift", in folder: URL
  ) throws -> (model: URL, mapping: URL) {
    let files = FileManager.default
    let model = folder.appendingPathComponent("Cars.xcdatamodeld")
    for (name, attribute) in [("Cars", "doors"), ("Cars 2", "seats")] {
      let folder = model.appendingPathComponent("\(name).xcdatamodel")
      try files.createDirectory(at: folder, withIntermediateDirectories: true)
      let text = """
        <model sourceLanguage="\(language)"><entity name="Car">
        <attribute name="\(attribute)" optional="YES" attributeType="String"/></entity></model>
        """
      try Data(text.utf8).write(to: folder.appendingPathComponent("contents"))
    }
    func attribute(_ name: String, _ value: String) -> String {
      "<attribute name=\"\(name)\" type=\"string\">\(value)</attribute>"
    }
    let path = "App/Cars.xcdatamodeld"
    let text = """
      <database><databaseInfo><version>134481920</version></databaseInfo>
      <object type="XDDEVMAPPINGMODEL" id="z101">
      \(attribute("sourcemodelpath", "\(path)/Cars.xcdatamodel"))
      \(attribute("destinationmodelpath", "\(path)/\(version).xcdatamodel"))
      <relationship name="entitymappings" type="0/0" idrefs="z102"></relationship></object>
      <object type="XDDEVENTITYMAPPING" id="z102">
      \(attribute("sourcename", "Car"))\(attribute("destinationname", "Car"))
      <relationship name="mappingmodel" type="1/1" idrefs="z101"></relationship></object>
      </database>
      """
    let mapping = folder.appendingPathComponent("Change.xcmappingmodel")
    try files.createDirectory(at: mapping, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: mapping.appendingPathComponent("xcmapping.xml"))
    return (model, mapping)
  }

  @Test func `A mapping model between two versions is compiled`() throws {
    try withTemporaryDirectory { folder in
      let (model, mapping) = try Self.writeMapping(to: "Cars 2", in: folder)
      let output = folder.appendingPathComponent("Change.cdm")
      let (succeeded, messages) = ModelCompiler.run(
        try ModelCompilerArguments([
          model.path, "--module", "M", "--mapping", mapping.path, "--output-mapping", output.path,
        ]))
      #expect(succeeded, "\(messages)")
      let compiled = try NSMappingModel(readingFrom: output)
      #expect(compiled.entityMappings.map(\.name) == ["CarToCar"])
      let version = try ModelBundle(contentsOf: model).versions.first { $0.name == "Cars 2" }
      #expect(
        compiled.entityMappings.first?.destinationEntityVersionHash
          == version?.model.entitiesByName["Car"]?.versionHash)
    }
  }

  @Test func `The command for a mapping model does not repeat the model's warnings`() throws {
    try withTemporaryDirectory { folder in
      let (model, mapping) = try Self.writeMapping(to: "Cars 2", language: "Go", in: folder)
      let warnings = try ModelBundle(contentsOf: model).warnings
      #expect(!warnings.isEmpty)
      let output = folder.appendingPathComponent("Change.cdm")
      let (succeeded, messages) = ModelCompiler.run(
        try ModelCompilerArguments([
          model.path, "--module", "M", "--mapping", mapping.path, "--output-mapping", output.path,
        ]))
      #expect(succeeded)
      #expect(messages == [])
    }
  }

  @Test func `A mapping model of unknown versions is an error that names them`() throws {
    try withTemporaryDirectory { folder in
      let (model, mapping) = try Self.writeMapping(to: "Cars 9", in: folder)
      let output = folder.appendingPathComponent("Change.cdm")
      let (succeeded, messages) = ModelCompiler.run(
        try ModelCompilerArguments([
          model.path, "--module", "M", "--mapping", mapping.path, "--output-mapping", output.path,
        ]))
      #expect(!succeeded)
      #expect(messages.first?.contains("versions Cars and Cars 9") == true, "\(messages)")
      #expect(!FileManager.default.fileExists(atPath: output.path))
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

  @Test(arguments: [["/nowhere/A.xcdatamodeld"], ["--sources", "/nowhere/A.swift"]])
  func `A missing model or source is reported`(missing: [String]) throws {
    let (succeeded, messages) = ModelCompiler.run(
      try ModelCompilerArguments(
        missing + ["--module", "M", "--output-support", "/nowhere/S.swift"]))
    #expect(!succeeded)
    #expect(messages.count == 1)
    #expect(messages.first?.contains("/nowhere/A.") == true, "\(messages)")
  }

  @Test func `Compiling a model removes files of former versions from the folder`() throws {
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
