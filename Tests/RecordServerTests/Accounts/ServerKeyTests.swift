import CloudRecords
import CloudWire
import Cryptography
import RecordServer
import Testing

/// Requests signed with a key of the test, in every way that a real client signs.
@Suite struct ServerKeyTests {
  /// The clock of these tests stands at this time.
  private static let date = "2023-11-14T22:13:20Z"
  private static let path = "/database/1/iCloud.test/development/public/records/query"

  private struct Signer {
    let registry: Registry
    let signer: SignaturePrivateKey
    let key: ServerKey

    init() async throws {
      registry = try await Registry()
      signer = SignaturePrivateKey()
      key = try await registry.accounts.addServerKey(publicKey: signer.publicPEM, for: Registry.container)
    }

    /// A request with a body whose signer signed `message`.
    func request(_ message: String, date: String = ServerKeyTests.date, body: String = "", query: String? = nil)
      -> RequestSignature
    {
      RequestSignature(
        keyIdentifier: key.identifier, date: date, signature: Base64Text.text(signer.sign(Array(message.utf8))),
        bodyHash: DigestAlgorithm.sha256.hash(Array(body.utf8)), hasBody: !body.isEmpty, path: ServerKeyTests.path,
        query: query)
    }

    func ask(_ signature: RequestSignature, apiToken: String? = nil, webToken: String? = nil) async -> Registry.Outcome
    {
      await registry.outcome(
        Credentials(container: Registry.container, apiToken: apiToken, webToken: webToken, signature: signature))
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
        name: "MistKit, POST", body: #"{"query":{}}"#, query: nil, message: "\(date):\(hash(#"{"query":{}}"#)):\(path)"),
      RealClient(
        name: "CloudKit JS, GET", body: "", query: versions, message: "\(date):\(hash("")):\(path)?\(versions)"),
      RealClient(
        name: "CloudKit JS, POST", body: "{}", query: versions, message: "\(date):\(hash("{}")):\(path)?\(versions)"),
      RealClient(
        name: "icloud-go, POST that ends a line", body: "{\"a\":1}\n", query: nil,
        message: "\(date):\(hash("{\"a\":1}\n")):\(path)"),
      RealClient(name: "OpenCloudKit, GET", body: "", query: nil, message: "\(date):\(hash("")):\(path)"),
      RealClient(
        name: "OpenCloudKit, POST", body: "{}", query: nil, message: "\(date):\(hash("{}")):\(path)"),
      RealClient(
        name: "requests-cloudkit, POST", body: "{}", query: "remapEnums=true",
        message: "\(date):\(hash("{}")):\(path)?remapEnums=true"),
      RealClient(
        name: "the path alone beside a query", body: "{}", query: "remapEnums=true",
        message: "\(date):\(hash("{}")):\(path)"),
      RealClient(
        name: "nothing for the body, the query signed", body: "", query: "a=b", message: "\(date)::\(path)?a=b"),
    ]
  }()

  @Test(arguments: realClients)
  func `What a real client signs is accepted`(client: RealClient) async throws {
    let signer = try await Signer()
    let outcome = await signer.ask(signer.request(client.message, body: client.body, query: client.query))
    #expect(outcome.caller == .server(signer.registry.accounts.userRecordName(of: signer.key)))
    #expect(outcome.webToken == nil)
  }

  @Test func `An offset in the date is signed as it stands in the header`() async throws {
    let signer = try await Signer()
    for date in ["2023-11-14T22:13:20+00:00", "2023-11-14T22:13:20-00:00", "2023-11-15T00:13:20+02:00"] {
      let signed = signer.request("\(date)::\(Self.path)", date: date)
      #expect(await signer.ask(signed).caller != nil, "\(date)")
      let otherwise = signer.request("\(Self.date)::\(Self.path)", date: date)
      #expect(await signer.ask(otherwise).code == .authenticationFailed, "\(date)")
    }
  }

