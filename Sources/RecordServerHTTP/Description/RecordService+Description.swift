import HTTPServer
import JSONCoding

extension RecordService {
  /// Answers with the OpenAPI description of this server.
  func answerDescription(_ request: HTTPRequest) throws -> Answer {
    let description = try ServiceDescription(address: address(of: request)).document()
    return Answer(
      HTTPResponse(
        headers: ["Content-Type": "application/json; charset=utf-8"],
        body: .bytes(description.bytes)))
  }
}
