import Foundation
import LaboratoryCommands
import TestSupport
import Testing

@Suite("Messages between the demonstration and its devices")
struct DemoProtocolTests {
  private static let place = DemoPlace(
    folder: "/tmp/a folder", port: 8080,
    account: OwnAccount(containerIdentifier: "c", programToken: "p", userToken: "u"))

  private static let contents = DemoContents(
    folders: ["B", "A"],
    notes: [
      DemoNote(folder: "A", title: "Two\nlines"),
      DemoNote(
        folder: "A", title: "One", text: "“”/\\", attachment: DemoAttachment(Data([1, 2, 3]))),
    ])

  @Test(
    arguments: [
      .open(place: place), .add(folder: "A", titles: ["1", "2"]),
      .addOneByOne(folder: "A", titles: []),
      .rename(title: "a", to: "b"), .write(title: "a", text: "line\nline"),
      .attach(title: "a", bytes: 5),
      .delete(titles: ["a"]), .pause, .resume, .sync, .show, .lose, .look(place: place),
      .measured(.open(place: place)), .measured(.fill(first: 1, count: 2)), .measured(.sum),
      .measured(.overwrite(first: 1, count: 2, text: "a")), .measured(.waitForNotes(3)),
      .measured(.waitForText("a")),
    ] as [DemoOrder])
  func `Each order is one line and is read back`(order: DemoOrder) throws {
    let request = DemoRequest(number: 7, order: order)
    let line = try DemoLine.text(request)
    #expect(!line.contains("\n"))
    #expect(try DemoLine.value(DemoRequest.self, from: line) == request)
  }

  @Test(
    arguments: [
      .done(order: 3, span: DemoSpan(began: 1, ended: .max)),
      .refused(order: 4, reason: "No.\nNo!"),
      .shows(view: DemoView(contents: contents, phase: "idle", pendingCount: 2, seenAt: 5)),
      .server(contents: contents, filed: ["One"]),
      .sum(order: 5, DemoSum(notes: 2, digest: "ab", pendingCount: 1)),
    ] as [DemoMessage])
  func `Each message is one line and is read back`(message: DemoMessage) throws {
    let line = try DemoLine.text(message)
    #expect(!line.contains("\n"))
    #expect(try DemoLine.value(DemoMessage.self, from: line) == message)
  }

  @Test func `Orders have readable names for use by hand`() throws {
    let line = try DemoLine.text(DemoRequest(number: 1, order: .rename(title: "a", to: "b")))
    #expect(line == #"{"number":1,"order":{"rename":{"title":"a","to":"b"}}}"#)
    #expect(
      try DemoLine.value(DemoRequest.self, from: #"{"number":2,"order":{"sync":{}}}"#).order
        == .sync)
  }

  @Test func `Lines are assembled however they were divided`() {
    var generator = SeededGenerator.forTest()
    let lines = ["{}", "", "é“”", String(repeating: "x", count: 300), "last"]
    let bytes = Data((lines.joined(separator: "\n") + "\nrest").utf8)
    var (splitter, found, start) = (LineSplitter(), [String](), 0)
    while start < bytes.count {
      let end = min(bytes.count, start + Int.random(in: 1...40, using: &generator))
      found += splitter.take(bytes[start..<end])
      start = end
    }
    #expect(found == lines, "\(generator)")
    #expect(splitter.take(Data("\n".utf8)) == ["rest"])
  }

  @Test func `Equal contents have equal digests in any order, and others differ`() {
    let (one, other) = (DemoNote(folder: "A", title: "1"), DemoNote(folder: "A", title: "2"))
    let both = DemoContents(folders: ["A", "B"], notes: [one, other])
    #expect(both.digest == DemoContents(folders: ["B", "A"], notes: [other, one]).digest)
    #expect(both.digest != DemoContents(folders: ["A"], notes: [one, other]).digest)
    #expect(both.digest != DemoContents(folders: ["A", "B"], notes: [one, one]).digest)
    let (long, short) = (DemoAttachment.bytes(1_001), DemoAttachment.bytes(1_000))
    #expect(long.count == 1_001)
    #expect(DemoAttachment(long) == DemoAttachment(DemoAttachment.bytes(1_001)))
    #expect(DemoAttachment(long.prefix(1_000)) != DemoAttachment(short))
  }
}
