import CloudKit
import Foundation

/// The list of all shares.
@MainActor public final class ShareListModel {
  private let provider: any SharingActions

  /// Creates the model of the list.
  public init(provider: any SharingActions) { self.provider = provider }

  /// Returns the shares, by title.
  public func shares() throws -> [any RenderableShare] {
    try provider.shares().sorted {
      ($0.displayTitle, $0.identifier) < ($1.displayTitle, $1.identifier)
    }
  }

  /// Returns the shares of this user, to which photos can be added.
  public func ownShares() throws -> [any RenderableShare] { try shares().filter(\.isOwn) }

  /// Returns the title of the button that ends or leaves a share.
  public func endTitle(of share: any RenderableShare) -> String {
    share.isOwn ? "Stop Sharing" : "Remove Me"
  }

  /// Returns the title of a new share: a date and time in UTC, in the same format in every locale.
  public func title(at date: Date) -> String {
    let style = Date.ISO8601FormatStyle(timeZone: .gmt)
    return "Share-"
      + style.year().month().day().dateTimeSeparator(.space).time(
        includingFractionalSeconds: false
      ).format(date)
  }

  /// Ends a share, or leaves it.
  public func end(_ share: any RenderableShare) async throws { try await provider.end(share) }
}
