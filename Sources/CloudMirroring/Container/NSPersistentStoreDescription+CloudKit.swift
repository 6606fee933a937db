public import ManagedObjects

extension NSPersistentStoreDescription {
  /// The container and database that the store is mirrored with, or nil for a local store.
  public var cloudKitContainerOptions: NSPersistentCloudKitContainerOptions? {
    get { options[MirrorOption.key] as? NSPersistentCloudKitContainerOptions }
    set { setOption(newValue, forKey: MirrorOption.key) }
  }
}

/// The store option for mirroring.
enum MirrorOption {
  static let key = "ParhelionCloudKitContainerOptions"
}
