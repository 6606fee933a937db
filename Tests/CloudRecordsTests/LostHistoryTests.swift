import CloudRecords
import Testing

@Suite struct `History that a server lost` {
  private static let history = LostHistory(
    lost: [.init(after: 3, through: 100), .init(after: 120, through: nil)], readThrough: 110)

  @Test(
    arguments: [
      (nil, false), ("", false), ("?", false), ("3", false), ("4", true), ("2s", true),
      ("2t", false), ("3c", false),
      ("3d", true), ("zzzzzzzz", true),
    ] as [(String?, Bool)])
  func `The lost history holds tags after one position and up to another`(
    tag: String?, isLost: Bool
  ) {
    #expect(Self.history.isLost(tag: tag) == isLost)
  }

  @Test(
    arguments: [("3", true), ("4", false), ("2t", true), ("32", true), ("33", false), (nil, false)]
      as [(String?, Bool)]
  )
  func `Tags that are not lost were read up to a position`(tag: String?, wasRead: Bool) {
    #expect(Self.history.wasRead(tag: tag) == wasRead)
    #expect(!LostHistory(lost: Self.history.lost).wasRead(tag: tag))
  }

  @Test func `The lost history is read back from its text`() {
    for history in [
      Self.history, LostHistory(lost: Self.history.lost), LostHistory(lost: []),
      LostHistory(lost: [], readThrough: 0),
    ] {
      #expect(LostHistory(text: history.text) == history)
    }
    for text in ["", "3", "3;", "3-;?", "-3;", "3-?;", "3-4;5;6"] {
      #expect(LostHistory(text: text) == nil, "\(text)")
    }
  }
}
