import CloudRecords
import CloudWire
import JSONCoding
import TestSupport
import Testing

/// The number of random values for each kind of message.
private let triesOfEachMessage = 200

/// Writes a request as clients do, and reads it as the server does.
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

/// Writes a response as the server does, and reads it as clients do.
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
