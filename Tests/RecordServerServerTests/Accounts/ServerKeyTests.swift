import CloudRecords
import CloudWire
import Cryptography
import RecordServer
import Testing

/// Requests signed with a key of the test, in all ways in which real clients sign.
@Suite struct ServerKeyTests {
  /// The clock of these tests stands still at this time.
  private static let date = "2023-11-14T22:13:20Z"
  private static let path = "/database/1/iCloud.test/development/public/records/query"

  private struct Signer {
    let accountServer: AccountServer
    let signer: SignaturePrivateKey
    let key: ServerKey

    init(_ settings: AccountSettings = AccountServer.settings) async throws {
      accountServer = try await AccountServer(settings)
      signer = SignaturePrivateKey()
      key = try await accountServer.accounts.addServerKey(
        publicKey: signer.publicPEM, for: AccountServer.container)
    }

    /// A request with a body, with `message` as the signed text.
    func request(
      _ message: String, date: String = ServerKeyTests.date, body: String = "", query: String? = nil
    )
      -> RequestSignature
    {
      RequestSignature(
        keyIdentifier: key.identifier, date: date,
        signature: Base64Text.text(signer.sign(Array(message.utf8))),
        bodyHash: DigestAlgorithm.sha256.hash(Array(body.utf8)), hasBody: !body.isEmpty,
        path: ServerKeyTests.path,
        query: query)
    }

    func ask(_ signature: RequestSignature, apiToken: String? = nil, webToken: String? = nil) async
      -> AccountServer.Outcome
    {
      await accountServer.outcome(
        Credentials(
          container: AccountServer.container, apiToken: apiToken, webToken: webToken,
          signature: signature))
    }

    /// Requests a change.
    func change(_ signature: RequestSignature, of accountServer: AccountServer? = nil) async
      -> AccountServer.Outcome
    {
      await (accountServer ?? self.accountServer).outcome(
        Credentials(container: AccountServer.container, signature: signature, isChanging: true))
    }
  }

  private static func hash(_ body: String) -> String {
    Base64Text.text(DigestAlgorithm.sha256.hash(Array(body.utf8)))
  }

  // MARK: Real clients

  struct RealClient: Sendable, CustomTestStringConvertible {
    let name: String
    let body: String
    let query: String?
    let message: String
    var testDescription: String { name }
  }

  static let realClients: [RealClient] = {
    let versions = "ckjsBuildVersion=1710ProjectDev27&ckjsVersion=1.2.0"
    return [
      RealClient(name: "MistKit, GET", body: "", query: nil, message: "\(date)::\(path)"),
      RealClient(
        name: "MistKit, POST", body: #"{"query":{}}"#, query: nil,
        message: "\(date):\(hash(#"{"query":{}}"#)):\(path)"),
      RealClient(
        name: "CloudKit JS, GET", body: "", query: versions,
        message: "\(date):\(hash("")):\(path)?\(versions)"),
      RealClient(
        name: "CloudKit JS, POST", body: "{}", query: versions,
        message: "\(date):\(hash("{}")):\(path)?\(versions)"),
      RealClient(
        name: "icloud-go, POST with a final newline", body: "{\"a\":1}\n", query: nil,
        message: "\(date):\(hash("{\"a\":1}\n")):\(path)"),
      RealClient(
        name: "OpenCloudKit, GET", body: "", query: nil, message: "\(date):\(hash("")):\(path)"),
      RealClient(
        name: "OpenCloudKit, POST", body: "{}", query: nil, message: "\(date):\(hash("{}")):\(path)"
      ),
      RealClient(
        name: "requests-cloudkit, POST", body: "{}", query: "remapEnums=true",
        message: "\(date):\(hash("{}")):\(path)?remapEnums=true"),
      RealClient(
        name: "a path signed without its query", body: "{}", query: "remapEnums=true",
        message: "\(date):\(hash("{}")):\(path)"),
      RealClient(
        name: "no body hash, a path signed with its query", body: "", query: "a=b",
        message: "\(date)::\(path)?a=b"),
    ]
  }()

  @Test(arguments: realClients)
  func `A request that a real client signed is accepted`(client: RealClient) async throws {
    let signer = try await Signer()
    let outcome = await signer.ask(
      signer.request(client.message, body: client.body, query: client.query))
    #expect(outcome.caller == .server(signer.accountServer.accounts.userRecordName(of: signer.key)))
    #expect(outcome.webToken == nil)
  }

