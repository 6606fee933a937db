import Foundation
import ManagedObjectModel
import ModelSource
import ParhelionCommands
import TestSupport
import Testing

@Suite struct `The commands about models` {
  private func run(_ arguments: String...) -> (
    status: CommandStatus, result: String, messages: String
  ) {
    let console = RecordingConsole()
    let status = ParhelionTool.run(["model"] + arguments, console: console)
    return (status, console.result, console.messages)
  }

  @Test func `Hashes of all versions are one document`() throws {
    try SampleModels.withNotes { path in
      let outcome = run("hash", path, "--json")
      #expect(outcome.status == .success)
      #expect(outcome.messages.isEmpty)
      let document = try JSONDecoder().decode(
        [String: [String: String]].self, from: Data(outcome.result.utf8))
      #expect(Set(document.keys) == ["Notes", "Notes 2"])
      let model = try ModelBundle(contentsOf: URL(fileURLWithPath: path)).currentVersion.model
      let folder = try #require(model.entityVersionHashesByName["Folder"])
      #expect(document["Notes"]?["Folder"] == folder.map { String(format: "%02x", $0) }.joined())
      #expect(document["Notes"]?["Note"] != document["Notes 2"]?["Note"])
      #expect(document["Notes"]?["Folder"] == document["Notes 2"]?["Folder"])
    }
  }

  @Test func `One version can be selected in two ways`() throws {
    try SampleModels.withNotes { path in
      let text = run("hash", path, "--version", "Notes 2").result
      #expect(text.hasPrefix("Notes 2\n"))
      #expect(run("hash", "\(path)#Notes 2").result == text)
      let wrong = run("hash", path, "--version", "Note 2")
      #expect(wrong.status == .failure)
      #expect(wrong.messages.contains("Did you mean \"Notes 2\"?"))
    }
  }

  @Test func `Uncertain hashes are reported next to the result`() throws {
    try withTemporaryDirectory { folder in
      let path = try SampleModels.write([("A", SampleModels.composite)], into: folder)
      let outcome = run("hash", path, "--json")
      #expect(outcome.status == .success)
      #expect(outcome.messages.contains("place is composite"))
      #expect(outcome.result.hasPrefix("{"))
    }
  }

