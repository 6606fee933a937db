public import Foundation
import Synchronization

/// A description of an application's objects: the entities, their properties and how they relate.
///
/// A model can be edited until its first use, for example by a persistent store coordinator. From
/// then on the model, its entities and its properties are immutable; a copy can be edited.
///
/// A model owns its entities. An entity refers to its model weakly, so keep the model as long as
/// you work with its entities.
// Sendable: immutable once in use, guarded by `useMark`; confined to its builder before that.
open class NSManagedObjectModel: NSObject, NSCopying, @unchecked Sendable {
  let useMark = EditGuard()
  /// Locked while the model becomes immutable.
  let freezing = Mutex(())
  /// The values that other layers derived from the model in use: see `attachment(_:make:)`.
  let attachments = Mutex<[ObjectIdentifier: any Sendable]>([:])

  /// The names of the configurations, in the order in which they were set.
  public internal(set) var configurations: [String] = []
  var entitiesByConfiguration: [String: [NSEntityDescription]] = [:]

  /// The fetch request templates, by name.
  public internal(set) var fetchRequestTemplatesByName:
    [String: NSFetchRequest<any NSFetchRequestResult>] = [:]

  /// The entities of the model.
  ///
  /// Setting it makes this model the owner of the entities. Entities that are removed from the
  /// model are also removed from its configurations.
  open var entities: [NSEntityDescription] {
    get { storedEntities }
    set {
      requireEditable()
      for entity in storedEntities { entity.model = nil }
      for entity in newValue { entity.model = self }
      storedEntities = newValue
      entitiesByConfiguration = entitiesByConfiguration.mapValues { members in
        members.filter { $0.model === self }
      }
    }
  }

  private var storedEntities: [NSEntityDescription] = []

  /// The identifiers of the model's version, which the developer chooses.
  ///
  /// They are not part of its hashes.
  open var versionIdentifiers: Set<AnyHashable> {
    get { storedVersionIdentifiers }
    set { storedVersionIdentifiers = editable(newValue) }
  }

  private var storedVersionIdentifiers: Set<AnyHashable> = []

  /// Localized names of entities, properties and errors, with the keys that Core Data defines.
  open var localizationDictionary: [String: String]? {
    get { storedLocalizationDictionary }
    set { storedLocalizationDictionary = editable(newValue) }
  }

  private var storedLocalizationDictionary: [String: String]?

  /// Creates an empty model.
  public override init() {
    super.init()
  }

  /// Returns a copy that can be edited: its copied entities refer to each other, not to the
  /// originals.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSManagedObjectModel()
    var copier = EntityCopier()
    copier.copyContents(of: self, to: copy)
    return copy
  }

  /// Whether the other model is equal, with its entities in any order.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSManagedObjectModel else { return false }
    return other === self || isEqualDescription(to: other)
  }

  /// A description with a line for each entity.
  open override var description: String {
    (["managed object model of \(entities.count) entities"] + entities.map { "  \($0)" }).joined(
      separator: "\n")
  }

  /// A hash value that equal models share.
  open override var hash: Int { Set(entities.map(\.name)).hashValue }

  func requireEditable() {
    useMark.requireEditable("The managed object model")
  }

  /// Returns a new value, after checking that the model can still be changed.
  func editable<Value>(_ value: Value) -> Value {
    requireEditable()
    return value
  }
}