  @Test func `A request that was not answered may be sent again`() async throws {
    let signer = try await Signer()
    let signed = signer.request("\(Self.date)::\(Self.path)")
    for _ in 0..<3 { #expect(await signer.ask(signed).caller != nil) }
  }

  // MARK: What is refused

  @Test func `Whatever differs from what was signed is refused, without a word on what`() async throws {
    let signer = try await Signer()
    let good = signer.request("\(Self.date):\(Self.hash("{}")):\(Self.path)?a=b", body: "{}", query: "a=b")
    #expect(await signer.ask(good).caller != nil)
    let changes: [(String, (inout RequestSignature) -> Void)] = [
      ("path", { $0.path += "/" }), ("path", { $0.path = "/database/1/iCloud.test/development/private/records/query" }),
      ("query", { $0.query = "a=c" }), ("query", { $0.query = nil }), ("query", { $0.query = "" }),
      ("body", { $0.bodyHash = DigestAlgorithm.sha256.hash(Array("{} ".utf8)) }),
      ("date", { $0.date = "2023-11-14T22:13:21Z" }), ("date", { $0.date = "2023-11-14T22:13:20+00:00" }),
      ("date", { $0.date = "" }), ("key", { $0.keyIdentifier = "" }),
      ("key", { $0.keyIdentifier = String(repeating: "0", count: 64) }),
      ("key", { $0.keyIdentifier = $0.keyIdentifier.uppercased() + " " }), ("signature", { $0.signature = "" }),
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
          == CloudError(.authenticationFailed, "The request's credentials were not accepted."), "\(part)")
    }
  }

