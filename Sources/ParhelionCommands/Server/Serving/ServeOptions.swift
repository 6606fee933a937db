import CloudRecords
import HTTPServer
import RecordServer
import RecordServerHTTP
import SQLiteRecordStorage

/// The parsed options of `parhelion serve`.
struct ServeOptions {
  static let all =
    [
      ServerFolder.option,
      CommandOption("--port", value: "N", "The port; default 8080. 0 chooses a free one."),
      CommandOption(
        "--host", value: "ADDRESS",
        "The numeric address to listen at; default 127.0.0.1. 0.0.0.0 or :: means all."),
      CommandOption(
        "--tls-certificate", value: "FILE",
        "The certificate chain in PEM, the server's own certificate first."),
      CommandOption(
        "--tls-key", value: "FILE",
        "The private key of that certificate in PEM, without passphrase."),
      CommandOption(
        "--tls-development",
        "Create an authority and a certificate for developers. Clients must trust the authority."),
      CommandOption(
        "--tls-name", value: "HOST", isRepeatable: true,
        "A further name or address for --tls-development."),
      CommandOption(
        "--address", value: "URL",
        "How clients reach the server, such as https://cloud.example.com, if not under the name that they use."
      ),
      CommandOption(
        "--behind-proxy",
        "Trust X-Forwarded-For and X-Forwarded-Proto, which a proxy in front of the server sets."),
      CommandOption(
        "--open-sign-up",
        "Let everyone create an account. By default, a server that other machines reach asks for an invitation code."
      ),
      CommandOption("--no-sign-up", "Let only administrators create accounts."),
      CommandOption(
        "--no-development-users",
        """
        Require tokens from programs on this machine too. By default, they may name any user in the development \
        environment if only this machine reaches the server.
        """),
      CommandOption("--open-metrics", "Serve /metrics without the administrators' key."),
      CommandOption("--loops", value: "N", "The number of threads that serve clients; default 1."),
      CommandOption(
        "--log", choices: ["requests", "errors", "nothing"], "What to log; default requests."),
      CommandOption(
        "--backups", value: "DIR",
        "The folder where administrators may create backups over HTTP. By default, they cannot."),
      SealingOptions.file, SealingOptions.acceptsLoss,
    ] + MailOptions.all + [
      LimitOption.option,
      CommandOption(
        "--until-input-ends", "Stop when standard input ends too, for programs that start a server."
      ),
      .json,
    ]

  let folder: ServerFolder
  let isDefaultFolder: Bool
  /// The time that running requests may take after the server is asked to stop.
  let patience = Duration.seconds(30)
  /// The folder for backups by a running server.
  let backups: String?
  private let configuration: CloudServer.Configuration
  private let logs: LogWriter.Content

  init(_ invocation: Invocation) throws {
    folder = ServerFolder(invocation)
    backups = invocation.value(of: "--backups")
    isDefaultFolder = invocation.value(of: "--data") == nil
    var configuration = Self.usual
    configuration.http = try Self.http(invocation, folder)
    configuration.service = try Self.service(invocation)
    if case .files = configuration.http.security { configuration.service.requiresTLS = true }
    configuration.files = folder.files
    configuration.wantsDevelopmentUsers = !invocation.has("--no-development-users")
    configuration.sealing = try SealingOptions.source(invocation)
    configuration.mailSender = try MailOptions.sender(
      invocation, publicAddress: configuration.service.publicAddress)
    configuration.accounts.signUp = try Self.signUp(
      invocation, servesOthers: configuration.servesOthers)
    try LimitOption.apply(invocation.values(of: LimitOption.option.name), to: &configuration)
    self.configuration = configuration
    logs = LogWriter.Content(rawValue: invocation.value(of: "--log") ?? "") ?? .requests
  }

  /// The default configuration.
  static var usual: CloudServer.Configuration {
    var configuration = CloudServer.Configuration()
    configuration.accounts.requests = usualRate
    return configuration
  }

  /// The default request rate: more than a user's devices need to fetch everything, and little
  /// compared with a server's capacity.
  static let usualRate = AttemptRate(atOnce: 5_000, perSecond: 500)

  /// The configuration, connected to a log.
  ///
  /// - Parameter engine: The storage, whose maintenance administrators can request.
  func configuration(_ log: LogWriter, of engine: SQLiteStorageEngine) -> CloudServer.Configuration
  {
    var configuration = configuration
    configuration.service.maintenance = FolderMaintenance(
      folder: folder, engine: engine, backups: backups, sealing: configuration.sealing)
    log.attach(to: &configuration, logs)
    return configuration
  }

