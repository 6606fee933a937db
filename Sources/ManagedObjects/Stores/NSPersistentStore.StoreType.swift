extension NSPersistentStore {
  /// A type of stores.
  public struct StoreType: RawRepresentable, Hashable, Sendable {
    /// The name of the type.
    public let rawValue: String

    /// A type of a name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// Stores that are SQLite databases.
    public static let sqlite = StoreType(rawValue: NSSQLiteStoreType)
    /// Stores that live in memory and end with their coordinator.
    public static let inMemory = StoreType(rawValue: NSInMemoryStoreType)
    /// Stores that are one binary file; they cannot be opened yet.
    public static let binary = StoreType(rawValue: NSBinaryStoreType)
    /// Stores that are one XML file; they cannot be opened yet.
    public static let xml = StoreType(rawValue: NSXMLStoreType)
  }
}
