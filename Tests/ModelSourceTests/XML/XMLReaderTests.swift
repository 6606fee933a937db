import ModelSource
import Testing

@Suite struct `The XML reader` {
  @Test func `Elements keep their attributes, order, text and positions`() throws {
    let root = try read(
      "<?xml version='1.0'?>\n<!-- c --><a x=\"1\" y='2'>t<b/>é\n<c z=\"3\">u</c></a>\n")
    #expect(root.name == "a")
    #expect(root.attributes.map(\.name) == ["x", "y"])
    #expect(root[attribute: "y"] == "2")
    #expect(root.children.map(\.name) == ["b", "c"])
    #expect(root.text == "té\n")
    #expect(root.children[1].text == "u")
    #expect(root.offset == 32)
  }

  @Test func `References are resolved, and line breaks in attributes become spaces`() throws {
    let root = try read(
      "<a x=\"&lt;&amp;&gt;&quot;&apos;&#233;&#x1F600;&#10;\n\t\">&amp;<![CDATA[<b>&amp;]]></a>")
    #expect(root[attribute: "x"] == "<&>\"'é😀\n  ")
    #expect(root.text == "&<b>&amp;")
  }

  static let malformed: [(String, String)] = [
    ("", "no element"), ("   ", "no element"), ("text", "text before"),
    ("<a", "ends inside the tag"),
    ("<a>", "not closed"), ("<a></b>", "is expected"), ("<a/></b>", "after the end"),
    ("<a/><b/>", "after the end"),
    ("<a x/>", "no value"), ("<a x=1/>", "quotation marks"),
    ("<a x=\"1/>", "closing quotation mark"),
    ("<a x=\"1\"y=\"2\"/>", "separated"), ("<a x=\"1\" x=\"2\"/>", "occurs twice"),
    ("<a x=\"<\"/>", "bare <"),
    ("<a>&nbsp;</a>", "not known"), ("<a>& </a>", "bare &"), ("<a>&#0;</a>", "not a character"),
    ("<a>&#xD800;</a>", "not a character"), ("<a>&#99999999;</a>", "not a character"),
    ("<a><!-- </a>", "a comment"),
    ("<a><![CDATA[</a>", "character data"), ("<a>\u{1}</a>", "control character"),
    ("< a/>", "name of an element"),
    ("<!DOCTYPE a><a/>", "document type"),
    ("<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "document type"),
    ("<?xml version='1.0' encoding='UTF-16'?><a/>", "UTF-16"),
    ("<?xml version=\"1.0\"", "XML declaration"),
    ("<1a/>", "name of an element"), ("</a>", "was not opened"),
  ]

  @Test(arguments: malformed) func `A malformed document is an error with a reason`(
    text: String, words: String
  ) {
    let error = #expect(throws: XMLSyntaxError.self) { try read(text) }
    #expect(error?.problem.contains(words) == true, "\(error?.problem ?? "")")
    #expect(error?.remedy.isEmpty == false)
  }

  @Test func `Bytes that are not UTF-8 are an error at their position`() {
    let error = #expect(throws: XMLSyntaxError.self) {
      try XMLReader.read([0x3C, 0x61, 0x3E, 0xFF])
    }
    #expect(error?.offset == 3)
    #expect(throws: XMLSyntaxError.self) { try XMLReader.read([0xFF, 0xFE, 0x3C, 0]) }
  }

  @Test func `Nesting, attributes and bytes are limited`() {
    let deep = String(repeating: "<a>", count: 100_000) + String(repeating: "</a>", count: 100_000)
    let many = "<a " + (0..<1000).map { "x\($0)=''" }.joined(separator: " ") + "/>"
    let long = String(repeating: " ", count: 16 << 20) + "<a/>"
    for (text, words) in [
      (deep, "nested more than"), (many, "attributes"), (long, "more than 16 MiB"),
    ] {
      let error = #expect(throws: XMLSyntaxError.self) { try read(text) }
      #expect(error?.problem.contains(words) == true, "\(error?.problem ?? "")")
    }
  }

  @Test func `A caller may set the limits of a file`() throws {
    let small = XMLReader.Size(bytes: 20, elements: 2, remedy: "Use less.")
    #expect(try XMLReader.read(Array("<a><b/></a>".utf8), largest: small).name == "a")
    for text in ["<a><b/><b/></a>", "<a>" + String(repeating: "x", count: 20) + "</a>"] {
      let error = #expect(throws: XMLSyntaxError.self) {
        try XMLReader.read(Array(text.utf8), largest: small)
      }
      #expect(error?.remedy == "Use less.")
    }
  }

  @Test func `A file that will be written is checked with the same limits`() throws {
    let small = XMLReader.Size(bytes: 60, elements: 2, remedy: "Use less.")
    let declaration = "<?xml version=\"1.0\"?>"
    for text in ["<a><b/></a>", declaration + "<!DOCTYPE a><a>/<b></b>/</a>"] {
      try small.check(Array(text.utf8))
    }
    for text in ["<a><b/><b/></a>", "<a>" + String(repeating: "x", count: 60) + "</a>"] {
      let bytes = Array(text.utf8)
      let written = #expect(throws: XMLSyntaxError.self) { try small.check(bytes) }
      let read = #expect(throws: XMLSyntaxError.self) { try XMLReader.read(bytes, largest: small) }
      #expect(written?.problem == read?.problem)
      #expect(written?.remedy == "Use less.")
    }
  }

  @Test func `A mapping model may be larger than a model`() {
    let bytes = [UInt8](repeating: 0, count: (16 << 20) + 1)
    for (size, words) in [(XMLReader.Size.model, "16 MiB"), (.mapping, "control character")] {
      let error = #expect(throws: XMLSyntaxError.self) { try XMLReader.read(bytes, largest: size) }
      #expect(error?.problem.contains(words) == true, "\(error?.problem ?? "")")
    }
  }

  @Test func `A document type without declarations is skipped`() throws {
    let text =
      "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://example.org/p.dtd\"><plist/>"
    #expect(try XMLReader.read(Array(text.utf8), documentType: .ignored).name == "plist")
    let hostile = "<!DOCTYPE a [<!ENTITY b 'c'>]><a/>"
    #expect(throws: XMLSyntaxError.self) {
      try XMLReader.read(Array(hostile.utf8), documentType: .ignored)
    }
  }

  @Test func `Positions count lines and characters`() {
    let lines = LineIndex(Array("ab\nécd\n".utf8))
    #expect(lines.position(ofByte: 0) == SourcePosition(line: 1, column: 1))
    #expect(lines.position(ofByte: 5) == SourcePosition(line: 2, column: 2))
    #expect(lines.position(ofByte: 999) == SourcePosition(line: 3, column: 1))
    let long = LineIndex(Array(String(repeating: "x", count: 5000).utf8))
    #expect(long.position(ofByte: 3000) == SourcePosition(line: 1, column: 3001))
  }

  private func read(_ text: String) throws -> SourceElement {
    try XMLReader.read(Array(text.utf8))
  }
}
