/// A server's answer.
package struct TransportResponse: Sendable {
  package var status: Int
  /// The header fields in the order in which they came; names are compared without case.
  package var headers: [(name: String, value: String)]
  package var body: [UInt8]

  package init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// Whether the server did what it was asked for.
  package var isSuccess: Bool { (200..<300).contains(status) }

  /// The value of the first field with a name, in whatever case it came.
  package subscript(_ name: String) -> String? {
    headers.first { $0.name.isFieldName(name) }?.value
  }
}

extension String {
  /// Whether it is a header field's name, in whatever case.
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
