/// The reason why a mail was not sent.
package struct MailFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// Whether the mail server refused this mail for good, for example because the mailbox does not
  /// exist.
  package let isPermanent: Bool
  /// The text of the server or the system.
  package let reason: String

  package init(isPermanent: Bool, reason: String) {
    (self.isPermanent, self.reason) = (isPermanent, reason)
  }

  package var description: String { reason }
}
