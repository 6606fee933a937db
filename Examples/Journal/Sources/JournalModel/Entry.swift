import CoreData

/// A journal entry.
public final class Entry: NSManagedObject {
  public override func awakeFromInsert() {
    super.awakeFromInsert()
    setPrimitiveValue(UUID(), forKey: "identifier")
    setPrimitiveValue(Date(), forKey: "created")
  }

  /// The names of the entry's tags, in order.
  public var tagNames: [String] {
    (tags as? Set<Tag> ?? []).compactMap(\.name).sorted()
  }

  /// Returns a request for entries, newest first.
  ///
  /// - Parameter count: The maximum number of entries; 0 for all.
  public static func latest(_ count: Int = 0) -> NSFetchRequest<Entry> {
    let request: NSFetchRequest<Entry> = Entry.fetchRequest()
    request.sortDescriptors = [NSSortDescriptor(keyPath: \Entry.created, ascending: false)]
    request.fetchLimit = count
    return request
  }
}
