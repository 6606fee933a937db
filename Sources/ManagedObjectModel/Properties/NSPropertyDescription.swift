public import Foundation

/// A description of one property of an entity: the superclass of attributes, relationships and
/// fetched properties.
// Sendable: immutable once in use, guarded by `useMark`; confined to its builder before that.
open class NSPropertyDescription: NSObject, NSCopying, @unchecked Sendable {
  let useMark = EditGuard()
  weak var owner: NSEntityDescription?

  /// The property's name.
  open var name: String {
    get { storedName }
    set { storedName = editable(newValue) }
  }

  private var storedName = ""

  /// Whether the property may be nil when its object is saved.
  open var isOptional: Bool {
    get { storedIsOptional }
    set { storedIsOptional = editable(newValue) }
  }

  private var storedIsOptional = true

  /// Whether the property is not stored.
  open var isTransient: Bool {
    get { storedIsTransient }
    set { storedIsTransient = editable(newValue) }
  }

  private var storedIsTransient = false

  /// Additional information, with keys that the developer chooses; empty by default.
  ///
  /// It is not part of the version hash. It can be changed while the model is in use, because the
  /// request of a fetched property may refer to it. Change it only while no other thread reads it.
  open var userInfo: [AnyHashable: Any]? {
    get { furtherInformation }
    set { furtherInformation = newValue ?? [:] }
  }

  private var furtherInformation: [AnyHashable: Any] = [:]

  /// Whether the property has the deprecated index mark.
  @available(*, deprecated, message: "Use NSEntityDescription.indexes instead.")
  open var isIndexed: Bool {
    get { storedIsIndexed }
    set { storedIsIndexed = editable(newValue) }
  }

  /// The deprecated mark for an index on this one property.
  package var storedIsIndexed = false

  /// Whether Spotlight indexes the property's value.
  open var isIndexedBySpotlight: Bool {
    get { storedIsIndexedBySpotlight }
    set { storedIsIndexedBySpotlight = editable(newValue) }
  }

  private var storedIsIndexedBySpotlight = false

  /// Whether the value is written to a record file next to the store.
  @available(*, deprecated, message: "The record files of Spotlight are no longer used.")
  open var isStoredInExternalRecord: Bool {
    get { storedIsStoredInExternalRecord }
    set { storedIsStoredInExternalRecord = editable(newValue) }
  }

  /// The deprecated mark for a value that is written to a record file.
  package var storedIsStoredInExternalRecord = false

  /// A text mixed into the version hash, to mark a change that the model does not show.
  open var versionHashModifier: String? {
    get { storedVersionHashModifier }
    set { storedVersionHashModifier = editable(newValue) }
  }

  private var storedVersionHashModifier: String?

  /// The property's name in the previous version; by default its current name.
  open var renamingIdentifier: String? {
    get { storedRenamingIdentifier ?? name }
    set { storedRenamingIdentifier = editable(newValue) }
  }

  /// The renaming identifier as it was set, without the default.
  package var storedRenamingIdentifier: String?

  /// The predicates that a value must match when it is saved.
  open private(set) var validationPredicates: [NSPredicate] = []

  /// The warning for each of the validation predicates: a text or an error code.
  open private(set) var validationWarnings: [Any] = []

  /// Sets the predicates that a value must match, each with a text for its failure.
  open func setValidationPredicates(
    _ predicates: [NSPredicate]?, withValidationWarnings warnings: [String]?
  ) {
    setValidation(predicates: predicates ?? [], warnings: warnings ?? [])
  }

  /// Sets the predicates that a value must match; a warning is a text or an error code.
  package func setValidation(predicates: [NSPredicate], warnings: [Any]) {
    requireEditable()
    validationPredicates = predicates
    validationWarnings = warnings
  }

  /// The entity that declares the property, if it belongs to one.
  package var declaringEntity: NSEntityDescription? { owner }

  /// Creates a property without a name, optional and not transient.
  public override init() {
    super.init()
  }

  /// Returns a copy that belongs to no entity and can be edited.
  ///
  /// The copy of a relationship has the same destination and the same inverse.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = makeEmptyCopy()
    copyState(to: copy)
    return copy
  }

  /// Creates a new property of the same class.
  ///
  /// Each subclass overrides it.
  func makeEmptyCopy() -> NSPropertyDescription { NSPropertyDescription() }

  /// Copies this property's values to a new property of the same class.
  func copyState(to copy: NSPropertyDescription) {
    copy.name = name
    copy.isOptional = isOptional
    copy.isTransient = isTransient
    copy.userInfo = userInfo
    copy.storedIsIndexed = storedIsIndexed
    copy.isIndexedBySpotlight = isIndexedBySpotlight
    copy.storedIsStoredInExternalRecord = storedIsStoredInExternalRecord
    copy.versionHashModifier = versionHashModifier
    copy.storedRenamingIdentifier = storedRenamingIdentifier
    copy.setValidation(predicates: validationPredicates, warnings: validationWarnings)
  }

  /// Whether the other property has an equal description.
  ///
  /// Related entities and inverse relationships are compared by name.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSPropertyDescription else { return false }
    return other === self || (type(of: other) == type(of: self) && isEqualDescription(to: other))
  }

  /// A one-line description of the property.
  open override var description: String {
    let place = owner?.name.map { "\($0)." } ?? ""
    return
      "\(place)\(name): \(kindDescription)\(isOptional ? ", optional" : "")\(isTransient ? ", transient" : "")"
  }

  /// A hash value that equal descriptions share.
  open override var hash: Int { name.hash }

  /// Compares the property with another of the same class.
  ///
  /// Each subclass adds its own values.
  func isEqualDescription(to other: NSPropertyDescription) -> Bool {
    name == other.name && isOptional == other.isOptional && isTransient == other.isTransient
      && versionHashModifier == other.versionHashModifier
      && renamingIdentifier == other.renamingIdentifier
      && storedIsIndexed == other.storedIsIndexed
      && isIndexedBySpotlight == other.isIndexedBySpotlight
      && storedIsStoredInExternalRecord == other.storedIsStoredInExternalRecord
      && valuesAreEqual(userInfo, other.userInfo)
      && valuesAreEqual(validationPredicates, other.validationPredicates)
      && valuesAreEqual(validationWarnings, other.validationWarnings)
  }

  /// The hash that identifies the property's form in a store.
  ///
  /// It covers the name, whether the property is optional or transient, and the version hash
  /// modifier; subclasses add their own values. The hash of a derived attribute covers its
  /// derivation instead.
  open var versionHash: Data {
    useMark.isSet ? storedVersionHash : Data(computeVersionHash())
  }

  /// The version hash, once the property is in use.
  private var storedVersionHash = Data()

  /// Computes the version hash.
  ///
  /// Each subclass overrides it.
  func computeVersionHash() -> [UInt8] {
    VersionHash.base(of: self)
  }

  /// Stores derived values and makes the property immutable.
  func freeze() {
    guard !useMark.isSet else { return }
    storedVersionHash = Data(computeVersionHash())
    useMark.set()
  }

  func requireEditable() {
    useMark.requireEditable("The property \(owner?.name.map { "\($0)." } ?? "")\(name)")
  }

  /// Returns a new value, after checking that the description can still be changed.
  func editable<Value>(_ value: Value) -> Value {
    requireEditable()
    return value
  }
}
