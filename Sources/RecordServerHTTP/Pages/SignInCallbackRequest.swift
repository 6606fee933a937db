/// The callback parameters that a program on the user's machine adds to the address of the sign-in
/// page.
struct SignInCallbackRequest: Hashable, Sendable {
  /// The port on which the program listens, or nil for the port of the callback.
  ///
  /// A program cannot know its port in advance, so the operator cannot configure it (RFC 8252,
  /// section 7.3).
  private(set) var port: UInt16?
  /// The program's state text, which proves that the browser comes from the page that the program
  /// opened.
  private(set) var state: String?

  /// No parameters.
  static let none = SignInCallbackRequest()

  private init() {}

  /// Reads the parameters of an address.
  ///
  /// Returns nil if they are not valid.
  init?(_ parameters: QueryParameters) {
    if let text = parameters.value(of: "ckCallbackPort") {
      guard let port = UInt16(text), port > 0, text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") })
      else { return nil }
      self.port = port
    }
    if let text = parameters.value(of: "ckState") {
      guard (1...128).contains(text.utf8.count), text.utf8.allSatisfy(Self.isPlain) else {
        return nil
      }
      state = text
    }
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// The parameters as they follow other parameters of an address.
  var parameters: String {
    (port.map { "&ckCallbackPort=\($0)" } ?? "") + stateParameter
  }

  /// The state as it follows other parameters of an address.
  var stateParameter: String { state.map { "&ckState=\($0)" } ?? "" }

  /// The address at which a program on the user's machine waits for a share; nil without a port and
  /// a state.
  var handoverAddress: String? {
    guard let port, state != nil else { return nil }
    return "http://127.0.0.1:\(port)/share"
  }

  /// The callback's address, with the program's port if the callback is on the user's machine.
  func address(_ callback: String) -> String {
    guard let port else { return callback }
    for host in ["http://127.0.0.1", "http://[::1]"] where callback.hasPrefix(host) {
      var rest = callback.dropFirst(host.count)
      if rest.first == ":" { rest = rest.dropFirst().drop { $0.isASCII && $0.isNumber } }
      // A longer host name with the same beginning is another machine's.
      guard rest.isEmpty || rest.first == "/" || rest.first == "?" else { return callback }
      return "\(host):\(port)\(rest)"
    }
    return callback
  }

  /// The callback's address with a web token.
  func address(_ callback: String, webToken: String) -> String {
    let mark = callback.contains("?") ? "&" : "?"
    return
      "\(address(callback))\(mark)ckWebAuthToken=\(webToken)\(stateParameter)"
  }
}
