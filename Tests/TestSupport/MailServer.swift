import Foundation

/// A real mail server in a separate process: `aiosmtpd` of Debian's package `python3-aiosmtpd`.
///
/// It rejects addresses that begin with `missing@` permanently, and those that begin with `later@`
/// temporarily. It accepts mail for all others.
public final class MailServer {
  /// A mail that arrived.
  public struct Mail: Decodable, Equatable, Sendable {
    /// The sender's address.
    public let from: String
    /// The recipients' addresses.
    public let to: [String]
    /// The user who signed in, or an empty string.
    public let user: String
    /// The mail's header and body.
    public let data: String
    /// The number of attempts to sign in since the start of the server.
    public let signInAttempts: Int
  }

  /// Whether and when the connection is encrypted.
  public enum Security: String, Sendable {
    case none
    /// From the beginning.
    case immediate
    /// By STARTTLS, before which the server accepts no mail.
    case upgrade
  }

  private static let interpreter = "/usr/bin/python3"

  /// Whether the package is installed.
  public static let isInstalled = {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: interpreter)
    process.arguments = ["-c", "import aiosmtpd"]
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }()

  /// The comment of a skipped test.
  public static let missing = "The Debian package python3-aiosmtpd is missing: make setup"

  /// The port on 127.0.0.1.
  public private(set) var port: UInt16
  private let process = Process()
  private let output = Pipe()
  private let input = Pipe()
  private var buffer = Data()

  /// Starts the server.
  ///
  /// - Parameters:
  ///   - certificate: The files of the certificate and its key, for encrypted connections.
  ///   - password: The password of the user `ada`, who then has to sign in.
  public init(
    _ security: Security = .none, certificate: (file: String, key: String)? = nil,
    password: String? = nil
  ) throws {
    process.executableURL = URL(fileURLWithPath: Self.interpreter)
    process.arguments = [
      "-u", "-c", Self.program, security.rawValue, certificate?.file ?? "", certificate?.key ?? "",
      password ?? "",
    ]
    (process.standardOutput, process.standardInput) = (output, input)
    try process.run()
    port = 0
    let line = try Self.line(&buffer, output)
    guard let number = UInt16(line) else { throw Failure(line: line) }
    port = number
  }

  private struct Failure: Error { let line: String }

  deinit {
    if process.isRunning { process.terminate() }
  }

  /// Waits for the next mail.
  public func next() throws -> Mail {
    try JSONDecoder().decode(Mail.self, from: Data(Self.line(&buffer, output).utf8))
  }

  private static func line(_ buffer: inout Data, _ output: Pipe) throws -> String {
    while true {
      if let end = buffer.firstIndex(of: 10) {
        let line = buffer[buffer.startIndex..<end]
        buffer = Data(buffer[buffer.index(after: end)...])
        return String(decoding: line, as: UTF8.self)
      }
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else { throw Failure(line: "The mail server ended.") }
      buffer += more
    }
  }

  private static let program = """
    import asyncio, json, ssl, sys
    from aiosmtpd.smtp import SMTP, AuthResult
    security, certificate, key, password = sys.argv[1:5]
    context = None
    if certificate:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(certificate, key)
    class Handler:
        async def handle_RCPT(self, server, session, envelope, address, options):
            if address.startswith('missing@'):
                return '550 5.1.1 No such mailbox'
            if address.startswith('later@'):
                return '450 4.2.1 Try again later'
            envelope.rcpt_tos.append(address)
            return '250 OK'
        async def handle_DATA(self, server, session, envelope):
            user = session.auth_data.login.decode() if session.authenticated else ''
            print(json.dumps({'from': envelope.mail_from, 'to': envelope.rcpt_tos, 'user': user,
                              'data': envelope.content.decode(),
                              'signInAttempts': attempts}), flush=True)
            return '250 OK'
    attempts = 0
    def check(server, session, envelope, mechanism, data):
        global attempts
        attempts += 1
        good = data.login == b'ada' and data.password == password.encode()
        return AuthResult(success=good, auth_data=data, handled=False)
    async def main():
        loop = asyncio.get_running_loop()
        upgrades = security == 'upgrade'
        def protocol():
            return SMTP(Handler(), hostname='localhost', tls_context=context if upgrades else None,
                        require_starttls=upgrades, authenticator=check if password else None,
                        auth_required=bool(password), auth_require_tls=upgrades)
        immediate = context if security == 'immediate' else None
        server = await loop.create_server(protocol, '127.0.0.1', 0, ssl=immediate)
        print(server.sockets[0].getsockname()[1], flush=True)
        await loop.run_in_executor(None, sys.stdin.read)
    asyncio.run(main())
    """
}
