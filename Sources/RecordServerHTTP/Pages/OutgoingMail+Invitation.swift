import CloudRecords
import RecordServer

extension OutgoingMail {
  /// The mail of an invitation.
  ///
  /// Its link has no fragment: if the shared records are encrypted, the link's secret is known to
  /// the participants' devices only.
  ///
  /// - Parameter server: The public address of the server.
  init(_ invitation: InvitationMail, server: String) {
    let owner = invitation.ownerName ?? "A user"
    let what = invitation.title.map { "“\(Self.plain($0))”" } ?? "something"
    let may = invitation.permission == .readWrite ? "see and change it" : "see it"
    let link = "\(server)\(Route.invitationPath)\(invitation.linkName)"
    let sentence = "\(Self.plain(owner)) invites you to share \(what). You will be able to \(may)."
    address = invitation.address
    subject = "\(Self.plain(owner)) invites you to share \(what)"
    text = """
      \(sentence)

      Open the invitation: \(link)

      \(Self.hint) \(Self.unknown)
      """
    let page: HTML = """
      <!DOCTYPE html>
      <html lang="en"><head><meta charset="utf-8"><title>\(subject)</title></head>
      <body style="font-family: sans-serif; line-height: 1.5; max-width: 32rem">
      <p>\(sentence)</p>
      <p><a href="\(link)" style="display: inline-block; padding: .6rem 1.2rem;
      border-radius: .5rem; background: #0b5fd0; color: #fff; text-decoration: none">Open the
      invitation</a></p>
      <p style="color: #5b6270; font-size: .9rem">\(link)</p>
      <p style="color: #5b6270; font-size: .9rem">\(Self.hint) \(Self.unknown)</p>
      </body></html>
      """
    html = page.text
    seconds = invitation.time.milliseconds / 1_000
    identifier = invitation.identifier
  }

  private static let hint =
    """
    This link is for you alone. If the application asks for a key, ask the person who invited you \
    for the whole link that the application shows.
    """
  private static let unknown =
    "If you do not know the person, ignore this mail: nothing happens unless you accept."

  /// A text in one line.
  private static func plain(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { scalar in
          switch scalar.properties.generalCategory {
          case .control, .format, .lineSeparator, .paragraphSeparator: " "
          default: scalar
          }
        }))
  }
}
