public import Foundation
public import PredicateLanguage

/// A description of an entity: its name, its class, its properties and its place in the hierarchy.
///
/// An entity owns its own properties and its subentities. Its superentity and its model are weak
/// references.
// Sendable: immutable once in use, guarded by `useMark`; confined to its builder before that.
open class NSEntityDescription: NSObject, NSCopying, @unchecked Sendable {
  let useMark = EditGuard()
  package internal(set) weak var model: NSManagedObjectModel?

  /// The entity's name.
  open var name: String? {
    get { storedName }
    set { storedName = editable(newValue) }
  }

  private var storedName: String?

  /// The name of the class that represents the entity's objects.
  open var managedObjectClassName: String! {
    get { storedManagedObjectClassName }
    set { storedManagedObjectClassName = editable(newValue) }
  }

  private var storedManagedObjectClassName: String! = "NSManagedObject"

  /// Whether the entity is abstract: it has no objects of its own.
  open var isAbstract: Bool {
    get { storedIsAbstract }
    set { storedIsAbstract = editable(newValue) }
  }

  private var storedIsAbstract = false

  /// Additional information, with keys that the developer chooses.
  ///
  /// It is not part of the version hash.
  open var userInfo: [AnyHashable: Any]? {
    get { storedUserInfo }
    set { storedUserInfo = editable(newValue) }
  }

  private var storedUserInfo: [AnyHashable: Any]?

  /// A text mixed into the version hash, to mark a change that the model does not show.
  open var versionHashModifier: String? {
    get { storedVersionHashModifier }
    set { storedVersionHashModifier = editable(newValue) }
  }

  private var storedVersionHashModifier: String?

  /// The entity's name in the previous version; by default its current name.
  open var renamingIdentifier: String? {
    get { storedRenamingIdentifier ?? name }
    set { storedRenamingIdentifier = editable(newValue) }
  }

  /// The renaming identifier as it was set, without the default.
  package var storedRenamingIdentifier: String?

  /// The combinations of attributes whose values must be unique, each a list of attribute names or
  /// descriptions.
  open var uniquenessConstraints: [[Any]] {
    get { storedUniquenessConstraints }
    set { storedUniquenessConstraints = editable(newValue) }
  }

  private var storedUniquenessConstraints: [[Any]] = []

  /// The deprecated form of compound indexes, each a list of property names or descriptions.
  @available(*, deprecated, message: "Use indexes instead.")
  open var compoundIndexes: [[Any]] {
    get { storedCompoundIndexes }
    set { storedCompoundIndexes = editable(newValue) }
  }

  /// The compound indexes in their deprecated form.
  package var storedCompoundIndexes: [[Any]] = []

  /// The indexes for fetches of this entity.
  open var indexes: [NSFetchIndexDescription] {
    get { storedIndexes }
    set {
      requireEditable()
      for index in storedIndexes { index.owner = nil }
      for index in newValue { index.owner = self }
      storedIndexes = newValue
    }
  }

  private var storedIndexes: [NSFetchIndexDescription] = []

  /// The expression for an object's display name in Spotlight, or nil.
  open var coreSpotlightDisplayNameExpression: PredicateLanguage.NSExpression! {
    get { storedCoreSpotlightDisplayNameExpression }
    set { storedCoreSpotlightDisplayNameExpression = editable(newValue) }
  }

  private var storedCoreSpotlightDisplayNameExpression: PredicateLanguage.NSExpression!

  /// The entities that inherit directly from this one.
  open var subentities: [NSEntityDescription] {
    get { storedSubentities }
    set {
      requireEditable()
      for entity in storedSubentities { entity.parent = nil }
      for entity in newValue { entity.parent = self }
      storedSubentities = newValue
    }
  }

  private var storedSubentities: [NSEntityDescription] = []

  /// The entity that this one inherits from.
  open var superentity: NSEntityDescription? { parent }
  weak var parent: NSEntityDescription?

  /// The entity's own properties, without the inherited ones, in the order of declaration.
  package var ownProperties: [NSPropertyDescription] {
    get { storedOwnProperties }
    set {
      requireEditable()
      for property in storedOwnProperties where property.owner === self { property.owner = nil }
      for property in newValue { property.owner = self }
      storedOwnProperties = newValue
    }
  }

  private var storedOwnProperties: [NSPropertyDescription] = []

  /// Creates an entity without a name.
  public override init() {
    super.init()
  }

  /// Returns a copy that belongs to no model and can be edited.
  ///
  /// Properties, indexes and subentities are copied too, and references between them refer to the
  /// copies. The copy has no superentity, and its relationships to other entities keep their
  /// destinations.
  open func copy(with zone: NSZone? = nil) -> Any {
    var copier = EntityCopier()
    return copier.copies(of: [self])[0]
  }

  /// Whether the other entity has an equal description.
  ///
  /// Related entities are compared by name; properties and subentities in any order.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSEntityDescription else { return false }
    return other === self || isEqualDescription(to: other)
  }

  /// A one-line description with the class and the names of the properties.
  open override var description: String {
    let parent = superentity.map { ", superentity \($0.name ?? "")" } ?? ""
    let names = properties.map(\.name).joined(separator: ", ")
    return
      "entity \(name ?? "without a name")\(parent), class \(managedObjectClassName ?? "none"), properties (\(names))"
  }

  /// A hash value that equal descriptions share.
  open override var hash: Int { name.hashValue }

  /// The derived values, once the entity is in use.
  private(set) var derived: Derived?

  /// Computes the derived values.
  ///
  /// A model derives the values of all entities before it marks the first one as used, because
  /// the values also depend on ancestors.
  func derive() {
    guard !useMark.isSet else { return }
    derived = Derived(of: self)
  }

  /// Makes the entity immutable.
  func markUsed() {
    for property in ownProperties { property.freeze() }
    for index in indexes { index.markUsed() }
    useMark.set()
  }

  func requireEditable() {
    useMark.requireEditable("The entity \(name ?? "without a name")")
  }

  /// Returns a new value, after checking that the description can still be changed.
  func editable<Value>(_ value: Value) -> Value {
    requireEditable()
    return value
  }
}
