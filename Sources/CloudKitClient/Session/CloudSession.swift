import CloudEncryption
package import CloudRecords
package import CloudTransport
package import CloudWire
import Cryptography
import Foundation
import JSONCoding
import Synchronization

/// Sends requests to one container for one caller: a user, an anonymous app or a server-to-server
/// key.
///
/// All requests of the client go through a session. It authenticates requests, adopts renewed
/// tokens from responses, retries temporary failures, and converts errors to the public API.
package final class CloudSession: Sendable {
  package let address: CloudAddress
  package let transport: any CloudTransport
  package let dependencies: ClientDependencies
  /// Called with a renewed token, to store it.
  private let onRenewal: @Sendable (CloudCredentials) -> Void
  /// Called when the server starts or stops rejecting the user's token.
  private let onStandingChange: @Sendable () -> Void
  /// Returns a sentence that says how to fix the credentials; nil if they did not cause the error.
  private let remedy: @Sendable (CloudError) -> String?
  private let state: Mutex<State>
  private let signer: RequestSigner?
  private let numbers = RequestNumbers()
  /// Wakes tasks that wait until the server is reachable again.
  package let answers = ResponseSignal()
  /// The downloaded files.
  let files = AssetFiles()
  /// Seals and opens encrypted values.
  package let vault: RecordVault

  private struct State {
    var credentials: CloudCredentials {
      didSet { parameters = credentials.parameters }
    }
    /// The query parameters for the credentials, cached because encoding them is slow.
    private(set) var parameters: String
    /// The number of `adopt(_:)` calls.
    ///
    /// A response to a request with an earlier token says nothing about the current token.
    var adoptions = 0
    /// The user record name, once it is known.
    var userRecordName: String?
    var standing = UserState.unknown
    /// The push token of this device.
    var deviceToken: String?
    /// The anonymous session of the app, created on first use.
    var withoutUser: CloudSession?

    init(_ credentials: CloudCredentials, userRecordName: String?) {
      (self.credentials, self.userRecordName) = (credentials, userRecordName)
      parameters = credentials.parameters
    }
  }

  package init(
    address: CloudAddress, credentials: CloudCredentials, userRecordName: String? = nil,
    transport: any CloudTransport, dependencies: ClientDependencies = .machine,
    vault: RecordVault = RecordVault(makeStore: { MemoryKeyStore() }),
    onRenewal: @escaping @Sendable (CloudCredentials) -> Void = { _ in },
    onStandingChange: @escaping @Sendable () -> Void = {},
    remedy: @escaping @Sendable (CloudError) -> String? = { _ in nil }
  ) throws(CKError) {
    self.address = address
    self.transport = transport
    self.dependencies = dependencies
    self.onRenewal = onRenewal
    self.vault = vault
    self.onStandingChange = onStandingChange
    self.remedy = remedy
    state = Mutex(State(credentials, userRecordName: userRecordName))
    guard case .serverKey(let identifier, let pem) = credentials else {
      signer = nil
      vault.serve(self)
      return
    }
    guard let key = SignaturePrivateKey(pem: pem) else {
      throw CKError(
        .notAuthenticated,
        "The private key of \(identifier) cannot be read. It must be in PEM, as `openssl ecparam -genkey -name prime256v1` writes it."
      )
    }
    signer = RequestSigner(keyIdentifier: identifier, key: key)
    vault.serve(self)
  }

  /// The current credentials.
  package var credentials: CloudCredentials { state.withLock { $0.credentials } }

  /// Continues with another token of the same user.
  package func adopt(_ webAuthToken: String) {
    state.withLock { state in
      state.credentials = state.credentials.renewed(webAuthToken)
      state.adoptions += 1
      state.standing = .unknown
    }
  }

  /// Returns the anonymous session of the app, or this session if it has no user.
  package func withoutUser() throws(CKError) -> CloudSession {
    let (credentials, known) = state.withLock { ($0.credentials, $0.withoutUser) }
    guard case .user(let apiToken, _) = credentials else { return self }
    if let known { return known }
    let created = try CloudSession(
      address: address, credentials: .program(apiToken: apiToken), transport: transport,
      dependencies: dependencies)
    return state.withLock { state in
      // All callers share one session, because a session's downloaded files are removed with it.
      let kept = state.withoutUser ?? created
      state.withoutUser = kept
      return kept
    }
  }

  /// The server's latest verdict on the user's token.
  package var standing: UserState { state.withLock { $0.standing } }

  /// Sets the token that identifies the device in requests, so that the server does not notify the
  /// device of its own changes.
  package func setDeviceToken(_ token: String?) { state.withLock { $0.deviceToken = token } }

  // MARK: Calls

  /// A response, and whether the request may have been performed twice.
  package struct Reply<Response: Sendable>: Sendable {
    package var response: Response
    /// Whether an earlier attempt may have performed the request.
    package var mayBeRepeated: Bool
  }

  /// Sends a request, with retries.
  package func call<Call: DatabaseRequest>(
    _ call: Call, _ scope: DatabaseScope, _ options: CallOptions = CallOptions()
  ) async throws(CKError) -> Call.Response {
    try await reply(to: call, scope, options).response
  }

  /// Sends a request, with retries, and reports whether it may have been performed twice.
  package func reply<Call: DatabaseRequest>(
    to call: Call, _ scope: DatabaseScope, _ options: CallOptions = CallOptions()
  ) async throws(CKError) -> Reply<Call.Response> {
    let path = address.path(Call.endpoint, scope)
    // The protocol uses GET for requests without a body. Not all servers accept signatures of GET
    // requests, so a signed request always has a body.
    let body = Call.hasBody || signer != nil ? call.body : nil
    let stamp = Call.endpoint.isPerformedOnce ? numbers.begin(dependencies.makeName) : nil
    defer { if let stamp { numbers.end(stamp) } }
    let adoptions = adoptions
    let (answer, mayBeRepeated) = try await exchange(path, body, options, stamp)
    let response: Call.Response
    do throws(CKError) { response = try read(answer) } catch {
      // Without framing, a truncated response looks complete, so the request may have been
      // performed.
      throw error.code == .networkFailure ? error.markedAsMaybeArrived : error
    }
    note(nil, adoptions)
    return Reply(response: response, mayBeRepeated: mayBeRepeated)
  }

  /// Sends a request, with retries, and returns the first response without an error.
  ///
  /// A request without a body is a GET.
  package func exchange(
    _ path: String, _ body: [UInt8]?, _ options: CallOptions, _ stamp: RequestStamp? = nil
  ) async throws(CKError) -> (TransportResponse, mayBeRepeated: Bool) {
    var mayBeRepeated = false
    var attempt = 1
    while true {
      let failure: RetryPolicy.Failure
      let adoptions = adoptions
      let request = try request(path, body, options, stamp)
      do throws(TransportError) {
        let answer = try await transport.send(request)
        if let error = networkError(of: answer) { throw error }
        renew(from: answer, adoptions)
        guard let error = error(of: answer) else {
          answers.signal()
          return (answer, mayBeRepeated)
        }
        note(error, adoptions)
        mayBeRepeated = mayBeRepeated || error.mayHaveArrived
        failure = .server(error)
      } catch {
        mayBeRepeated = mayBeRepeated || error.mayHaveArrived
        failure = .transport(error)
      }
      do throws(CKError) { try await pause(after: failure, attempt: attempt, options) } catch {
        // The last attempt's error is thrown, but an earlier attempt may have arrived.
        throw mayBeRepeated ? error.markedAsMaybeArrived : error
      }
      attempt += 1
    }
  }

  /// Waits before a retry.
  ///
  /// - Throws: The error of the failure if no retry follows.
  func pause(
    after failure: RetryPolicy.Failure, attempt: Int, _ options: CallOptions
  ) async throws(CKError) {
    switch options.retry.decide(failure, attempt: attempt, chance: dependencies.chance()) {
    case .giveUp: throw reported(failure)
    case .sendAgain(let wait):
      guard options.allows(wait, at: dependencies.monotonicNow()) else { throw reported(failure) }
      do { try await (dependencies.pause ?? dependencies.wait)(wait) } catch {
        throw CKError(.operationCancelled)
      }
    }
  }

  /// The error of a request that is no longer retried.
  private func reported(_ failure: RetryPolicy.Failure) -> CKError {
    let error = CKError(failure)
    guard case .server(let cause) = failure, let sentence = remedy(cause) else { return error }
    return error.adding(sentence)
  }

  // MARK: Requests

  private func request(
    _ path: String, _ body: [UInt8]?, _ options: CallOptions, _ stamp: RequestStamp?
  ) throws(CKError) -> TransportRequest {
    let (credentials, parameters, device) = state.withLock {
      ($0.credentials, $0.parameters, $0.deviceToken)
    }
    var request = TransportRequest(
      body == nil ? .get : .post, address.server + path + parameters, body: body.map { .bytes($0) })
    request.headers = [("X-Parhelion-Client", "1")]
    if body != nil { request.headers.append(("Content-Type", "application/json")) }
    if case .developmentUser(let word) = credentials {
      request.headers.append(("X-Parhelion-Development-User", word))
    }
    if let device { request.headers.append(("X-Parhelion-Device-Token", device)) }
    if let stamp { request.headers.append((RequestStamp.headerField, stamp.text)) }
    if let signer {
      request.headers += signer.headers(path: path, body: body ?? [], at: dependencies.now())
    }
    try options.limit(&request, at: dependencies.monotonicNow())
    return request
  }

  private var adoptions: Int { state.withLock(\.adoptions) }

  private func renew(from answer: TransportResponse, _ adoptions: Int) {
    guard
      let token = answer["X-Apple-CloudKit-Web-Auth-Token"] ?? answer["X-Apple-CloudKit-Session"],
      !token.isEmpty
    else { return }
    let renewed: CloudCredentials? = state.withLock { state in
      guard case .user(_, let old) = state.credentials, old != token, state.adoptions == adoptions
      else { return nil }
      state.credentials = state.credentials.renewed(token)
      return state.credentials
    }
    if let renewed { onRenewal(renewed) }
  }

  private func note(_ error: CloudError?, _ adoptions: Int) {
    let hasChanged = state.withLock { state in
      guard state.credentials.isOfUser, state.adoptions == adoptions else { return false }
      let before = state.standing
      state.standing = before.after(error)
      return (before == .refused) != (state.standing == .refused)
    }
    if hasChanged { onStandingChange() }
  }

  // MARK: Responses

  /// Returns an error if the response does not come from a record server; nil if it may.
  private func networkError(of answer: TransportResponse) -> TransportError? {
    guard Self.isOfNetworks(answer.status), (try? ErrorResponse(answer: answer.body)) == nil else {
      return nil
    }
    return TransportError(
      .malformed,
      "The response with status \(answer.status) did not come from \(address.server), but from a proxy or a captive portal that may require a sign-in."
    )
  }

  /// Whether a response with this status, but without a record server's error, comes from an
  /// intermediary in the network.
  ///
  /// A reverse proxy in front of the server may send the other statuses, for example if a request
  /// is too large.
  private static func isOfNetworks(_ status: Int) -> Bool {
    switch status {
    case 404, 408, 413, 429: false
    case 300..<500, 511: true
    default: false
    }
  }

  /// The error in a response; nil for success.
  func error(of answer: TransportResponse) -> CloudError? {
    if answer.isSuccess { return nil }
    let error = CloudError(
      status: answer.status, retryAfter: answer["Retry-After"], answer: answer.body)
    guard (try? ErrorResponse(answer: answer.body)) == nil else { return error }
    switch answer.status {
    case 404:
      // Record servers send 404 with an error body, so this is another kind of server.
      return CloudError(
        .badRequest,
        "There is no record server at \(address.server): its response with status 404 does not follow the protocol."
      )
    case 413:
      return CloudError(
        .badRequest,
        "A proxy in front of \(address.server) rejected the size of the request (status 413).",
        extension: .limitExceeded)
    default: return error
    }
  }

  func read<Response: ClientResponse>(_ answer: TransportResponse) throws(CKError) -> Response {
    do {
      return try Response(answer: answer.body)
    } catch {
      // Without a delay, `tryAgainLater` means that the response is empty or not JSON, so it does
      // not come from a record server.
      guard error.code == .tryAgainLater, error.retryAfterSeconds == nil else {
        throw CKError(error)
      }
      throw CKError(
        .networkFailure,
        "The response from \(address.server) does not follow the protocol (\(error)). It may come from a proxy or a captive portal."
      )
    }
  }

  // MARK: The user

  /// Returns the current user's record name, requesting it if necessary; nil if no user is signed
  /// in.
  package func userRecordName(_ options: CallOptions = CallOptions()) async throws(CKError)
    -> String?
  {
    let (known, credentials) = state.withLock { ($0.userRecordName, $0.credentials) }
    if let known { return known }
    guard credentials.isOfUser else { return nil }
    return try await fetchCaller(options).userRecordName
  }

  /// The current user's record name, if it is known without a request.
  var knownUserRecordName: String? { state.withLock { $0.userRecordName } }

  /// Requests the identity of the current user.
  @discardableResult
  package func fetchCaller(_ options: CallOptions = CallOptions()) async throws(CKError)
    -> KnownCaller
  {
    let users = try await call(UsersCallerRequest(), .public, options).users
    guard let user = users.first, let name = user.userRecordName, !name.isEmpty,
      name != CKCurrentUserDefaultName
    else {
      throw CKError(.internalError, "The server's response does not contain the current user.")
    }
    state.withLock { $0.userRecordName = name }
    return KnownCaller(userRecordName: name, identity: user)
  }

  /// Returns the conversion between the public classes and the wire.
  package func coding(_ options: CallOptions = CallOptions()) async throws(CKError) -> RecordCoding
  {
    RecordCoding(currentUser: try await userRecordName(options), shareAddress: address.shareAddress)
  }
}

/// The identity of the current user.
package struct KnownCaller: Sendable {
  package let userRecordName: String
  package let identity: UserIdentity
}

extension CloudCredentials {
  /// The URL query for the credentials.
  fileprivate var parameters: String {
    guard let apiToken else { return "" }
    let program = "?ckAPIToken=\(CloudAddress.encoded(apiToken))"
    return webAuthToken.map { "\(program)&ckWebAuthToken=\(CloudAddress.encoded($0))" } ?? program
  }
}
