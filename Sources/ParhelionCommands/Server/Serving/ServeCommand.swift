import CloudKitClient
import Foundation
import HTTPServer
import JSONCoding
import RecordServerHTTP
import SQLiteRecordStorage

/// `parhelion serve`.
enum ServeCommand {
  static let command = Command(
    "serve", "Run a record server until it is stopped.", options: ServeOptions.all,
    discussion: """
      By default it listens on port 8080, for this machine only, and keeps all data in one folder. SIGINT and SIGTERM let it finish \
      running requests and exit; SIGHUP makes it reload its certificate. The log goes to standard error, one line of JSON for each \
      request, error or notice. With --json it prints one line when it is ready: {"address", "certificateAuthority"}, and at the \
      first start also {"administratorKey"}. Without --json, and if the output is not a terminal, that key is written to a file in the \
      folder instead.

      Limits and their defaults:
      \(LimitOption.help)
      """
  ) { invocation, console in
    try await CommandError.translating {
      let options = try ServeOptions(invocation)
      let log = LogWriter(console)
      DescriptorLimit.raise()
      ServerMemory.keepForReuse()
      if try options.folder.prepare() {
        log.notice(
          "The folder \(options.folder.path) was accessible to other users of the machine; it no longer is (mode 700)."
        )
      }
      let engine = try SQLiteStorageEngine(folder: options.folder.path)
      let server = try await start(on: engine, options.configuration(log, of: engine))
      let signals = StopSignals(watchesInput: invocation.has("--until-input-ends")) {
        reload(server, log)
      }
      if options.isReadableByOthers { log.notice(Self.warning) }
      for notice in options.notices { log.notice(notice) }
      if options.allowsDevelopmentUsers { log.notice(Self.developmentNotice) }
      try announce(server, options, invocation, console)
      let stop = await signals.first()
      log.notice("Stopping because of \(stop). A second one stops immediately.")
      let cut = await server.shutdown(within: options.patience)
      if cut > 0 { log.notice("\(Counted.text(cut, "connection")) did not finish in time.") }
      log.finish()
      return .success
    }
  }

  private static func start(
    on engine: SQLiteStorageEngine, _ configuration: CloudServer.Configuration
  ) async throws -> CloudServer {
    do {
      return try await CloudServer.start(on: engine, configuration)
    } catch {
      await engine.close()
      throw withRemedy(error)
    }
  }

  /// Adds a remedy to the error of a server that cannot listen at its address.
  private static func withRemedy(_ error: any Error) -> any Error {
    guard let failure = error as? HTTPServerError, failure.code == .address else { return error }
    let remedy =
      switch failure.errorNumber {
      case EADDRINUSE: "Stop the program that listens there, or choose another port with --port."
      case EACCES: "Choose a port of 1024 or above with --port."
      default: "Name an address of this machine with --host."
      }
    return CommandError("\(failure.message) \(remedy)")
  }

  private static func reload(_ server: CloudServer, _ log: LogWriter) {
    do throws(HTTPServerError) {
      try server.reloadCertificate()
      log.notice("The certificate was reloaded.")
    } catch {
      log.reportError("The former certificate stays in use. \(error)")
    }
  }

  private static let warning =
    "Others on the network can read passwords and tokens: use --tls-certificate and --tls-key, or a proxy."

  private static let developmentNotice =
    "Programs on this machine may name any user in development environments, without a password; --no-development-users disables that."

  // MARK: Readiness

  private static func announce(
    _ server: CloudServer, _ options: ServeOptions, _ invocation: Invocation, _ console: any Console
  ) throws {
    if invocation.has("--json") {
      try console.writeLine(document(server, options))
    } else {
      for line in try lines(server, options, isTerminal: console.isTerminal) {
        try console.writeLine(line)
      }
    }
  }

  private static func document(_ server: CloudServer, _ options: ServeOptions) -> String {
    var writer = JSONWriter(capacity: 256)
    writer.beginObject()
    writer.key("address")
    writer.string(server.address)
    writer.key("certificateAuthority")
    if let authority = options.certificateAuthority {
      writer.string(authority)
    } else {
      writer.null()
    }
    if let key = server.newAdministratorKey {
      writer.key("administratorKey")
      writer.string(key)
    }
    writer.endObject()
    return String(decoding: writer.array(), as: UTF8.self)
  }

  private static func lines(
    _ server: CloudServer, _ options: ServeOptions, isTerminal: Bool
  ) throws(CommandError) -> [String] {
    var lines = [
      "The record server is at \(server.address), and keeps its data in \(options.folder.path)."
    ]
    if let authority = options.certificateAuthority {
      lines.append("Clients must trust \(authority).")
    }
    if options.allowsDevelopmentUsers {
      lines.append("Programs on this machine can connect now, as any user that they name:")
      lines += example(server.address, authority: options.certificateAuthority).map { "  " + $0 }
    }
    if let key = server.newAdministratorKey {
      let folder = options.isDefaultFolder ? "" : " --data \(options.folder.path)"
      lines += [
        isTerminal
          ? "The administrators' key, which is shown only once: \(key)"
          : "The administrators' key is in \(try options.folder.keep(administratorKey: key)): keep it elsewhere, and remove the file.",
        options.allowsDevelopmentUsers
          ? "For all others, create a token for an application and an account:"
          : "Next, create a token for an application and an account:",
        "  parhelion token create --container iCloud.com.example.notes\(folder)",
        "  parhelion user add NAME\(folder)",
      ]
    }
    return lines
  }

  /// The statements by which a program connects as a development user.
  private static func example(_ address: String, authority: String?) -> [String] {
    let isUsual = address == CKContainer.Configuration.developmentServer.absoluteString
    let server = isUsual ? "" : ", server: URL(string: \"\(address)\")!"
    let configuration = ".development(\"iCloud.com.example.notes\", user: \"ada\"\(server))"
    guard let authority else { return ["CKContainer.configure(\(configuration))"] }
    return [
      "var configuration = CKContainer.Configuration\(configuration)",
      "configuration.connection.certificateAuthority = URL(fileURLWithPath: \"\(authority)\")",
      "CKContainer.configure(configuration)",
    ]
  }
}
