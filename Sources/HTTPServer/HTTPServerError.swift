private import Glibc

/// Why a server could not start.
package struct HTTPServerError: Error, Sendable, CustomStringConvertible {
  /// What kind of thing is wrong.
  package struct Code: RawRepresentable, Hashable, Sendable {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    /// A call of the system failed; `errorNumber` says how.
    package static let system = Code(rawValue: "system")
    /// The configuration's address is not numeric.
    package static let address = Code(rawValue: "address")
    /// A certificate or a key cannot be used.
    package static let certificate = Code(rawValue: "certificate")
    /// The server was started before.
    package static let state = Code(rawValue: "state")
  }

  package let code: Code
  /// What was wrong, where, and what to do.
  package let message: String
  /// The system's number of the error; 0 where it has none.
  package let errorNumber: Int32

  package var description: String { message }

  init(_ code: Code, _ message: String, errorNumber: Int32 = 0) {
    self.code = code
    self.message = message
    self.errorNumber = errorNumber
  }

  static func system(_ call: String, _ number: Int32, _ what: String = "") -> HTTPServerError {
    let reason = unsafe String(cString: strerror(number))
    return HTTPServerError(
      .system, "\(call)\(what.isEmpty ? "" : " of \(what)") failed: \(reason).", errorNumber: number
    )
  }
}
