import CoreData

extension Note {
  /// Creates a note.
  public convenience init(title: String) {
    self.init(entity: Note.entity(), insertInto: nil)
    self.title = title
  }

  /// The names of the note's tags, in order.
  public var tagNames: [String] {
    (tags as? Set<Tag> ?? []).compactMap(\.name).sorted()
  }

  /// The note in one line.
  public var summary: String {
    let place = folder?.name.map { "\($0)/" } ?? ""
    let tags = tagNames.isEmpty ? "" : " [\(tagNames.joined(separator: ", "))]"
    return "\(isPinned ? "*" : " ") \(priority) \(place)\(title ?? "Untitled")\(tags)"
  }
}

extension Tag {
  /// Creates a tag.
  public convenience init(name: String) {
    self.init(entity: Tag.entity(), insertInto: nil)
    self.name = name
  }
}

extension Folder {
  /// Creates a folder.
  public convenience init(name: String) {
    self.init(entity: Folder.entity(), insertInto: nil)
    self.name = name
  }
}

extension Attachment {
  /// Creates an attachment.
  public convenience init(name: String) {
    self.init(entity: Attachment.entity(), insertInto: nil)
    self.name = name
  }
}
