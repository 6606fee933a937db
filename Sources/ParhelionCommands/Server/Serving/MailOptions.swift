import Foundation
import MailTransport
import RecordServer
import RecordServerHTTP

/// The options of `parhelion serve` for mails.
enum MailOptions {
  static let all = [
    CommandOption(
      "--smtp", value: "URL",
      """
      Mail invitations to shares through this server: smtps://USER@HOST:PORT, or smtp://… with \
      STARTTLS. Needs --address.
      """
    ),
    CommandOption(
      "--smtp-from", value: "ADDRESS",
      "The address that mails come from; default the user of --smtp, if that is an address."),
    CommandOption(
      "--smtp-password", value: "FILE",
      "The file with the user's password; default the environment variable PARHELION_SMTP_PASSWORD."
    ),
    CommandOption(
      "--smtp-authority", value: "FILE",
      "A PEM file with the authorities that the mail server's certificate may come from."),
  ]

  /// The environment variable with the password.
  static let variable = "PARHELION_SMTP_PASSWORD"

  /// The sender of mails; nil without `--smtp`.
  static func sender(
    _ invocation: Invocation, publicAddress: String?,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws -> (any MailSender)? {
    guard let text = invocation.value(of: "--smtp") else {
      if let option = all.dropFirst().first(where: { invocation.value(of: $0.name) != nil }) {
        throw UsageError("\(option.name) needs --smtp.")
      }
      return nil
    }
    guard var server = SMTPServer(text) else {
      throw UsageError(
        """
        --smtp cannot be "\(text)"; it looks like smtps://user@mail.example.com:465, without a \
        password.
        """
      )
    }
    // A client could otherwise choose the host of the links.
    guard publicAddress != nil else {
      throw UsageError("--smtp needs --address, with which the links in mails begin.")
    }
    let sender = invocation.value(of: "--smtp-from") ?? server.user ?? ""
    guard let from = MailAddress(sender) else {
      throw UsageError("--smtp-from must be an address such as cloud@example.com.")
    }
    server.authorityFile = invocation.value(of: "--smtp-authority")
    server.password = try password(invocation, environment)
    if server.user != nil, server.password == nil {
      throw UsageError("The user of --smtp needs a password: --smtp-password, or \(variable).")
    }
    return SMTPMailSender(client: SMTPClient(server), from: from)
  }

  private static func password(
    _ invocation: Invocation, _ environment: [String: String]
  ) throws(CommandError) -> String? {
    let option = "--smtp-password"
    guard let path = invocation.value(of: option) else {
      return environment[variable].flatMap { $0.isEmpty ? nil : $0 }
    }
    let file = NamedFile(path, of: option)
    let password = try SecretFile.text(of: file, remedy: "change the password")
      .prefix { !$0.isNewline }
    guard !password.isEmpty else { throw CommandError("\(file) has no password.") }
    return String(password)
  }
}

/// Sends mails by SMTP.
struct SMTPMailSender: MailSender {
  let client: SMTPClient
  let from: MailAddress

  func send(_ mail: OutgoingMail) async -> MailOutcome {
    guard let to = MailAddress(mail.address) else {
      return .rejected("“\(mail.address.prefix(100))” is not a plain e-mail address.")
    }
    let message = MailMessage(
      from: from, fromName: "Parhelion", to: to, subject: mail.subject, text: mail.text,
      html: mail.html, seconds: mail.seconds, identifier: mail.identifier)
    do throws(MailFailure) {
      try await client.send(message)
      return .sent
    } catch {
      return error.isPermanent ? .rejected(error.reason) : .failed(error.reason)
    }
  }
}