  @Test func `A date's time zone offset is signed as it is written in the header`() async throws {
    let signer = try await Signer()
    for date in [
      "2023-11-14T22:13:20+00:00", "2023-11-14T22:13:20-00:00", "2023-11-15T00:13:20+02:00",
    ] {
      let signed = signer.request("\(date)::\(Self.path)", date: date)
      #expect(await signer.ask(signed).caller != nil, "\(date)")
      let otherwise = signer.request("\(Self.date)::\(Self.path)", date: date)
      #expect(await signer.ask(otherwise).code == .authenticationFailed, "\(date)")
    }
  }

  @Test func `A signed reading request can be replayed`() async throws {
    let signer = try await Signer()
    let signed = signer.request("\(Self.date)::\(Self.path)")
    for _ in 0..<3 { #expect(await signer.ask(signed).caller != nil) }
  }

  // MARK: Repeated requests

  @Test func `A signed change is accepted once, and again with a new signature`() async throws {
    let signer = try await Signer()
    let message = "\(Self.date)::\(Self.path)"
    let signed = signer.request(message)
    #expect(await signer.change(signed).caller != nil)
    let again = await signer.change(signed)
    #expect(
      again.code == .authenticationFailed && again.error?.reason.contains("sign it again") == true,
      "\(again)")
    #expect(await signer.change(signer.request(message)).caller != nil)
    signer.accountServer.pass(minutes: 10)
    #expect(await signer.change(signed).code == .authenticationFailed)
    signer.accountServer.cloud.pass(seconds: 1)
    #expect(
      await signer.change(signed).error?.reason == "The request's credentials were not accepted.")
  }

  /// `(r, n - s)` is as valid as `(r, s)`, and can be found without the key.
  @Test func `Both forms of a signature are the same signature`() async throws {
    let signer = try await Signer()
    var signed = signer.request("\(Self.date)::\(Self.path)")
    #expect(await signer.change(signed).caller != nil)
    signed.signature = Base64Text.text(
      Self.counterpart(of: try #require(Base64Text.bytes(signed.signature))))
    #expect(await signer.ask(signed).caller != nil, "the other form is a good signature")
    #expect(await signer.change(signed).error?.reason.contains("sign it again") == true)
  }

  @Test func `A request signed before the server started is rejected until it is signed again`()
    async throws
  {
    let signer = try await Signer()
    let signed = signer.request("\(Self.date)::\(Self.path)")
    let unused = signer.request("\(Self.date)::\(Self.path)")
    #expect(await signer.change(signed).caller != nil)
    signer.accountServer.cloud.pass(seconds: 5)
    let restarted = try await AccountServer(
      engine: signer.accountServer.engine, on: signer.accountServer.cloud)
    for request in [signed, unused] {
      let refused = await signer.change(request, of: restarted)
      #expect(refused.code == .tryAgainLater && refused.error?.retryAfterSeconds == 5, "\(refused)")
    }
    let date = "2023-11-14T22:13:25Z"
    let renewed = signer.request("\(date)::\(Self.path)", date: date)
    #expect(await signer.change(renewed, of: restarted).caller != nil)
    #expect(await signer.change(renewed, of: restarted).code == .authenticationFailed)
  }

  @Test func `A request that was rejected before any work can be sent again`() async throws {
    let signer = try await Signer()
    let signed = signer.request("\(Self.date)::\(Self.path)")
    let credentials = Credentials(
      container: AccountServer.container, signature: signed, isChanging: true)
    let authentication = try await signer.accountServer.accounts.authenticate(credentials)
    signer.accountServer.accounts.giveBack(authentication)
    #expect(await signer.change(signed).caller != nil)
    #expect(await signer.change(signed).code == .authenticationFailed)
  }

  @Test
  func `The number of remembered signatures per key is limited until the first expire`()
    async throws
  {
    var settings = AccountServer.settings
    settings.signaturesOfKey = 3
    let signer = try await Signer(settings)
    func ask() async -> AccountServer.Outcome {
      await signer.change(signer.request("\(Self.date)::\(Self.path)"))
    }
    for _ in 0..<3 { #expect(await ask().caller != nil) }
    let refused = await ask()
    #expect(refused.code == .throttled && refused.error?.retryAfterSeconds != nil, "\(refused)")
    signer.accountServer.pass(minutes: 21)
    let date = "2023-11-14T22:34:20Z"
    #expect(await signer.change(signer.request("\(date)::\(Self.path)", date: date)).caller != nil)
  }

  /// The equally valid signature with the other second half.
  private static func counterpart(of signature: [UInt8]) -> [UInt8] {
    let order: [UInt8] = [
      0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBC,
      0xE6, 0xFA, 0xAD, 0xA7,
      0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]
    let firstEnd = 4 + Int(signature[3])
    let second = signature[(firstEnd + 2)...].drop { $0 == 0 }
    let padded = Array(repeating: 0, count: 32 - second.count) + second
    var (difference, borrow) = ([UInt8](repeating: 0, count: 32), 0)
    for index in (0..<32).reversed() {
      let value = Int(order[index]) - Int(padded[index]) - borrow
      (difference[index], borrow) = (UInt8(truncatingIfNeeded: value), value < 0 ? 1 : 0)
    }
    var digits = Array(difference.drop { $0 == 0 })
    if digits[0] >= 0x80 { digits = [0] + digits }
    let body = Array(signature[2..<firstEnd]) + [0x02, UInt8(digits.count)] + digits
    return [0x30, UInt8(body.count)] + body
  }

  // MARK: Rejected requests

  @Test func `A difference from the signed request is rejected without details`() async throws {
    let signer = try await Signer()
    let good = signer.request(
      "\(Self.date):\(Self.hash("{}")):\(Self.path)?a=b", body: "{}", query: "a=b")
    #expect(await signer.ask(good).caller != nil)
    let changes: [(String, (inout RequestSignature) -> Void)] = [
      ("path", { $0.path += "/" }),
      ("path", { $0.path = "/database/1/iCloud.test/development/private/records/query" }),
      ("query", { $0.query = "a=c" }), ("query", { $0.query = nil }), ("query", { $0.query = "" }),
      ("body", { $0.bodyHash = DigestAlgorithm.sha256.hash(Array("{} ".utf8)) }),
      ("date", { $0.date = "2023-11-14T22:13:21Z" }),
      ("date", { $0.date = "2023-11-14T22:13:20+00:00" }),
      ("date", { $0.date = "" }), ("key", { $0.keyIdentifier = "" }),
      ("key", { $0.keyIdentifier = String(repeating: "0", count: 64) }),
      ("key", { $0.keyIdentifier = $0.keyIdentifier.uppercased() + " " }),
      ("signature", { $0.signature = "" }),
      ("signature", { $0.signature = "%%%" }), ("signature", { $0.signature = "AAAA" }),
      ("signature", { $0.signature += "AAAA" }),
      ("signature", { $0.signature = String(repeating: "A", count: 1 << 20) }),
      ("signature", { $0.signature = Base64Text.text(Array(repeating: 0, count: 64)) }),
    ]
    for (part, change) in changes {
      var changed = good
      change(&changed)
      #expect(
        await signer.ask(changed).error
          == CloudError(.authenticationFailed, "The request's credentials were not accepted."),
        "\(part)")
    }
  }

  @Test func `An unsigned body is not accepted as empty`() async throws {
    let signer = try await Signer()
    #expect(
      await signer.ask(signer.request("\(Self.date)::\(Self.path)", body: "{}")).code
        == .authenticationFailed)
    #expect(
      await signer.ask(signer.request("\(Self.date):\(Self.hash("")):\(Self.path)", body: "{}"))
        .code
        == .authenticationFailed)
  }

  @Test(arguments: [
    ("2023-11-14T22:03:20Z", true), ("2023-11-14T22:23:20Z", true), ("2023-11-14T22:03:19Z", false),
    ("2023-11-14T22:23:21Z", false), ("2022-11-14T22:13:20Z", false),
    ("2023-11-14T22:13:20.000Z", false),
    ("2023-11-14 22:13:20Z", false), ("2023-11-14T22:13:20", false),
    ("2023-11-14T22:13:20z", false),
    ("2023-13-14T22:13:20Z", false), ("2023-11-31T22:13:20Z", false),
    ("2023-11-14T24:13:20Z", false),
    ("1700000000", false), ("2023-11-14T22:13:20+0000", false),
    ("2023-11-14T22:13:20+00:60", false),
    ("٢٠٢٣-11-14T22:13:20Z", false), ("0000-00-00T00:00:00Z", false),
    ("9999-12-31T23:59:59Z", false),
  ])
  func `A date must be valid and within ten minutes`(date: String, isGood: Bool) async throws {
    let signer = try await Signer()
    let outcome = await signer.ask(signer.request("\(date)::\(Self.path)", date: date))
    #expect(outcome.code == (isGood ? nil : .authenticationFailed))
  }

  @Test func `Both kinds of credentials in one request are rejected`() async throws {
    let signer = try await Signer()
    let apiToken = try await signer.accountServer.apiToken()
    let signed = signer.request("\(Self.date)::\(Self.path)")
    #expect(await signer.ask(signed, apiToken: apiToken).code == .authenticationFailed)
    #expect(await signer.ask(signed, webToken: apiToken).code == .authenticationFailed)
    #expect(await signer.ask(signed, apiToken: "").caller != nil, "an empty token is none")
    var broken = signed
    broken.signature = ""
    #expect(await signer.ask(broken, apiToken: apiToken).code == .authenticationFailed)
    #expect(await signer.accountServer.ask(apiToken).caller == .anonymous)
  }

  @Test func `Another key's signature is rejected`() async throws {
    let signer = try await Signer()
    var forged = signer.request("\(Self.date)::\(Self.path)")
    forged.signature = Base64Text.text(
      SignaturePrivateKey().sign(Array("\(Self.date)::\(Self.path)".utf8)))
    #expect(await signer.ask(forged).code == .authenticationFailed)
  }

  // MARK: Keys

  @Test func `A key belongs to one container and environment and has its own name there`()
    async throws
  {
    let signer = try await Signer()
    let accounts = signer.accountServer.accounts
    let signed = signer.request("\(Self.date)::\(Self.path)")
    for container in [
      ContainerAddress(container: "iCloud.test", environment: .production),
      ContainerAddress(container: "iCloud.other", environment: .development),
    ] {
      #expect(
        await signer.accountServer.outcome(Credentials(container: container, signature: signed))
          .code
          == .authenticationFailed)
    }
    let second = try await accounts.addServerKey(
      publicKey: signer.signer.publicPEM, for: AccountServer.container)
    #expect(second.identifier != signer.key.identifier)
    #expect(accounts.userRecordName(of: second) != accounts.userRecordName(of: signer.key))
    #expect(accounts.userRecordName(of: signer.key).wholeMatch(of: /_[0-9a-f]{32}/) != nil)
    #expect(signer.key.identifier.wholeMatch(of: /[0-9a-f]{64}/) != nil)
  }

  @Test func `A key ends when it expires or is revoked`() async throws {
    let signer = try await Signer()
    let accounts = signer.accountServer.accounts
    let signed = signer.request("\(Self.date)::\(Self.path)")
    #expect(await signer.ask(signed).caller != nil)
    try await accounts.revokeServerKey(signer.key.identifier)
    #expect(await signer.ask(signed).code == .authenticationFailed)
    #expect(
      try await accounts.listServerKeys().map(\.revoked) == [
        signer.accountServer.cloud.server.dependencies.now()
      ])
    #expect(try await refusal { try await accounts.revokeServerKey("nothing") }?.code == .notFound)

    let expires = Timestamp(
      milliseconds: signer.accountServer.cloud.server.dependencies.now().milliseconds + 60_000)
    let short = try await accounts.addServerKey(
      publicKey: signer.signer.publicPEM, for: AccountServer.container, expires: expires)
    var second = signed
    second.keyIdentifier = short.identifier
    #expect(await signer.ask(second).caller != nil)
    signer.accountServer.cloud.pass(seconds: 60)
    #expect(await signer.ask(second).code == .authenticationFailed)
  }

  @Test func `Only P-256 public keys can be registered`() async throws {
    let accountServer = try await AccountServer()
    let texts = [
      SignaturePrivateKey().pem, "", "no key",
      "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----\n",
    ]
    for text in texts {
      let error = try await refusal {
        _ = try await accountServer.accounts.addServerKey(
          publicKey: text, for: AccountServer.container)
      }
      #expect(error?.code == .badRequest, "\(text)")
    }
    #expect(try await accountServer.accounts.listServerKeys().isEmpty)
  }

  @Test func `A verified key is cached`() async throws {
    let engine = CountingEngine()
    let accountServer = try await AccountServer(engine: engine)
    let signer = SignaturePrivateKey()
    let key = try await accountServer.accounts.addServerKey(
      publicKey: signer.publicPEM, for: AccountServer.container)
    let signed = RequestSignature(
      keyIdentifier: key.identifier, date: Self.date,
      signature: Base64Text.text(signer.sign(Array("\(Self.date)::\(Self.path)".utf8))),
      bodyHash: DigestAlgorithm.sha256.hash([UInt8]()), hasBody: false, path: Self.path, query: nil)
    _ = engine.take()
    for _ in 0..<20 {
      #expect(
        await accountServer.outcome(
          Credentials(container: AccountServer.container, signature: signed)
        ).caller
          != nil)
    }
    let counts = engine.take()
    #expect(counts.reads == 1)
    #expect(counts.writes == 0)
  }

  @Test func `Changes made with a key carry its name`() async throws {
    let signer = try await Signer()
    let caller = try #require(await signer.ask(signer.request("\(Self.date)::\(Self.path)")).caller)
    let client = try await signer.accountServer.cloud.client(caller)
    let reply = try await client.modify(
      in: .public, ("create", #""recordName":"n","recordType":"Note","fields":{}"#))
    #expect(
      reply["records"][0]["created"]["userRecordName"].text == caller.userRecordName, "\(reply)")
  }
}
