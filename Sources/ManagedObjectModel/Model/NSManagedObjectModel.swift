public import Foundation
import Synchronization

/// A description of an application's objects: the entities, their properties and how they relate.
///
/// A model can be edited until it is first used, for example by a persistent store coordinator.
/// From then on it is immutable, and so are its entities and properties; a copy can be edited
/// again.
///
/// A model owns its entities. References back to it, from an entity, are weak: keep the model for
/// as long as you work with its entities.
// Sendable: immutable once in use, guarded by `useMark`; before that confined to its builder.
open class NSManagedObjectModel: NSObject, NSCopying, @unchecked Sendable {
  let useMark = EditGuard()
  /// Held while the model becomes immutable.
  let freezing = Mutex(())
  /// What other layers derived from the model in use: see `attachment(_:make:)`.
  let attachments = Mutex<[ObjectIdentifier: any Sendable]>([:])
  var namedConfigurations: [(name: String, entities: [NSEntityDescription])] = []
  var namedTemplates: [(name: String, template: NSFetchRequest<any NSFetchRequestResult>)] = []

  /// The entities of the model.
  ///
  /// Setting it makes this model the owner of the entities. Entities that leave the model also
  /// leave its configurations.
  open var entities: [NSEntityDescription] {
    get { storedEntities }
    set {
      requireEditable()
      for entity in storedEntities { entity.model = nil }
      for entity in newValue { entity.model = self }
      storedEntities = newValue
      for index in namedConfigurations.indices {
        namedConfigurations[index].entities.removeAll { $0.model !== self }
      }
    }
  }

  private var storedEntities: [NSEntityDescription] = []

  /// The identifiers that tell versions of a model apart for its developer.
  ///
  /// They are not part of its hashes.
  open var versionIdentifiers: Set<AnyHashable> {
    get { storedVersionIdentifiers }
    set { storedVersionIdentifiers = editable(newValue) }
  }

  private var storedVersionIdentifiers: Set<AnyHashable> = []

  /// Localized names of entities, properties and errors, by the keys that Core Data defines.
  open var localizationDictionary: [String: String]? {
    get { storedLocalizationDictionary }
    set { storedLocalizationDictionary = editable(newValue) }
  }

  private var storedLocalizationDictionary: [String: String]?

  /// Creates an empty model.
  public override init() {
    super.init()
  }

  /// A copy that can be edited: a copy of every entity, all referring to each other, not to the
  /// originals.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSManagedObjectModel()
    var copier = EntityCopier()
    copier.copyContents(of: self, to: copy)
    return copy
  }

  /// Whether the other model says the same, whatever the order of its entities.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSManagedObjectModel else { return false }
    return other === self || describesSame(as: other)
  }

  /// The entities of the model, a line for each.
  open override var description: String {
    (["managed object model of \(entities.count) entities"] + entities.map { "  \($0)" }).joined(
      separator: "\n")
  }

  /// Equal models have equal hashes.
  open override var hash: Int { Set(entities.map(\.name)).hashValue }

  func requireEditable() {
    useMark.requireEditable("The managed object model")
  }

  /// Passes a value on, after checking that the description can still be changed.
  func editable<Value>(_ value: Value) -> Value {
    requireEditable()
    return value
  }
}
