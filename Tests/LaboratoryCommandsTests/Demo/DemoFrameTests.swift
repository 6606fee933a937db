import LaboratoryCommands
import Testing

@Suite("Frames of the demonstration")
struct DemoFrameTests {
  private static func view(_ titles: [String], pending: Int = 0, at time: UInt64 = 1) -> DemoView {
    DemoView(
      contents: DemoContents(
        folders: ["A"], notes: titles.map { DemoNote(folder: "A", title: $0) }), phase: "idle",
      pendingCount: pending, seenAt: time)
  }

  private static func state() -> DemoState {
    var state = DemoState()
    state.scene = (2, 6, "Two edit")
    state.seconds = 12.345
    state.server = .running(port: 8080)
    state.take(.shows(view: view(["One"])), from: .desk)
    state.take(.shows(view: view(["One", "Two"], pending: 3)), from: .desk)
    state.take(.shows(view: view(["Three"])), from: .phone)
    state.take(.shows(view: view([])), from: .phone)
    state.say("Something happened.")
    return state
  }

  @Test func `Both devices stand side by side, with the server above and the log below`() {
    let lines = DemoFrame(Self.state(), columns: 80, rows: 16).lines.map { line in
      var line = line
      while line.last == " " { line.removeLast() }
      return line
    }
    let digests = [["One", "Two"], []].map { Self.view($0).contents.digest }
    let empty = String(repeating: " ", count: 38) + " │"
    let rule = String(repeating: "─", count: 80)
    func pair(_ one: String, _ other: String) -> String {
      one + String(repeating: " ", count: 38 - one.count) + " │ " + other
    }
    #expect(
      lines == [
        "Parhelion  2/6  Two edit" + String(repeating: " ", count: 50) + "12.3 s",
        "Server: running at 127.0.0.1:8080", rule,
        pair("DESK  idle, 3 to send", "PHONE  idle, 0 to send"),
        pair(
          "2 notes in 1 folder, digest \(digests[0])", "0 notes in 1 folder, digest \(digests[1])"),
        rule,
        pair("+ folder A", "+ folder A"), pair("+ A/One", "+ A/Three"),
        pair("+ A/Two", "- A/Three"), empty, empty,
        rule, "Something happened.", "", "", "",
      ])
  }

  @Test(arguments: [(80, 24), (41, 14), (200, 50), (10, 3)])
  func `Every line fills the terminal's width, and the lines fill its height`(
    columns: Int, rows: Int
  ) {
    var state = Self.state()
    for index in 0..<200 {
      state.take(.shows(view: Self.view(["A very long title of a note, \(index)"])), from: .desk)
    }
    let (width, height) = (
      max(columns, DemoFrame.smallest.columns), max(rows, DemoFrame.smallest.rows)
    )
    let frame = DemoFrame(state, columns: columns, rows: rows)
    #expect(frame.lines.count == height)
    #expect(frame.lines.allSatisfy { $0.count == width })
    #expect(DemoFrame(DemoState(), columns: columns, rows: rows).lines.count == height)
  }

  @Test func `Texts are truncated with a mark or padded`() {
    #expect(DemoFrame.fitted("abc", to: 5) == "abc  ")
    #expect(DemoFrame.fitted("abc", to: 3) == "abc")
    #expect(DemoFrame.fitted("abcd", to: 3) == "ab…")
  }

  @Test func `Insertions, deletions and changes have a line each`() {
    let old = DemoContents(
      folders: ["A", "B"],
      notes: [DemoNote(folder: "A", title: "1"), DemoNote(folder: "A", title: "2")])
    let new = DemoContents(
      folders: ["A", "C"],
      notes: [DemoNote(folder: "A", title: "2", text: "x"), DemoNote(folder: "A", title: "3")])
    #expect(
      DemoChanges.lines(from: old, to: new) == [
        "+ folder C", "- folder B", "- A/1", "~ A/2 “x”", "+ A/3",
      ])
    #expect(DemoChanges.lines(from: new, to: new).isEmpty)
  }

  @Test func `The first occurrence of a title counts`() {
    var state = DemoState()
    for (time, titles) in [(5, ["a"]), (7, ["a", "b"]), (9, ["b"]), (11, ["a", "b"])]
      as [(UInt64, [String])]
    {
      state.take(.shows(view: Self.view(titles, at: time)), from: .phone)
    }
    #expect(state.devices[.phone]?.firstSeen == ["a": 5, "b": 7])
  }

  @Test func `Devices agree if they have what the server has and nothing to send`() {
    var state = DemoState()
    #expect(
      state.differences == [
        "The desk has not shown anything.", "The phone has not shown anything.",
      ])
    let contents = Self.view(["a"]).contents
    state.take(.server(contents: contents, filed: []), from: .witness)
    for name in DemoDeviceName.devices { state.take(.shows(view: Self.view(["a"])), from: name) }
    #expect(state.differences.isEmpty)
    state.take(.shows(view: Self.view(["a"], pending: 1)), from: .desk)
    state.take(.shows(view: Self.view(["a", "b"])), from: .phone)
    #expect(
      state.differences == [
        "The desk has 1 change to send.", "The phone differs from the server: + A/b",
      ])
    state.take(.shows(view: Self.view(["a"])), from: .desk)
    state.take(.shows(view: Self.view(["a", "a"])), from: .phone)
    #expect(state.differences == ["The phone differs from the server: something exists twice"])
  }
}
