/// The type of stores that are SQLite databases.
public let NSSQLiteStoreType = "SQLite"

/// The type of stores that live in memory and end with their coordinator.
public let NSInMemoryStoreType = "InMemory"

/// The type of stores that are one binary file.
///
/// Stores of this type cannot be opened yet.
public let NSBinaryStoreType = "Binary"

/// The type of stores that are one XML file.
///
/// Stores of this type cannot be opened yet.
public let NSXMLStoreType = "XML"
