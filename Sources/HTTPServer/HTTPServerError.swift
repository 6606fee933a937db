private import Glibc

/// An error that prevents a server from starting or from reloading its certificate.
package struct HTTPServerError: Error, Sendable, CustomStringConvertible {
  /// The kind of an error.
  package struct Code: RawRepresentable, Hashable, Sendable {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    /// A system call failed.
    ///
    /// `errorNumber` has its error number.
    package static let system = Code(rawValue: "system")
    /// The configured address is not numeric, or the server cannot listen at it.
    ///
    /// `errorNumber` has the system's error number, if there is one.
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
    HTTPServerError(
      .system, "\(call)\(what.isEmpty ? "" : " of \(what)") failed: \(reason(number)).",
      errorNumber: number)
  }

  /// Returns the error of a server that cannot listen at an address.
  static func listening(at address: SocketAddress, _ number: Int32) -> HTTPServerError {
    HTTPServerError(
      .address, "The server cannot listen at \(address): \(reason(number)).", errorNumber: number)
  }

  /// Returns the error of a certificate or key file that the system cannot read.
  static func unreadable(_ path: String, _ number: Int32) -> HTTPServerError {
    HTTPServerError(
      .certificate,
      number == ENOENT
        ? "The file \(path) does not exist."
        : "The file \(path) cannot be read: \(reason(number)).", errorNumber: number)
  }

  /// Returns the system's description of an error number.
  private static func reason(_ number: Int32) -> String {
    unsafe String(cString: strerror(number))
  }
}
