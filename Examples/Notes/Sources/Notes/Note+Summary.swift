import CoreData

extension Note {
  /// The note in one line.
  public var summary: String {
    let names = (tags as? Set<Tag> ?? []).compactMap(\.name).sorted().joined(separator: ", ")
    return "\(title ?? "Untitled")\(isPinned ? " (pinned)" : ""): \(names)"
  }
}
