import CloudEncryption
package import CloudRecords
package import CloudTransport
package import CloudWire
import Cryptography
import Foundation
import JSONCoding
import Synchronization

/// One user of one container: everything that the client asks the server goes through here.
///
/// A session adds the credentials to requests and takes the renewed ones from answers, sends again
/// what passes by itself, and turns whatever goes wrong into the errors of the API.
package final class CloudSession: Sendable {
  package let address: CloudAddress
  package let transport: any CloudTransport
  package let dependencies: ClientDependencies
  /// Is told of the token that the server gave in exchange for the old one, so that it can be kept.
  private let onRenewal: @Sendable (CloudCredentials) -> Void
  /// Is told when the server begins or ceases to refuse the user.
  private let onStanding: @Sendable () -> Void
  private let state: Mutex<State>
  private let signer: RequestSigner?
  private let numbers = RequestNumbers()
  /// Wakes what waits until the server can be reached again.
  package let answers = ResponseSignal()
  /// Where fetched files lie.
  let files = AssetFiles()
  /// Seals and opens encrypted values.
  package let vault: RecordVault

  private struct State {
    var credentials: CloudCredentials {
      didSet { parameters = credentials.parameters }
    }
    /// How addresses say them, which is long to make for each request.
    private(set) var parameters: String
    /// How many tokens came from elsewhere than from answers: what a request under a former one is
    /// answered with says nothing of the present one.
    var adoptions = 0
    /// The user record name, once it is known.
    var userRecordName: String?
    var standing = UserState.unknown
    /// The token under which the server tells this device of changes.
    var deviceToken: String?
    /// The program's own session beside this one of a user, once it was wanted.
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
    onStanding: @escaping @Sendable () -> Void = {}
  ) throws(CKError) {
    self.address = address
    self.transport = transport
    self.dependencies = dependencies
    self.onRenewal = onRenewal
    self.vault = vault
    self.onStanding = onStanding
    state = Mutex(State(credentials, userRecordName: userRecordName))
    guard case .serverKey(let identifier, let pem) = credentials else {
      signer = nil
      vault.serve(self)
      return
    }
    guard let key = SignaturePrivateKey(pem: pem) else {
      throw CKError(
        .notAuthenticated,
        "The private key of \(identifier) cannot be read. It is the text that `openssl ecparam -genkey -name prime256v1` writes."
      )
    }
    signer = RequestSigner(keyIdentifier: identifier, key: key)
    vault.serve(self)
  }

  /// Who asks.
  package var credentials: CloudCredentials { state.withLock { $0.credentials } }

  /// Goes on with another token of the same user.
  package func adopt(_ webAuthToken: String) {
    state.withLock { state in
      state.credentials = state.credentials.renewed(webAuthToken)
      state.adoptions += 1
      state.standing = .unknown
    }
  }

  /// A session for what the program may do while nobody is signed in; this one where it is of no
  /// user.
  package func withoutUser() throws(CKError) -> CloudSession {
    let (credentials, known) = state.withLock { ($0.credentials, $0.withoutUser) }
    guard case .user(let apiToken, _) = credentials else { return self }
    if let known { return known }
    let made = try CloudSession(
      address: address, credentials: .program(apiToken: apiToken), transport: transport,
      dependencies: dependencies)
    return state.withLock { state in
      // Files that were fetched through it lie there as long as it does: one is all that anybody
      // gets.
      let kept = state.withoutUser ?? made
      state.withoutUser = kept
      return kept
    }
  }

  /// What the server made of the user when it was asked last.
  package var standing: UserState { state.withLock { $0.standing } }

  /// Names the device in requests, so that it is not told of what it does itself.
  package func setDeviceToken(_ token: String?) { state.withLock { $0.deviceToken = token } }

  // MARK: Calls

  /// An answer, and whether the request was sent again after one that may have arrived.
  package struct Reply<Response: Sendable>: Sendable {
    package var response: Response
    /// The server may have done before what it was asked for.
    package var mayBeSecond: Bool
  }

  /// Asks the server, again where what went wrong passes by itself.
  package func call<Call: DatabaseRequest>(
    _ call: Call, _ scope: DatabaseScope, _ options: CallOptions = CallOptions()
  ) async throws(CKError) -> Call.Response {
    try await reply(to: call, scope, options).response
  }

  /// Asks the server, and tells whether it may have been asked twice.
  package func reply<Call: DatabaseRequest>(
    to call: Call, _ scope: DatabaseScope, _ options: CallOptions = CallOptions()
  ) async throws(CKError) -> Reply<Call.Response> {
    let path = address.path(Call.endpoint, scope)
    // The protocol gets what needs no body; of such requests not all servers take a signature.
    let body = Call.hasBody || signer != nil ? call.body : nil
    let stamp = Call.endpoint.isDoneOnce ? numbers.begin(dependencies.makeName) : nil
    defer { if let stamp { numbers.end(stamp) } }
    let adoptions = adoptions
    let (answer, mayBeSecond) = try await exchange(path, body, options, stamp)
    let response: Call.Response
    do throws(CKError) { response = try read(answer) } catch {
      // Without framing, an answer that was cut looks whole: the server may have done what it was
      // asked for.
      throw error.code == .networkFailure ? error.ofWhatMayHaveArrived : error
    }
    note(nil, adoptions)
    return Reply(response: response, mayBeSecond: mayBeSecond)
  }

  /// Sends a body to a path until there is an answer that tells no error; without one, it gets what
  /// is there.
  package func exchange(
    _ path: String, _ body: [UInt8]?, _ options: CallOptions, _ stamp: RequestStamp? = nil
  ) async throws(CKError) -> (TransportResponse, mayBeSecond: Bool) {
    var mayBeSecond = false
    var attempt = 1
    while true {
      let failure: RetryPolicy.Failure
      let adoptions = adoptions
      let request = try request(path, body, options, stamp)
      do throws(TransportError) {
        let answer = try await transport.send(request)
        if let fault = fault(of: answer) { throw fault }
        renew(from: answer, adoptions)
        guard let error = error(of: answer) else {
          answers.tell()
          return (answer, mayBeSecond)
        }
        note(error, adoptions)
        mayBeSecond = mayBeSecond || error.mayHaveArrived
        failure = .server(error)
      } catch {
        mayBeSecond = mayBeSecond || error.mayHaveArrived
        failure = .transport(error)
      }
      do throws(CKError) { try await pause(after: failure, attempt: attempt, options) } catch {
        // Of several attempts the last one tells what is wrong, and any of them may have arrived.
        throw mayBeSecond ? error.ofWhatMayHaveArrived : error
      }
      attempt += 1
    }
  }

  /// Waits until a request can be sent again.
  ///
  /// - Throws: The failure, where sending again does not help.
  func pause(
    after failure: RetryPolicy.Failure, attempt: Int, _ options: CallOptions
  ) async throws(CKError) {
    switch options.retry.decide(failure, attempt: attempt, chance: dependencies.chance()) {
    case .giveUp: throw CKError(failure)
    case .sendAgain(let wait):
      guard options.allows(wait, at: dependencies.steady()) else { throw CKError(failure) }
      do { try await (dependencies.pause ?? dependencies.wait)(wait) } catch {
        throw CKError(.operationCancelled)
      }
    }
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
    try options.limit(&request, at: dependencies.steady())
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
    let isTold = state.withLock { state in
      guard state.credentials.isOfUser, state.adoptions == adoptions else { return false }
      let before = state.standing
      state.standing = before.after(error)
      return (before == .refused) != (state.standing == .refused)
    }
    if isTold { onStanding() }
  }

  // MARK: Answers

  /// Why an answer is none of a record server, which says what is wrong in its own words; nil where
  /// it may be one.
  private func fault(of answer: TransportResponse) -> TransportError? {
    guard Self.isOfNetworks(answer.status), (try? ErrorResponse(answer: answer.body)) == nil else {
      return nil
    }
    return TransportError(
      .malformed,
      "Somebody between answered in the place of \(address.server), with status \(answer.status): perhaps a network or a proxy that wants a sign-in."
    )
  }

  /// Statuses that say nothing of the request where they come from somebody else.
  ///
  /// What stands before a server answers in its name with the others: that something is too large,
  /// too often asked, or not there.
  private static func isOfNetworks(_ status: Int) -> Bool {
    switch status {
    case 404, 408, 413, 429: false
    case 300..<500, 511: true
    default: false
    }
  }

  /// The error that an answer tells; nil where it tells none.
  func error(of answer: TransportResponse) -> CloudError? {
    if answer.isSuccess { return nil }
    let error = CloudError(
      status: answer.status, retryAfter: answer["Retry-After"], answer: answer.body)
    guard (try? ErrorResponse(answer: answer.body)) == nil else { return error }
    switch answer.status {
    case 404:
      // Only a record server can say that something is not there: anybody else has no such address.
      return CloudError(
        .badRequest,
        "There is no record server at \(address.server): it answered with status 404 and nothing that the protocol knows."
      )
    case 413:
      return CloudError(
        .badRequest,
        "What stands before \(address.server) does not let so much through at once (status 413).",
        extension: .limitExceeded)
    default: return error
    }
  }

  func read<Response: ClientResponse>(_ answer: TransportResponse) throws(CKError) -> Response {
    do {
      return try Response(answer: answer.body)
    } catch {
      // What is no JSON comes from somebody else than a record server.
      guard error.code == .tryAgainLater, error.retryAfterSeconds == nil else {
        throw CKError(error)
      }
      throw CKError(
        .networkFailure,
        "What came from \(address.server) is no answer of a record server (\(error)). Something between may have answered in its place, such as a page that wants a sign-in to the network."
      )
    }
  }

  // MARK: The user

  /// The user record name of who is signed in; nil where nobody is.
  package func userRecordName(_ options: CallOptions = CallOptions()) async throws(CKError)
    -> String?
  {
    let (known, credentials) = state.withLock { ($0.userRecordName, $0.credentials) }
    if let known { return known }
    guard credentials.isOfUser else { return nil }
    return try await askWhoCalls(options).userRecordName
  }

  /// The user record name of who is signed in, as far as it is known without asking.
  var knownUserRecordName: String? { state.withLock { $0.userRecordName } }

  /// Asks the server who is signed in.
  @discardableResult
  package func askWhoCalls(_ options: CallOptions = CallOptions()) async throws(CKError)
    -> KnownCaller
  {
    let users = try await call(UsersCallerRequest(), .public, options).users
    guard let user = users.first, let name = user.userRecordName, !name.isEmpty,
      name != CKCurrentUserDefaultName
    else {
      throw CKError(.internalError, "The server did not say who is signed in.")
    }
    state.withLock { $0.userRecordName = name }
    return KnownCaller(userRecordName: name, identity: user)
  }

  /// Turns values of the API into those of the wire, and back.
  package func coding(_ options: CallOptions = CallOptions()) async throws(CKError) -> RecordCoding
  {
    RecordCoding(currentUser: try await userRecordName(options), shareAddress: address.shareAddress)
  }
}

/// Whom the server knows a user for.
package struct KnownCaller: Sendable {
  package let userRecordName: String
  package let identity: UserIdentity
}

extension CloudCredentials {
  /// What stands behind the question mark.
  fileprivate var parameters: String {
    guard let apiToken else { return "" }
    let program = "?ckAPIToken=\(CloudAddress.encoded(apiToken))"
    return webAuthToken.map { "\(program)&ckWebAuthToken=\(CloudAddress.encoded($0))" } ?? program
  }
}
