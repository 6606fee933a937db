/// The status code of a response.
package struct HTTPStatus: RawRepresentable, Hashable, Sendable {
  /// The three-digit number.
  package let rawValue: Int

  /// Creates a status from a number between 100 and 999.
  package init(rawValue: Int) {
    precondition(
      (100...999).contains(rawValue), "\(rawValue) is not a status code: it needs three digits.")
    self.rawValue = rawValue
  }

  package static let `continue` = HTTPStatus(rawValue: 100)
  package static let ok = HTTPStatus(rawValue: 200)
  package static let created = HTTPStatus(rawValue: 201)
  package static let accepted = HTTPStatus(rawValue: 202)
  package static let noContent = HTTPStatus(rawValue: 204)
  package static let partialContent = HTTPStatus(rawValue: 206)
  package static let found = HTTPStatus(rawValue: 302)
  package static let seeOther = HTTPStatus(rawValue: 303)
  package static let notModified = HTTPStatus(rawValue: 304)
  package static let badRequest = HTTPStatus(rawValue: 400)
  package static let unauthorized = HTTPStatus(rawValue: 401)
  package static let forbidden = HTTPStatus(rawValue: 403)
  package static let notFound = HTTPStatus(rawValue: 404)
  package static let methodNotAllowed = HTTPStatus(rawValue: 405)
  package static let requestTimeout = HTTPStatus(rawValue: 408)
  package static let conflict = HTTPStatus(rawValue: 409)
  package static let lengthRequired = HTTPStatus(rawValue: 411)
  package static let preconditionFailed = HTTPStatus(rawValue: 412)
  package static let contentTooLarge = HTTPStatus(rawValue: 413)
  package static let uriTooLong = HTTPStatus(rawValue: 414)
  package static let unsupportedMediaType = HTTPStatus(rawValue: 415)
  package static let rangeNotSatisfiable = HTTPStatus(rawValue: 416)
  package static let expectationFailed = HTTPStatus(rawValue: 417)
  package static let misdirectedRequest = HTTPStatus(rawValue: 421)
  package static let tooManyRequests = HTTPStatus(rawValue: 429)
  package static let requestHeaderFieldsTooLarge = HTTPStatus(rawValue: 431)
  package static let internalServerError = HTTPStatus(rawValue: 500)
  package static let notImplemented = HTTPStatus(rawValue: 501)
  package static let serviceUnavailable = HTTPStatus(rawValue: 503)
  package static let httpVersionNotSupported = HTTPStatus(rawValue: 505)

  /// Whether responses with this status never have a body.
  package var forbidsBody: Bool { rawValue < 200 || self == .noContent || self == .notModified }

  /// The reason phrase, which only people read.
  package var reason: String {
    switch rawValue {
    case 100: "Continue"
    case 200: "OK"
    case 201: "Created"
    case 202: "Accepted"
    case 204: "No Content"
    case 206: "Partial Content"
    case 302: "Found"
    case 303: "See Other"
    case 304: "Not Modified"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 408: "Request Timeout"
    case 409: "Conflict"
    case 411: "Length Required"
    case 412: "Precondition Failed"
    case 413: "Content Too Large"
    case 414: "URI Too Long"
    case 415: "Unsupported Media Type"
    case 416: "Range Not Satisfiable"
    case 417: "Expectation Failed"
    case 421: "Misdirected Request"
    case 429: "Too Many Requests"
    case 431: "Request Header Fields Too Large"
    case 500: "Internal Server Error"
    case 501: "Not Implemented"
    case 503: "Service Unavailable"
    case 505: "HTTP Version Not Supported"
    default: ""
    }
  }
}
