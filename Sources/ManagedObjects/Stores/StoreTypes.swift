/// The type of SQLite stores.
public let NSSQLiteStoreType = "SQLite"

/// The type of in-memory stores, which end with their coordinator.
public let NSInMemoryStoreType = "InMemory"

/// The type of binary stores.
///
/// Stores of this type cannot be opened yet.
public let NSBinaryStoreType = "Binary"

/// The type of XML stores.
///
/// Stores of this type cannot be opened yet.
public let NSXMLStoreType = "XML"
