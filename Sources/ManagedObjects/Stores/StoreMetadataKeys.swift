/// The key in a store's metadata for its type.
public let NSStoreTypeKey = "NSStoreType"

/// The key in a store's metadata, and in notifications, for its UUID.
public let NSStoreUUIDKey = "NSStoreUUID"
