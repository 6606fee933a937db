import RecordServerHTTP
import Testing

@Suite struct UploadPartTests {
  @Test(arguments: [
    ("bytes */1000", "question"), ("bytes 400-999/1000", "from 400"), ("bytes 0-0/1", "from 0"),
    ("bytes 400-998/1000", "nothing"), ("bytes 999-400/1000", "nothing"), ("bytes -1-9/10", "nothing"),
    ("bytes */-1", "nothing"), ("bytes */x", "nothing"), ("400-999/1000", "nothing"), ("", "nothing"),
    ("bytes 1-2-9/10", "nothing"), ("bytes 9-9/9", "nothing"),
  ])
  func `Is a question, the rest of a file, or nothing`(_ field: String, _ meaning: String) {
    let said =
      switch UploadPart(field) {
      case .question: "question"
      case .rest(let start): "from \(start)"
      case nil: "nothing"
      }
    #expect(said == meaning)
  }
}
