/// A response from a server.
package struct TransportResponse: Sendable {
  package var status: Int
  /// The header fields in their order.
  ///
  /// Names are compared without case.
  package var headers: [(name: String, value: String)]
  package var body: [UInt8]

  package init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// Whether the status is a success.
  package var isSuccess: Bool { (200..<300).contains(status) }

  /// The value of the first field with a name, ignoring case.
  package subscript(_ name: String) -> String? {
    headers.first { $0.name.isFieldName(name) }?.value
  }
}

extension String {
  /// Whether this is the name of a header field, ignoring case.
  package func isFieldName(_ name: String) -> Bool {
    utf8.count == name.utf8.count
      && zip(utf8, name.utf8).allSatisfy { $0 == $1 || $0.lowercased == $1.lowercased }
  }
}

extension UInt8 {
  fileprivate var lowercased: UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
  }
}
