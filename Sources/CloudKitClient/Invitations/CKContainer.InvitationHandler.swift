import CloudRecords
import Cryptography
public import Foundation
import HTTPServer
import Synchronization

extension CKContainer {
  /// Receives the shares that the user opens from the server's invitation pages.
  ///
  /// Parhelion's addition. It takes the place of
  /// `application(_:userDidAcceptCloudKitShareWith:)`.
  ///
  /// ```swift
  /// let invitations = try await container.invitationHandler()
  /// for await metadata in invitations {
  ///   try await container.accept(metadata)
  /// }
  /// ```
  ///
  /// The handler listens on a local port. It delivers a share only after the server has confirmed
  /// that this container's user chose it on an invitation page in the last minutes. The server
  /// confirms each choice once. So another page in the browser, or another user of the machine,
  /// cannot deliver anything.
  ///
  /// A program that is not running is started by the URL scheme `parhelion-share`: `parhelion share
  /// register` makes browsers start `parhelion share open`, or a program of your own, which then
  /// calls ``receive(_:)`` with the address.
  public final class InvitationHandler: AsyncSequence, Sendable {
    /// The metadata of a share.
    public typealias Element = CKShare.Metadata
    /// Nothing: the sequence does not fail.
    public typealias Failure = Never

    private let container: CKContainer
    private let programs: WaitingPrograms
    private let entry: WaitingPrograms.Entry
    private let fileName: String
    private let server: HTTPServer
    private let deliveries: Deliveries

    private init(
      _ container: CKContainer, _ programs: WaitingPrograms, _ entry: WaitingPrograms.Entry,
      _ fileName: String, _ server: HTTPServer, _ deliveries: Deliveries
    ) {
      (self.container, self.programs, self.entry) = (container, programs, entry)
      (self.fileName, self.server, self.deliveries) = (fileName, server, deliveries)
    }

    deinit {
      programs.remove(fileName)
      deliveries.finish()
      let server = server
      Task { await server.shutdown(within: .zero) }
    }

    /// Returns the address of a share's page from which the browser comes back to this program.
    ///
    /// Show it in the user's browser. The page at the plain `shareURL` uses the URL scheme instead.
    ///
    /// - Parameter shareURL: The share's link. Its fragment, which may hold a secret, is left out.
    public func page(for shareURL: URL) -> URL {
      guard var parts = URLComponents(url: shareURL, resolvingAgainstBaseURL: false) else {
        return shareURL
      }
      parts.fragment = nil
      parts.queryItems =
        (parts.queryItems ?? []) + [
          URLQueryItem(name: "ckCallbackPort", value: String(entry.port)),
          URLQueryItem(name: "ckState", value: deliveries.makeState()),
        ]
      return parts.url ?? shareURL
    }

    /// Takes an address of the URL scheme `parhelion-share`, with which the system started this
    /// program.
    ///
    /// - Returns: The metadata, which the sequence delivers as well.
    /// - Throws: `CKError.permissionFailure` if the server does not confirm the address,
    ///   `CKError.invalidArguments` if it is for another container.
    @discardableResult
    public func receive(_ url: URL) async throws -> CKShare.Metadata {
      guard let share = HandedShare(url) else {
        throw CKError(.invalidArguments, "The address is not an invitation.")
      }
      return try await deliveries.deliver(share, to: container)
    }

    /// Stops listening, and ends the sequence.
    public func stop() async {
      programs.remove(fileName)
      await server.shutdown(within: .seconds(2))
      deliveries.finish()
    }

    /// Returns an iterator over the shares, including those that arrived before the call.
    public func makeAsyncIterator() -> Iterator {
      Iterator(handler: self, shares: deliveries.stream.makeAsyncIterator())
    }

    /// An iterator over the shares of a handler.
    ///
    /// It retains the handler, so that a loop can run over a handler that nothing else retains.
    public struct Iterator: AsyncIteratorProtocol {
      /// The metadata of a share.
      public typealias Element = CKShare.Metadata
      /// Nothing: the iterator does not fail.
      public typealias Failure = Never

      fileprivate let handler: InvitationHandler
      fileprivate var shares: AsyncStream<CKShare.Metadata>.Iterator

      /// Waits for the next share; nil after the handler was stopped.
      public mutating func next(
        isolation actor: isolated (any Actor)?
      ) async -> CKShare.Metadata? {
        defer { withExtendedLifetime(handler) {} }
        return await shares.next(isolation: actor)
      }
    }
  }

  /// Starts to receive the shares that the user opens from the server's invitation pages.
  ///
  /// Parhelion's addition. The handler ends when it is stopped, or when neither the program nor a
  /// loop holds it.
  public func invitationHandler() async throws -> InvitationHandler {
    try await invitationHandler(folder: nil)
  }

