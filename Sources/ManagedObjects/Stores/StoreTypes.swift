/// The type of SQLite stores.
public let NSSQLiteStoreType = "SQLite"

/// The type of in-memory stores, which end with their coordinator.
public let NSInMemoryStoreType = "InMemory"

/// The type of binary stores: documents that are read and written as a whole.
///
/// The form of the file is Parhelion's own. Apple's binary stores cannot be read.
public let NSBinaryStoreType = "Binary"

/// The type of XML stores: documents that are read and written as a whole, in Apple's form.
public let NSXMLStoreType = "XML"
