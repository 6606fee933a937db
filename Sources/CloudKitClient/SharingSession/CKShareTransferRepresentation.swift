/// Describes how a program's items are shared: by an existing share, or by one made on demand.
///
/// ```swift
/// let representation = CKShareTransferRepresentation<Note> { note in
///   if let share = note.share { return .existing(share, container: container) }
///   return .prepareShare(container: container) { try await note.makeShare() }
/// }
/// let session = representation.session(for: note)
/// ```
///
/// There is no `Transferable` and no drag and drop on this platform. A program gets a
/// ``CloudSharingSession`` for an item instead.
public struct CKShareTransferRepresentation<Item: Sendable>: Sendable {
  /// The share of an item.
  public enum ExportedShare: Sendable {
    /// A share that was saved.
    case existing(
      _ share: CKShare, container: CKContainer,
      allowedSharingOptions: CKAllowedSharingOptions = .standard)
    /// A share that is made and saved when the user shares the item.
    case prepareShare(
      container: CKContainer, allowedSharingOptions: CKAllowedSharingOptions = .standard,
      preparationHandler: @Sendable () async throws -> CKShare)
  }

  private let exporter: @Sendable (Item) -> ExportedShare

  /// Creates a representation.
  ///
  /// - Parameter exporter: Returns the share of an item.
  public init(exporter: @escaping @Sendable (Item) -> ExportedShare) { self.exporter = exporter }

  /// Creates the sharing session for an item.
  ///
  /// Parhelion's addition.
  public func session(for item: Item) -> CloudSharingSession {
    switch exporter(item) {
    case .existing(let share, let container, let options):
      let session = CloudSharingSession(share: share, container: container)
      session.allowedSharingOptions = options
      return session
    case .prepareShare(let container, let options, let prepare):
      let session = CloudSharingSession(container: container, prepare)
      session.allowedSharingOptions = options
      return session
    }
  }
}
