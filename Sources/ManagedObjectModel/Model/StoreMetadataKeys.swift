/// The key in a store's metadata for the version hashes of the entities that it was written with.
public let NSStoreModelVersionHashesKey = "NSStoreModelVersionHashes"

/// The key in a store's metadata for the identifiers of the model's version that it was written
/// with.
public let NSStoreModelVersionIdentifiersKey = "NSStoreModelVersionIdentifiers"
