/// Apple's names for mirroring's data in the cloud and in the history.
package enum MirrorNames {
  /// The zone of a store's records in a private database.
  package static let zone = "com.apple.coredata.cloudkit.zone"
  /// The zone in which a development environment learns the schema.
  ///
  /// This name is ours. The zone is never mirrored, and is deleted at once.
  package static let sampleZone = "org.parhelion.schema"
  /// The prefix of the names of zones with shared objects.
  package static let shareZonePrefix = "com.apple.coredata.cloudkit.share."
  /// The subscription to a private database.
  package static let privateSubscription = "com.apple.coredata.cloudkit.private.subscription"
  /// The subscription to the shared database.
  package static let sharedSubscription = "com.apple.coredata.cloudkit.shared.subscription"
  /// The author of the transactions that bring changes from the cloud.
  package static let importAuthor = "NSCloudKitMirroringDelegate.import"

  /// The prefix of record types and fields.
  package static let prefix = "CD_"
  /// The field with the name of an object's own entity.
  package static let entityName = "CD_entityName"
  /// The suffix of fields that hold a long value as an asset.
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
