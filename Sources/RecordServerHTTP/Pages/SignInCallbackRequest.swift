/// How a program on the user's machine wants the browser back, as it adds to the address of the
/// page to sign in on.
struct SignInCallbackRequest: Hashable, Sendable {
  /// The port at which the program listens; nil for that of the callback.
  ///
  /// Programs cannot know it beforehand, so that the operator cannot name it (RFC 8252, section
  /// 7.3).
  private(set) var port: UInt16?
  /// A text of the program's, by which it knows that the browser comes from the page that it
  /// opened.
  private(set) var state: String?

  /// No wish.
  static let none = SignInCallbackRequest()

  private init() {}

  /// The wish in an address; nil where it is none that can be had.
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

  /// The wish as it stands behind other parameters of an address.
  var parameters: String {
    (port.map { "&ckCallbackPort=\($0)" } ?? "") + (state.map { "&ckState=\($0)" } ?? "")
  }

  /// Where the browser goes: the callback, at the program's port where it is at the user's machine.
  func address(_ callback: String) -> String {
    guard let port else { return callback }
    for host in ["http://127.0.0.1", "http://[::1]"] where callback.hasPrefix(host) {
      var rest = callback.dropFirst(host.count)
      if rest.first == ":" { rest = rest.dropFirst().drop { $0.isASCII && $0.isNumber } }
      // Longer names that begin alike are of other machines.
      guard rest.isEmpty || rest.first == "/" || rest.first == "?" else { return callback }
      return "\(host):\(port)\(rest)"
    }
    return callback
  }

  /// Where the browser goes with its token.
  func address(_ callback: String, webToken: String) -> String {
    let mark = callback.contains("?") ? "&" : "?"
    return
      "\(address(callback))\(mark)ckWebAuthToken=\(webToken)\(state.map { "&ckState=\($0)" } ?? "")"
  }
}
