/// The metadata key for the version hashes of the entities that the store was written with.
public let NSStoreModelVersionHashesKey = "NSStoreModelVersionHashes"

/// The metadata key for the identifiers of the model version that the store was written with.
public let NSStoreModelVersionIdentifiersKey = "NSStoreModelVersionIdentifiers"
