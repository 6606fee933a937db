import HTTPServer

extension RecordService {
  /// Answers with the OpenAPI description of this server.
  func answerDescription(_ request: HTTPRequest) throws -> Answer {
    Answer(try ServiceDescription.response(address: address(of: request)))
  }
}
