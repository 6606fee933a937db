package import RecordServer

/// Sends mails to people, for example by SMTP.
package protocol MailSender: Sendable {
  func send(_ mail: OutgoingMail) async -> MailOutcome
}

/// A mail as it is given to a `MailSender`.
package struct OutgoingMail: Hashable, Sendable {
  package var address: String
  package var subject: String
  package var text: String
  package var html: String
  /// The time of the mail, in seconds since 1970.
  package var seconds: Int64
  /// Letters and digits that no other mail has.
  package var identifier: String
}
