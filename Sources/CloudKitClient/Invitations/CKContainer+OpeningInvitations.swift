import CloudTransport
import CurlTransport
public import Foundation

extension CKContainer {
  /// Hands an address of the URL scheme `parhelion-share` over to a program of this user that waits
  /// for it (``InvitationHandler``).
  ///
  /// Parhelion's addition. `parhelion share open` calls it.
  ///
  /// - Returns: Whether a program took the share; false if none waits for shares of its container.
  /// - Throws: `CKError.invalidArguments` if the address is no invitation,
  ///   `CKError.permissionFailure` if the program rejected it or did not answer.
  public class func openInvitation(_ url: URL) async throws -> Bool {
    try await openInvitation(url, folder: nil)
  }

  /// Hands an address over to a program that is listed in a given folder.
  package class func openInvitation(_ url: URL, folder: String?) async throws(CKError) -> Bool {
    guard let share = HandedShare(url) else {
      throw CKError(
        .invalidArguments,
        "An invitation begins with \(HandedShare.scheme):open? and names a share.")
    }
    let programs = WaitingPrograms(path: folder)
    let entries = try programs.entries(
      container: share.container, environment: share.environment)
    var settings = CurlTransport.Settings()
    settings.proxy = .none
    let transport = CurlTransport(settings)
    var refused = false
    for (name, entry) in entries.sorted(by: { $0.key < $1.key }) {
      var request = TransportRequest(
        .post, "http://127.0.0.1:\(entry.port)/hand-over",
        body: .bytes(Array(url.absoluteString.utf8)))
      request.headers = [("\(HandoverRequest.secretField)", entry.secret)]
      request.wholeLimit = .seconds(60)
      do throws(TransportError) {
        let response = try await transport.send(request)
        if response.isSuccess {
          await transport.shutdown()
          return true
        }
        refused = true
      } catch {
        // Only a refused connection shows that the program has ended and left its file.
        if error.kind == .refused { programs.remove(name) } else { refused = true }
      }
    }
    await transport.shutdown()
    if refused {
      throw CKError(
        .permissionFailure,
        """
        The waiting program rejected the invitation or did not answer: the server may not have \
        confirmed it for the program's user. Choose “Open in Application” on its page again.
        """
      )
    }
    return false
  }
}
