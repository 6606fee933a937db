import RecordServerHTTP
import TestSupport
import Testing

@Suite("Multipart forms")
struct MultipartTests {
  private static let head =
    "Content-Disposition: form-data; name=\"files\"; filename=\"a.bin\"\r\nContent-Type: a/b"

  private func form(
    _ contents: [UInt8], before: String = "", head: String = "\r\n" + head, after: String = ""
  )
    -> [UInt8]
  {
    Array((before + "--XY" + head + "\r\n\r\n").utf8) + contents + Array("\r\n--XY--\(after)".utf8)
  }

  /// Reads a form in pieces.
  private func read(_ form: [UInt8], pieces: [Int]) throws(MultipartError) -> [UInt8] {
    var reader = MultipartReader(boundary: "XY")
    var (contents, start): ([UInt8], Int) = ([], 0)
    for end in pieces + [form.count] {
      contents += try reader.read(Array(form[start..<end]))
      start = end
    }
    try reader.finish()
    return contents
  }

  @Test func `A form gives its file, however its bytes are split`() throws {
    var random = SeededGenerator.forTest()
    for contents in [
      "", "x", "\r\n", "\r\n--X", "\r\n--XZ", "--XY", "\r", "\n\r\n-", "\r\r\n--X\r\n",
    ] {
      let whole = form(Array(contents.utf8))
      for cut in 0...whole.count {
        #expect(
          try read(whole, pieces: [cut]) == Array(contents.utf8),
          "\(contents.debugDescription), cut at \(cut)")
      }
      #expect(try read(whole, pieces: Array(0..<whole.count)) == Array(contents.utf8))
    }
    let letters: [UInt8] = [13, 10, 45, 88, 89, 0]
    for _ in 0..<50 {
      let contents = (0..<Int.random(in: 0...2_000, using: &random)).map { _ in
        letters.randomElement(using: &random) ?? 0
      }
      let whole = form(contents)
      let cuts = (0..<5).map { _ in Int.random(in: 0...whole.count, using: &random) }.sorted()
      // The contents must not contain the delimiter.
      guard contents.prefixBefore(Array("\r\n--XY".utf8)) == nil else { continue }
      #expect(try read(whole, pieces: cuts) == contents, "\(random)")
    }
  }

  @Test func `A form can have a preamble and an epilogue`() throws {
    let contents = Array("file".utf8)
    #expect(try read(form(contents, before: "preamble\r\n"), pieces: []) == contents)
    #expect(try read(form(contents, before: "\r\n"), pieces: [1]) == contents)
    #expect(try read(form(contents, after: "\r\nepilogue"), pieces: [9]) == contents)
    #expect(try read(form(contents, head: " \t\r\n" + Self.head), pieces: []) == contents)
    #expect(try read(form(contents, head: ""), pieces: []) == contents)
  }

  @Test(arguments: [
    ("", MultipartError.noFile), ("--XY", .noFile), ("--XY--", .noFile),
    ("--XY\r\nA: b\r\n\r\nfile", .noFile),
    ("--XY\r\nA: b\r\n\r\nfile\r\n--XY", .noFile), ("file", .noFile),
    ("--XY\r\nA: b\r\n\r\nfile\r\n--XY\r\nA: b\r\n\r\nfile\r\n--XY--", .secondPart),
    ("--XYZ\r\n\r\nfile\r\n--XY--", .malformed), ("--XY\r\n\r\nfile\r\n--XY!!", .malformed),
    ("--XY\r\n\r\n\r\n--XY-x", .malformed),
    (String(repeating: "a", count: 40_000), .overhead),
    ("--XY\r\n" + String(repeating: "a", count: 40_000), .overhead),
    ("--XY\r\n\r\nfile\r\n--XY--" + String(repeating: "a", count: 40_000), .overhead),
  ])
  func `Malformed forms are rejected`(text: String, error: MultipartError) {
    #expect(throws: error) { try read(Array(text.utf8), pieces: []) }
    #expect(throws: error) {
      try read(Array(text.utf8), pieces: Array(0..<min(text.utf8.count, 200)))
    }
  }

  @Test func `Forms are recognised by their type`() throws {
    for type in [nil, "application/octet-stream", "multipart/mixed; boundary=a", ""] {
      #expect(try MultipartReader.reader(of: type).map { _ in true } == nil)
    }
    for type in [
      "multipart/form-data; boundary=XY", "Multipart/Form-Data; charset=utf-8; Boundary=\"XY\"",
      "multipart/form-data;boundary=XY ",
    ] {
      var reader = try #require(try MultipartReader.reader(of: type))
      #expect(try reader.read(form([1, 2])) == [1, 2])
    }
    for type in [
      "multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=ä",
      "multipart/form-data; boundary=" + String(repeating: "a", count: 71),
    ] {
      #expect(throws: MultipartError.boundary) { try MultipartReader.reader(of: type) }
    }
  }
}

extension Array where Element: Equatable {
  /// The elements before others; nil if those do not occur.
  fileprivate func prefixBefore(_ wanted: [Element]) -> [Element]? {
    guard count >= wanted.count else { return nil }
    return (0...(count - wanted.count)).first { Array(self[$0..<($0 + wanted.count)]) == wanted }
      .map {
        Array(self[..<$0])
      }
  }
}