  @Test func `A body that was not signed is not accepted as none`() async throws {
    let signer = try await Signer()
    #expect(await signer.ask(signer.request("\(Self.date)::\(Self.path)", body: "{}")).code == .authenticationFailed)
    #expect(
      await signer.ask(signer.request("\(Self.date):\(Self.hash("")):\(Self.path)", body: "{}")).code
        == .authenticationFailed)
  }

  @Test(arguments: [
    ("2023-11-14T22:03:20Z", true), ("2023-11-14T22:23:20Z", true), ("2023-11-14T22:03:19Z", false),
    ("2023-11-14T22:23:21Z", false), ("2022-11-14T22:13:20Z", false), ("2023-11-14T22:13:20.000Z", false),
    ("2023-11-14 22:13:20Z", false), ("2023-11-14T22:13:20", false), ("2023-11-14T22:13:20z", false),
    ("2023-13-14T22:13:20Z", false), ("2023-11-31T22:13:20Z", false), ("2023-11-14T24:13:20Z", false),
    ("1700000000", false), ("2023-11-14T22:13:20+0000", false), ("2023-11-14T22:13:20+00:60", false),
    ("٢٠٢٣-11-14T22:13:20Z", false), ("0000-00-00T00:00:00Z", false), ("9999-12-31T23:59:59Z", false),
  ])
  func `A date lies within ten minutes, in one form`(date: String, isGood: Bool) async throws {
    let signer = try await Signer()
    let outcome = await signer.ask(signer.request("\(date)::\(Self.path)", date: date))
    #expect(outcome.code == (isGood ? nil : .authenticationFailed))
  }

  @Test func `Both kinds of credentials in one request are none`() async throws {
    let signer = try await Signer()
    let apiToken = try await signer.registry.apiToken()
    let signed = signer.request("\(Self.date)::\(Self.path)")
    #expect(await signer.ask(signed, apiToken: apiToken).code == .authenticationFailed)
    #expect(await signer.ask(signed, webToken: apiToken).code == .authenticationFailed)
    #expect(await signer.ask(signed, apiToken: "").caller != nil, "an empty token is none")
    var broken = signed
    broken.signature = ""
    #expect(await signer.ask(broken, apiToken: apiToken).code == .authenticationFailed)
    #expect(await signer.registry.ask(apiToken).caller == .anonymous)
  }

  @Test func `Another's signature is not the key's`() async throws {
    let signer = try await Signer()
    var forged = signer.request("\(Self.date)::\(Self.path)")
    forged.signature = Base64Text.text(SignaturePrivateKey().sign(Array("\(Self.date)::\(Self.path)".utf8)))
    #expect(await signer.ask(forged).code == .authenticationFailed)
  }

  // MARK: Keys

  @Test func `A key is of one container and environment, and has a name of its own there`() async throws {
    let signer = try await Signer()
    let accounts = signer.registry.accounts
    let signed = signer.request("\(Self.date)::\(Self.path)")
    for container in [
      ContainerAddress(container: "iCloud.test", environment: .production),
      ContainerAddress(container: "iCloud.other", environment: .development),
    ] {
      #expect(
        await signer.registry.outcome(Credentials(container: container, signature: signed)).code
          == .authenticationFailed)
    }
    let second = try await accounts.addServerKey(publicKey: signer.signer.publicPEM, for: Registry.container)
    #expect(second.identifier != signer.key.identifier)
    #expect(accounts.userRecordName(of: second) != accounts.userRecordName(of: signer.key))
    #expect(accounts.userRecordName(of: signer.key).wholeMatch(of: /_[0-9a-f]{32}/) != nil)
    #expect(signer.key.identifier.wholeMatch(of: /[0-9a-f]{64}/) != nil)
  }

  @Test func `A key ends when it expires or is revoked`() async throws {
    let signer = try await Signer()
    let accounts = signer.registry.accounts
    let signed = signer.request("\(Self.date)::\(Self.path)")
    #expect(await signer.ask(signed).caller != nil)
    try await accounts.revokeServerKey(signer.key.identifier)
    #expect(await signer.ask(signed).code == .authenticationFailed)
    #expect(try await accounts.listServerKeys().map(\.revoked) == [signer.registry.cloud.server.environment.now()])
    #expect(try await refusal { try await accounts.revokeServerKey("nothing") }?.code == .notFound)

    let expires = Timestamp(milliseconds: signer.registry.cloud.server.environment.now().milliseconds + 60_000)
    let short = try await accounts.addServerKey(
      publicKey: signer.signer.publicPEM, for: Registry.container, expires: expires)
    var second = signed
    second.keyIdentifier = short.identifier
    #expect(await signer.ask(second).caller != nil)
    signer.registry.cloud.pass(seconds: 60)
    #expect(await signer.ask(second).code == .authenticationFailed)
  }

  @Test func `Only public keys of the curve are registered`() async throws {
    let registry = try await Registry()
    let texts = [
      SignaturePrivateKey().pem, "", "no key",
      "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----\n",
    ]
    for text in texts {
      let error = try await refusal {
        _ = try await registry.accounts.addServerKey(publicKey: text, for: Registry.container)
      }
      #expect(error?.code == .badRequest, "\(text)")
    }
    #expect(try await registry.accounts.listServerKeys().isEmpty)
  }

  @Test func `A verified key is remembered`() async throws {
    let engine = CountingEngine()
    let registry = try await Registry(engine: engine)
    let signer = SignaturePrivateKey()
    let key = try await registry.accounts.addServerKey(publicKey: signer.publicPEM, for: Registry.container)
    let signed = RequestSignature(
      keyIdentifier: key.identifier, date: Self.date,
      signature: Base64Text.text(signer.sign(Array("\(Self.date)::\(Self.path)".utf8))),
      bodyHash: DigestAlgorithm.sha256.hash([UInt8]()), hasBody: false, path: Self.path, query: nil)
    _ = engine.take()
    for _ in 0..<20 {
      #expect(await registry.outcome(Credentials(container: Registry.container, signature: signed)).caller != nil)
    }
    let counts = engine.take()
    #expect(counts.reads == 1)
    #expect(counts.writes == 0)
  }

  @Test func `A key's changes carry the key's name`() async throws {
    let signer = try await Signer()
    let caller = try #require(await signer.ask(signer.request("\(Self.date)::\(Self.path)")).caller)
    let client = try await signer.registry.cloud.client(caller)
    let reply = try await client.modify(in: .public, ("create", #""recordName":"n","recordType":"Note","fields":{}"#))
    #expect(reply["records"][0]["created"]["userRecordName"].text == caller.userRecordName, "\(reply)")
  }
}
