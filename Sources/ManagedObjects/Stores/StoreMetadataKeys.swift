/// The metadata key for a store's type.
public let NSStoreTypeKey = "NSStoreType"

/// The key for a store's UUID, in metadata and in notifications.
public let NSStoreUUIDKey = "NSStoreUUID"
