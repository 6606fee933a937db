import CloudRecords
import CloudWire
import JSONCoding
import TestSupport
import Testing

/// How many values by chance each kind of message is tried with.
private let triesOfEachMessage = 200

/// Writes questions as clients do, and reads them as the server does.
func expectToArrive<Question: ClientRequest & Equatable>(
  _ question: (inout Samples) -> Question, expected: (Question) -> Question = { $0 },
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  var samples = Samples()
  for _ in 0..<triesOfEachMessage {
    let sent = question(&samples)
    let body = sent.body
    let read = try Question(body: body)
    #expect(
      read == expected(sent), "\(samples.seed) \(String(decoding: body, as: UTF8.self))",
      sourceLocation: sourceLocation
    )
    if read != expected(sent) { return }
  }
}

/// Writes answers as the server does, and reads them as clients do.
func expectToComeBack<Answer: ClientResponse & Equatable>(
  _ answer: (inout Samples) -> Answer, expected: (Answer) -> Answer = { $0 },
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  var samples = Samples()
  for _ in 0..<triesOfEachMessage {
    let sent = answer(&samples)
    var writer = JSONWriter()
    sent.write(to: &writer)
    let read = try Answer(answer: writer.array())
    #expect(
      read == expected(sent), "\(samples.seed) \(String(decoding: writer.array(), as: UTF8.self))",
      sourceLocation: sourceLocation)
    if read != expected(sent) { return }
  }
}
