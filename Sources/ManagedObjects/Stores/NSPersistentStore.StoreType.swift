extension NSPersistentStore {
  /// The type of a store.
  public struct StoreType: RawRepresentable, Hashable, Sendable {
    /// The name of the type.
    public let rawValue: String

    /// Creates a type with the given name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// The type of SQLite stores.
    public static let sqlite = StoreType(rawValue: NSSQLiteStoreType)
    /// The type of in-memory stores, which end with their coordinator.
    public static let inMemory = StoreType(rawValue: NSInMemoryStoreType)
    /// The type of binary stores, in Parhelion's own form.
    public static let binary = StoreType(rawValue: NSBinaryStoreType)
    /// The type of XML stores, in Apple's form.
    public static let xml = StoreType(rawValue: NSXMLStoreType)
  }
}
