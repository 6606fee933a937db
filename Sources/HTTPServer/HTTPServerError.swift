private import Glibc

/// An error that prevents a server from starting.
package struct HTTPServerError: Error, Sendable, CustomStringConvertible {
  /// The kind of an error.
  package struct Code: RawRepresentable, Hashable, Sendable {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    /// A system call failed.
    ///
    /// `errorNumber` has its error number.
    package static let system = Code(rawValue: "system")
    /// The configured address is not numeric.
    package static let address = Code(rawValue: "address")
    /// A certificate or a key cannot be used.
    package static let certificate = Code(rawValue: "certificate")
    /// The server was already started.
    package static let state = Code(rawValue: "state")
  }

  package let code: Code
  /// A description of the error, with the place and the remedy.
  package let message: String
  /// The system's error number, or 0 if there is none.
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
