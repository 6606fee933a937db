import Cryptography
import Foundation
import HTTPServer

/// A port of this machine to which a browser brings the token of somebody who has signed in.
///
/// It takes connections of this machine only, under its own name only, and a token only beside the
/// text that went to the page: another page of the browser can send requests here, but knows
/// neither.
struct SignInCallback {
  private let server: HTTPServer
  /// Where it listens.
  let port: UInt16
  private let proof: String
  private let tokens: AsyncStream<String>

  /// Begins to listen.
  static func start() async throws(CKError) -> SignInCallback {
    let proof = DigestText.of(bytes: SecureRandom.bytes(32))
    let (tokens, mailbox) = AsyncStream<String>.makeStream(bufferingPolicy: .bufferingOldest(1))
    var configuration = HTTPServer.Configuration()
    configuration.maximumConnections = 16
    let server = HTTPServer(configuration) { request in
      let visit = SignInCallbackRoute(
        isGet: request.method == .get, host: request.headers["host"], query: request.query,
        proof: proof)
      if case .token(let token) = visit { mailbox.yield(token) }
      return visit.response
    }
    do {
      let address = try await server.start()
      return SignInCallback(server: server, port: address.port, proof: proof, tokens: tokens)
    } catch {
      throw CKError(
        .internalError,
        "No port of this machine can be had for the browser to come back to: \(error)")
    }
  }

  /// The page to open, which is told where the browser goes afterwards.
  func address(from page: URLComponents) -> URL {
    var page = page
    let items = [
      URLQueryItem(name: "ckCallbackPort", value: String(port)),
      URLQueryItem(name: "ckState", value: proof),
    ]
    page.queryItems = (page.queryItems ?? []) + items
    guard let url = page.url else {
      preconditionFailure("An address with more parameters is an address.")
    }
    return url
  }

  /// Waits for the token.
  func token(within limit: Duration, _ dependencies: ClientDependencies) async throws(CKError)
    -> String
  {
    let tokens = tokens
    let token = await withTaskGroup(of: String?.self) { group in
      group.addTask { await tokens.first { _ in true } }
      group.addTask {
        try? await dependencies.wait(limit)
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
    if let token { return token }
    if Task.isCancelled { throw CKError(.operationCancelled, "Signing in was cancelled.") }
    throw CKError(
      .notAuthenticated,
      "The browser brought no token within \(limit). Has the API token the callback http://127.0.0.1/signed-in? If the server's page shows a token instead, pass it to signIn(webAuthToken:)."
    )
  }

  /// Ends listening, once the browser has its answer.
  func stop() async { await server.shutdown(within: .seconds(2)) }
}
