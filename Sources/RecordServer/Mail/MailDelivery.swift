package import CloudRecords
import RecordStorage

/// Sends queued invitations.
package struct MailDelivery {
  private let server: RecordServer

  package init(_ server: RecordServer) { self.server = server }

  /// Sends the due invitations, one after the other.
  ///
  /// A failed mail is retried later. It is dropped after three days, or when the mail server
  /// rejects it for good. Each failed attempt is reported. If the process ends during an attempt,
  /// the mail may be sent twice.
  ///
  /// - Parameter send: Sends a mail.
  /// - Returns: The number of mails that were sent.
  @discardableResult
  package func run(
    _ send: @Sendable (InvitationMail) async -> MailOutcome
  ) async throws(CloudError) -> Int {
    var count = 0
    while !Task.isCancelled {
      let now = server.dependencies.now()
      let due = try await server.read(nil) { try MailQueue.next(dueAt: now, in: $0) }
      guard let due else { break }
      guard let mail = try await compose(due) else {
        // The invitation was withdrawn or accepted.
        try await server.write(nil) { try MailQueue.remove(due, in: $0) }
        continue
      }
      let outcome = await send(mail)
      // The server is stopping, so the failure says nothing about the mail.
      if Task.isCancelled, case .failed = outcome { break }
      if outcome == .sent { count += 1 }
      try await note(outcome, of: due)
    }
    return count
  }

  private func note(_ outcome: MailOutcome, of mail: QueuedMail) async throws(CloudError) {
    var next: QueuedMail?
    switch outcome {
    case .sent: break
    case .rejected(let reason):
      server.dependencies.report(MailError(description: "An invitation was not sent: \(reason)"))
    case .failed(let reason):
      next = mail.failed(at: server.dependencies.now())
      let end = next == nil ? " It will not be retried." : ""
      server.dependencies.report(
        MailError(description: "An invitation was not sent: \(reason)\(end)"))
    }
    try await server.write(nil) { [next] transaction in
      try MailQueue.remove(mail, in: transaction)
      if let next { try MailQueue.add(next, in: transaction) }
    }
  }

  /// The mail for a participant; nil if the participant no longer needs one.
  private func compose(_ mail: QueuedMail) async throws(CloudError) -> InvitationMail? {
    guard let container = try await server.address(of: mail.realm) else { return nil }
    return try await server.read(nil) { transaction in
      let database = DatabaseKeys(realm: mail.realm, owner: mail.place.zone.ownerName)
      guard let bytes = try transaction.value(of: database.zone(mail.place.zoneNumber)) else {
        return nil
      }
      let zone = try StoredZone(bytes: bytes)
      let draft = ZoneDraft(
        zone: zone, keys: ZoneKeys(database: database, number: zone.number),
        transaction: transaction)
      guard zone.deleted == nil, let record = try draft.record(mail.place.shareName),
        let share = record.share, let shareName = record.shortIdentifier,
        let guest = share.participants.first(where: { $0.identifier == mail.participant }),
        guest.acceptance == .invited, case .emailAddress(let address) = guest.identity.lookupInfo
      else { return nil }
      let owner = share.participants.first { $0.role == .owner }?.identity.nameComponents
      let names = [owner?.givenName, owner?.familyName].compactMap(\.self).filter { !$0.isEmpty }
      var title: String?
      if let field = record.fields["cloudkit.title"], !field.isEncrypted,
        case .string(let text) = field.value, !text.allSatisfy(\.isWhitespace)
      {
        title = String(text.prefix(200))
      }
      return InvitationMail(
        address: address, ownerName: names.isEmpty ? nil : names.joined(separator: " "),
        title: title, permission: guest.permission, linkName: guest.oneTimeName ?? shareName,
        container: container, time: mail.start, identifier: mail.participant)
    }
  }
}
