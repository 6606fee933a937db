import Cryptography
import Foundation
import HTTPServer

/// A local HTTP server that receives the web auth token from a browser redirect.
///
/// It accepts local connections under the name 127.0.0.1 only, and a token only with the random
/// state that was sent to the sign-in page. Other web pages can send requests to the port, but
/// cannot satisfy both.
struct SignInCallback {
  private let server: HTTPServer
  let port: UInt16
  private let proof: String
  private let tokens: AsyncStream<String>

  static func start() async throws(CKError) -> SignInCallback {
    let proof = DigestText.of(bytes: SecureRandom.bytes(32))
    let (tokens, mailbox) = AsyncStream<String>.makeStream(bufferingPolicy: .bufferingOldest(1))
    var configuration = HTTPServer.Configuration()
    configuration.maximumConnections = 16
    let server = HTTPServer(configuration) { request in
      let redirect = SignInRedirect(
        isGet: request.method == .get, host: request.headers["host"], query: request.query,
        proof: proof)
      if case .token(let token) = redirect { mailbox.yield(token) }
      return redirect.response
    }
    do {
      let address = try await server.start()
      return SignInCallback(server: server, port: address.port, proof: proof, tokens: tokens)
    } catch {
      throw CKError(
        .internalError, "Cannot listen on a local port for the browser's redirect: \(error)")
    }
  }

  /// The sign-in page's URL, extended by the callback port and the state.
  func address(from page: URLComponents) -> URL {
    var page = page
    let items = [
      URLQueryItem(name: "ckCallbackPort", value: String(port)),
      URLQueryItem(name: "ckState", value: proof),
    ]
    page.queryItems = (page.queryItems ?? []) + items
    guard let url = page.url else {
      preconditionFailure("A URL with additional query items is valid.")
    }
    return url
  }

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
      "The browser delivered no token within \(limit). Check that the API token permits the callback http://127.0.0.1/signed-in. If the server's page shows a token instead, pass it to signIn(webAuthToken:)."
    )
  }

  /// Stops listening after the browser has received its response.
  func stop() async { await server.shutdown(within: .seconds(2)) }
}
