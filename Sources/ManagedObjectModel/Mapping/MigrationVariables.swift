/// The variable `$manager` in expressions of a mapping model: the migration manager.
public let NSMigrationManagerKey = "manager"

/// The variable `$source` in expressions of a mapping model: the source object.
public let NSMigrationSourceObjectKey = "source"

/// The variable `$destination` in expressions of a mapping model: the destination object.
public let NSMigrationDestinationObjectKey = "destination"

/// The variable `$entityMapping` in expressions of a mapping model: the entity mapping.
public let NSMigrationEntityMappingKey = "entityMapping"

/// The variable `$propertyMapping` in expressions of a mapping model: the property mapping.
public let NSMigrationPropertyMappingKey = "propertyMapping"

/// The variable `$entityPolicy` in expressions of a mapping model: the entity migration policy.
public let NSMigrationEntityPolicyKey = "entityPolicy"
