public import ManagedObjects

extension NSPersistentStoreDescription {
  /// With what the store is mirrored; nil for a store that stays on this device.
  public var cloudKitContainerOptions: NSPersistentCloudKitContainerOptions? {
    get { options[MirrorOption.key] as? NSPersistentCloudKitContainerOptions }
    set { setOption(newValue, forKey: MirrorOption.key) }
  }
}

/// The option of a store that says with what it is mirrored.
enum MirrorOption {
  static let key = "ParhelionCloudKitContainerOptions"
}
