import Foundation
import ModelSource
import ParhelionCommands
import TestSupport
import Testing

@Suite struct `Diagrams of models` {
  private func show(_ path: String, _ format: String) -> String {
    let console = RecordingConsole()
    #expect(
      ParhelionTool.run(["model", "show", path, "--format", format], console: console) == .success)
    return console.result
  }

  @Test func `Graphviz gets a table per entity and an arrow per pair of relationships`() throws {
    try SampleModels.withNotes { path in
      let text = show(path, "dot")
      #expect(text.hasPrefix("digraph \"Notes\" {"))
      #expect(text.contains("\"Folder\" [label=<<table"))
      #expect(
        text.contains(
          "\"Folder\" -> \"Note\" [label=\"notes / folder\", arrowhead=crow, dir=both, arrowtail=normal];"
        ))
      #expect(!text.contains("\"Note\" -> "))
    }
  }

  @Test func `A drawing is well-formed, repeatable and complete`() throws {
    try SampleModels.withNotes { path in
      let drawing = show(path, "svg")
      #expect(drawing == show(path, "svg"))
      let root = try XMLReader.read(Array(drawing.utf8))
      #expect(root.name == "svg")
      for word in ["Folder", "Note", "text", "rank", "notes"] {
        #expect(drawing.contains(">\(word)</text>"))
      }
      #expect(drawing.components(separatedBy: "class=\"box\"").count == 3)
      #expect(drawing.components(separatedBy: "class=\"edge\"").count == 2)
    }
  }

  /// A model of cycles, loops and long arrows exercises every step of the layout.
  @Test func `Cycles, loops and arrows across several layers are drawn`() throws {
    let relationship = { (name: String, to: String) in
      "<relationship name=\"\(name)\" optional=\"YES\" maxCount=\"1\" destinationEntity=\"\(to)\"/>"
    }
    let body = """
      <entity name="A">\(relationship("b", "B"))\(relationship("d", "D"))\(relationship("me", "A"))</entity>
      <entity name="B">\(relationship("c", "C"))</entity>
      <entity name="C">\(relationship("a", "A"))\(relationship("d", "D"))</entity>
      <entity name="D" parentEntity="A"/>
      <entity name="Alone"/>
      """
    try withTemporaryDirectory { folder in
      let drawing = show(try SampleModels.write([("M", body)], into: folder), "svg")
      let root = try XMLReader.read(Array(drawing.utf8))
      #expect(root.name == "svg")
      #expect(drawing.components(separatedBy: "<path class=\"edge").count == 8)
      #expect(!drawing.contains("nan") && !drawing.contains("inf"))
    }
  }
}
