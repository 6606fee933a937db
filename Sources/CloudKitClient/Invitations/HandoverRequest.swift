import Cryptography
import Foundation
import HTTPServer

/// A request at the port of a program that waits for invitations, classified.
package enum HandoverRequest: Equatable {
  /// The browser comes from the invitation page that the program opened, with its state.
  case page(query: String, state: String)
  /// Another program of the user passes an address of the URL scheme on.
  case program
  /// A forged or malformed request, for example from another page in the browser.
  case forged
  /// Another request that browsers make by themselves, such as for an icon.
  case unrelated

  /// Classifies a request.
  ///
  /// Another page can make the browser send a request to this host name. Header fields reveal such
  /// a request, except a navigation, which lacks the state and the secret. If a page points its own
  /// host name at this machine, the browser sends that name.
  ///
  /// - Parameter field: Returns a header field.
  package init(
    isGet: Bool, path: String, query: String?, port: UInt16, secret: String,
    field: (StaticString) -> String?
  ) {
    guard field("host") == "127.0.0.1:\(port)", field("origin").map({ $0 == "null" }) ?? true,
      ["navigate", nil].contains(field("sec-fetch-mode"))
    else {
      self = .forged
      return
    }
    switch (isGet, path) {
    case (true, "/share"):
      let states = HandedShare.values(query ?? "").filter { $0.name == "ckState" }
      self =
        states.count == 1 ? .page(query: query ?? "", state: states[0].value) : .forged
    case (false, "/hand-over"):
      let isRight = field(Self.secretField).map {
        ConstantTime.areEqual(Array($0.utf8), Array(secret.utf8))
      }
      self = isRight == true ? .program : .forged
    case (true, _): self = .unrelated
    case (false, _): self = .forged
    }
  }

  /// The header field with the secret from the file that only the user can read.
  static let secretField: StaticString = "x-parhelion-secret"

  /// The page that the browser shows afterwards.
  static func page(_ status: HTTPStatus, _ sentence: String) -> HTTPResponse {
    HTTPResponse(page: "Invitation", status, sentence)
  }
}