  @Test func `A model is shown as text`() throws {
    try SampleModels.withNotes { path in
      #expect(
        run("show", path).result == """
          Notes (current)
          version identifiers: ""

          Folder: class .Folder
            name   String                        required, default "New"
            notes  to-many relationship to Note  inverse folder, ordered, on delete cascade

          Note
            rank    Integer 16                     required, default 0
            text    String                         length <= 9
            folder  to-one relationship to Folder  inverse notes

          fetch requests
            Long: Note where text.length > $N

          configurations
            Local: Note

          """)
    }
  }

  @Test func `A Boolean default is shown in the data modeler's words`() throws {
    let body = """
      <entity name="Note">
        <attribute name="done" optional="YES" attributeType="Boolean" defaultValueString="NO"/>
        <attribute name="shown" optional="YES" attributeType="Boolean" defaultValueString="1"/>
      </entity>
      """
    try withTemporaryDirectory { folder in
      let text = try run("show", SampleModels.write([("Notes", body)], into: folder)).result
      #expect(text.contains("done   Boolean  default NO\n"))
      #expect(text.contains("shown  Boolean  default YES\n"))
    }
  }

  @Test func `Limits of dates are shown as dates`() throws {
    let body = """
      <entity name="Note">
        <attribute name="day" optional="YES" attributeType="Date" minDateTimeInterval="0" maxDateTimeInterval="86400"/>
      </entity>
      """
    try withTemporaryDirectory { folder in
      let text = try run("show", SampleModels.write([("Notes", body)], into: folder)).result
      #expect(
        text.contains("day  Date  from 2001-01-01T00:00:00.000Z, to 2001-01-02T00:00:00.000Z\n"))
    }
  }

  @Test func `A model is shown as JSON`() throws {
    try SampleModels.withNotes { path in
      let outcome = run("show", path, "--json")
      let document =
        try JSONSerialization.jsonObject(with: Data(outcome.result.utf8)) as? [String: Any]
      #expect(document?["version"] as? String == "Notes")
      let entities = document?["entities"] as? [String: [String: Any]]
      let note = entities?["Note"]?["properties"] as? [String: [String: Any]]
      #expect(note?["rank"]?["type"] as? String == "Integer 16")
      #expect(note?["folder"]?["inverse"] as? String == "notes")
      #expect(run("show", path, "--format", "json").result == outcome.result)
      #expect(run("show", path, "--json", "--format", "svg").status == .usage)
    }
  }

  @Test func `Changes are shown, with a verdict on migration`() throws {
    try SampleModels.withNotes { path in
      let outcome = run("diff", path, "--to", "Notes 2")
      #expect(outcome.status == .success)
      #expect(
        outcome.result == """
          Notes → Notes 2

          Note
            version hash modifier none → 2  [hash]
            rank: type Integer 16 → Double  [hash]
              not lightweight: No conversion is inferred from Integer 16 to Double.

          A lightweight migration cannot do this: 1 of 2 changes need a mapping or a migration stage of your own.

          """)
      #expect(run("diff", path, "--to", "Notes 2", "--check").status == .failure)
      #expect(run("diff", path, path).result.hasSuffix("The models do not differ.\n"))
      #expect(run("diff", "\(path)#Notes", "\(path)#Notes 2").result == outcome.result)
      #expect(run("diff", path).status == .usage)
    }
  }

  @Test func `Differences are shown as JSON`() throws {
    try SampleModels.withNotes { path in
      let outcome = run("diff", path, "--to", "Notes 2", "--json")
      let document =
        try JSONSerialization.jsonObject(with: Data(outcome.result.utf8)) as? [String: Any]
      #expect(document?["verdict"] as? String == "custom")
      #expect(document?["entitiesWithChangedHashes"] as? [String] == ["Note"])
      let changes = document?["changes"] as? [[String: Any]]
      #expect(changes?.map { $0["kind"] as? String } == ["version hash modifier", "type"])
      #expect(changes?[1]["property"] as? String == "rank")
      #expect(changes?[1]["nonLightweightReason"] is String)
    }
  }

  @Test func `A compiled model gives the same output as its source`() throws {
    try withTemporaryDirectory { folder in
      let source = try SampleModels.write(
        [("Notes", SampleModels.first), ("Notes 2", SampleModels.second)], into: folder)
      let compiled = folder.appendingPathComponent("out/Notes.momd").path
      for _ in 0..<2 {  // the second run replaces the first output
        #expect(
          run("compile", source, "-o", folder.appendingPathComponent("out").path).result == compiled
            + "\n")
      }
      #expect(run("hash", compiled, "--json").result == run("hash", source, "--json").result)
      #expect(run("show", compiled).result == run("show", source).result)
      #expect(run("diff", source, compiled).result.hasSuffix("The models do not differ.\n"))
      let single = folder.appendingPathComponent("Notes.mom").path
      #expect(
        run("compile", "\(source)/Notes.xcdatamodel", "-o", folder.path).result == single + "\n")
      #expect(run("diff", source, single).result.hasSuffix("The models do not differ.\n"))
      #expect(run("compile", single, "-o", folder.path).status == .failure)
      let blocked = run("compile", source, "-o", single + "/out")
      #expect(blocked.messages.contains("cannot be written: "), "\(blocked)")
      #expect(!blocked.messages.contains("Domain"), "\(blocked)")
    }
  }

  @Test func `A mapping model is compiled with the versions that it names`() throws {
    try withTemporaryDirectory { folder in
      let models = try SampleModels.write(
        [("Notes", SampleModels.first), ("Notes 2", SampleModels.second)], into: folder)
      let source = folder.appendingPathComponent("Change.xcmappingmodel")
      try FileManager.default.createDirectory(at: source, withIntermediateDirectories: true)
      let text = """
        <database>
        <object type="XDDEVMAPPINGMODEL" id="z101">
        <attribute name="sourcemodelpath" type="string">App/M/Notes.xcdatamodel</attribute>
        <attribute name="destinationmodelpath" type="string">App/M/Notes 2.xcdatamodel</attribute>
        <relationship name="entitymappings" idrefs="z102"></relationship></object>
        <object type="XDDEVENTITYMAPPING" id="z102">
        <attribute name="sourcename" type="string">Folder</attribute>
        <attribute name="destinationname" type="string">Folder</attribute></object>
        </database>
        """
      let file = source.appendingPathComponent("xcmapping.xml")
      try Data(text.utf8).write(to: file)
      let output = folder.appendingPathComponent("out/Change.cdm")
      let arguments = [
        "mapping", source.path, models, "-o", output.deletingLastPathComponent().path,
      ]
      let console = RecordingConsole()
      #expect(ParhelionTool.run(["model"] + arguments, console: console) == .success)
      #expect(console.result == output.path + "\n")
      let mapping = try CompiledMapping.read(contentsOf: output).entityMappings.first
      #expect(mapping?.name == "FolderToFolder")
      #expect(mapping?.mappingType == .copyEntityMappingType)
      #expect(run("mapping", source.path, models, "--to", "None").status == .failure)
      let blocked = run("mapping", source.path, models, "-o", file.path)
      #expect(blocked.messages.contains("cannot be written: "), "\(blocked)")
      #expect(!blocked.messages.contains("Domain"), "\(blocked)")
      try Data("<database/>".utf8).write(to: file)
      let wrong = run("mapping", source.path, models)
      #expect(wrong.status == .failure && wrong.messages.contains("no mapping model"))
    }
  }

  static let compiled = [
    ("SwiftGen__Model", "Model"), ("SwiftGen__Model", "Model 2"),
    ("XCServerCoreData__XCServerCoreData", "XCServerCoreData"),
    ("XCServerCoreData__XCServerCoreData", "XCServerCoreData1.2.0"),
    ("XCServerCoreData__XCServerCoreData", "XCServerCoreData2.0.2"),
  ]

  @Test(.requiresFixtures, arguments: compiled)
  func `A model that Apple's compiler wrote gives the same output as its source`(
    name: String, version: String
  ) throws {
    let source = try Fixtures.url("models/\(name).xcdatamodeld").path
    let compiled = try Fixtures.url("compiled/\(name).momd").path
    let outcome = run("diff", "\(source)#\(version)", "\(compiled)#\(version)")
    #expect(outcome.status == .success)
    #expect(outcome.result.hasSuffix("The models do not differ.\n"), "\(outcome.result)")
  }

  @Test func `A file that is not a valid model is rejected with the place`() throws {
    try withTemporaryDirectory { folder in
      #expect(
        run("show", folder.appendingPathComponent("gone.xcdatamodeld").path).messages.contains(
          "There is no file"))
      #expect(run("show", folder.path).status == .failure)
      let path = try SampleModels.write(
        [("A", "<entity name=\"E\" parentEntity=\"F\"/>")], into: folder)
      let outcome = run("show", path)
      #expect(outcome.status == .failure)
      #expect(outcome.result.isEmpty)
      #expect(
        outcome.messages.contains("A.xcdatamodel/contents:2:18: error: The parent F of E"),
        "\(outcome.messages)")
    }
  }
}