  /// Starts a handler that other programs find in a given folder.
  package func invitationHandler(folder: String?) async throws(CKError) -> InvitationHandler {
    try await InvitationHandler.start(self, WaitingPrograms(path: folder))
  }
}

// MARK: - Listening

extension CKContainer.InvitationHandler {
  fileprivate static func start(_ container: CKContainer, _ programs: WaitingPrograms)
    async throws(CKError) -> CKContainer.InvitationHandler
  {
    let place = try container.session().address.container
    let secret = DigestText.of(bytes: SecureRandom.bytes(32))
    let deliveries = Deliveries()
    var configuration = HTTPServer.Configuration()
    configuration.maximumConnections = 16
    let listening = ListeningPort()
    let server = HTTPServer(configuration) { request in
      try await respond(to: request, listening.value, secret, deliveries, container)
    }
    let entry: WaitingPrograms.Entry
    do {
      entry = WaitingPrograms.Entry(port: try await server.start().port, secret: secret)
    } catch {
      throw CKError(.internalError, "Cannot listen on a local port for invitations: \(error)")
    }
    listening.set(entry.port)
    do throws(CKError) {
      let name = try programs.add(
        entry, container: place.container, environment: place.environment.rawValue)
      return CKContainer.InvitationHandler(
        container, programs, entry, name, server, deliveries)
    } catch {
      await server.shutdown(within: .zero)
      throw error
    }
  }

  private static func respond(
    to request: HTTPRequest, _ port: UInt16, _ secret: String, _ deliveries: Deliveries,
    _ container: CKContainer
  ) async throws -> HTTPResponse {
    let kind = HandoverRequest(
      isGet: request.method == .get, path: request.path, query: request.query, port: port,
      secret: secret, field: { request.headers[$0] })
    var share: HandedShare?
    switch kind {
    case .page(let query, let state):
      // The state is removed before the delivery, so a page that learns it later cannot use it.
      share = deliveries.takeState(state) ? HandedShare(query: query) : nil
    case .program:
      let text = String(decoding: try await request.collect(limit: 8 << 10), as: UTF8.self)
      share = URL(string: text).flatMap { HandedShare($0) }
    case .forged: break
    case .unrelated: return HTTPResponse(.notFound, text: "There is nothing here.\n")
    }
    guard let share else {
      return HandoverRequest.page(
        .forbidden, "This did not come from the invitation page. Start again there.")
    }
    do {
      try await deliveries.deliver(share, to: container)
      return HandoverRequest.page(
        .ok, "The application has the invitation. You can close this window.")
    } catch {
      return HandoverRequest.page(
        .forbidden,
        "The server did not confirm the invitation. Choose “Open in Application” on its page again."
      )
    }
  }
}

/// The port of a server, which is known only after the server has started.
private final class ListeningPort: Sendable {
  private let port = Mutex<UInt16>(0)

  var value: UInt16 { port.withLock { $0 } }
  func set(_ number: UInt16) { port.withLock { $0 = number } }
}

/// The states that a handler gave to pages, and the shares that arrived.
private final class Deliveries: Sendable {
  let stream: AsyncStream<CKShare.Metadata>
  private let continuation: AsyncStream<CKShare.Metadata>.Continuation
  private let states = Mutex<[String]>([])

  /// The maximum number of stored states: more than the pages that a person has open.
  private static let mostStates = 64

  init() {
    (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(64))
  }

  func makeState() -> String {
    let state = DigestText.of(bytes: SecureRandom.bytes(32))
    states.withLock { states in
      states.append(state)
      if states.count > Self.mostStates { states.removeFirst() }
    }
    return state
  }

  /// Removes a state, and returns whether it existed.
  func takeState(_ state: String) -> Bool {
    states.withLock { states in
      guard let place = states.firstIndex(of: state) else { return false }
      states.remove(at: place)
      return true
    }
  }

  /// Delivers a share after the server has confirmed it.
  @discardableResult
  func deliver(_ share: HandedShare, to container: CKContainer) async throws -> CKShare.Metadata {
    let place = try container.session().address.container
    guard share.container == place.container, share.environment == place.environment.rawValue else {
      throw CKError(
        .invalidArguments,
        """
        The invitation is for \(share.container) (\(share.environment)), not for \
        \(place.container) (\(place.environment.rawValue)).
        """
      )
    }
    let metadata = try await container.shareMetadata(for: share.link, handover: share.token)
    continuation.yield(metadata)
    return metadata
  }

  func finish() { continuation.finish() }
}
