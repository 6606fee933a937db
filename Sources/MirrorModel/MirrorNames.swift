/// The names that mirroring gives to what it keeps in the cloud and in the history, which are
/// Apple's.
package enum MirrorNames {
  /// The zone of a private database that has a store's records.
  package static let zone = "com.apple.coredata.cloudkit.zone"
  /// The zone in which a development environment learns the schema, ours: it is never mirrored, and
  /// deleted at once.
  package static let sampleZone = "org.parhelion.schema"
  /// What the names of zones begin with that hold shared objects.
  package static let shareZonePrefix = "com.apple.coredata.cloudkit.share."
  /// The subscription to a private database.
  package static let privateSubscription = "com.apple.coredata.cloudkit.private.subscription"
  /// The subscription to the database of what others share with the user.
  package static let sharedSubscription = "com.apple.coredata.cloudkit.shared.subscription"
  /// The author of the transactions that bring changes from the cloud.
  package static let importAuthor = "NSCloudKitMirroringDelegate.import"

  /// What the names of record types and of fields begin with.
  package static let prefix = "CD_"
  /// The field with the name of an object's own entity.
  package static let entityName = "CD_entityName"
  /// What the names of fields end with that hold a long value as an asset.
  package static let assetSuffix = "_ckAsset"
  /// The type of records that stand for pairs of many-to-many relationships.
  package static let joinType = "CDMR"
  /// The field of a pair with the names of its two entities.
  package static let joinEntities = "CD_entityNames"
  /// The field of a pair with the names of its two records.
  package static let joinRecords = "CD_recordNames"
  /// The field of a pair with the names of its two relationships.
  package static let joinRelationships = "CD_relationships"
}