  /// The path of the certificate that clients must trust, if the server creates its own.
  var certificateAuthority: String? {
    guard case .development(let folder, _) = configuration.http.security else { return nil }
    return DevelopmentAuthority(folder: folder).certificate
  }

  /// Whether programs on this machine may name development users.
  var allowsDevelopmentUsers: Bool { configuration.allowsDevelopmentUsers }

  /// Whether passwords cross a network unencrypted, without a proxy that encrypts them.
  var isReadableByOthers: Bool {
    guard case .none = configuration.http.security else { return false }
    return !["127.0.0.1", "::1"].contains(configuration.http.host)
      && !configuration.service.trustsProxy
  }

  /// Log lines about settings that depend on which machines reach the server.
  var notices: [String] {
    var notices: [String] = []
    if configuration.accounts.signUp == .invited {
      notices.append(
        "An invitation code is needed to create an account: “parhelion user invite” creates one. --open-sign-up removes that requirement."
      )
    }
    if configuration.servesOthers, let bytes = configuration.limits.privateDatabaseBytes {
      notices.append(
        "A user's private database may hold \(bytes) bytes; --limit private-bytes=NUMBER sets another quota, and 0 none."
      )
    }
    return notices
  }

  // MARK: Reading

  private static func http(
    _ invocation: Invocation, _ folder: ServerFolder
  ) throws(UsageError) -> HTTPServer.Configuration {
    var http = HTTPServer.Configuration()
    http.port = UInt16(try number(invocation, "--port", in: 0...65_535) ?? 8080)
    http.host = invocation.value(of: "--host") ?? http.host
    http.loops = try number(invocation, "--loops", in: 1...256) ?? http.loops
    http.security = try security(invocation, folder)
    return http
  }

  private static func security(
    _ invocation: Invocation, _ folder: ServerFolder
  ) throws(UsageError) -> HTTPServer.Security {
    let files = (invocation.value(of: "--tls-certificate"), invocation.value(of: "--tls-key"))
    let (isDevelopment, names) = (
      invocation.has("--tls-development"), invocation.values(of: "--tls-name")
    )
    if !names.isEmpty, !isDevelopment { throw UsageError("--tls-name needs --tls-development.") }
    switch files {
    case (nil, nil):
      return isDevelopment ? .development(folder: folder.developmentAuthority, hosts: names) : .none
    case (let certificate?, let key?):
      if isDevelopment {
        throw UsageError("--tls-development creates a certificate; omit --tls-certificate.")
      }
      return .files(certificate: certificate, key: key)
    default: throw UsageError("--tls-certificate and --tls-key need each other.")
    }
  }

  private static func service(_ invocation: Invocation) throws(UsageError) -> RecordService.Settings
  {
    var service = RecordService.Settings()
    service.trustsProxy = invocation.has("--behind-proxy")
    service.showsMetrics = invocation.has("--open-metrics")
    if let address = invocation.value(of: "--address") {
      service.publicAddress = try publicAddress(address)
      service.requiresTLS = address.hasPrefix("https:")
    }
    return service
  }

  private static func signUp(
    _ invocation: Invocation, servesOthers: Bool
  ) throws(UsageError) -> AccountSettings.SignUp {
    switch (invocation.has("--open-sign-up"), invocation.has("--no-sign-up")) {
    case (true, true): throw UsageError("--open-sign-up and --no-sign-up exclude each other.")
    case (true, false): return .open
    case (false, true): return .closed
    case (false, false): return servesOthers ? .invited : .open
    }
  }

  private static func publicAddress(_ text: String) throws(UsageError) -> String {
    let address = text.hasSuffix("/") ? String(text.dropLast()) : text
    let parts = address.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, ["http:", "https:"].contains(parts[0]), parts[1].isEmpty,
      !parts[2].isEmpty,
      parts[2].utf8.allSatisfy({ (0x21..<0x7F).contains($0) && !#"/?#"\<>"#.utf8.contains($0) })
    else {
      throw UsageError("--address cannot be \"\(text)\"; it looks like https://cloud.example.com.")
    }
    return address
  }

  private static func number(
    _ invocation: Invocation, _ option: String, in range: ClosedRange<Int>
  ) throws(UsageError) -> Int? {
    guard let text = invocation.value(of: option) else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw UsageError(
        "\(option) cannot be \"\(text)\"; it is a number from \(range.lowerBound) to \(range.upperBound)."
      )
    }
    return number
  }
}
