import RecordServerHTTP
import Testing

@Suite struct UploadPartTests {
  @Test(arguments: [
    ("bytes */1000", "question of 1000"), ("bytes 400-999/1000", "600 from 400 of 1000"),
    ("bytes 0-0/1", "1 from 0 of 1"), ("bytes +0-9/10", "nothing"), ("bytes 0-9/+10", "nothing"),
    ("bytes */", "nothing"),
    ("bytes -/10", "nothing"), ("bytes 0-9/99999999999999999999", "nothing"),
    ("bytes 400-998/1000", "nothing"), ("bytes 999-400/1000", "nothing"),
    ("bytes -1-9/10", "nothing"),
    ("bytes */-1", "nothing"), ("bytes */x", "nothing"), ("400-999/1000", "nothing"),
    ("", "nothing"),
    ("bytes 1-2-9/10", "nothing"), ("bytes 9-9/9", "nothing"),
  ])
  func `A part is a question, the rest of a file, or nothing`(_ field: String, _ meaning: String) {
    let part = UploadPart(field)
    let output =
      switch part {
      case .question(let total): "question of \(total)"
      case .rest(let start, let total): "\(part?.length ?? -1) from \(start) of \(total)"
      case nil: "nothing"
      }
    #expect(output == meaning)
  }
}
