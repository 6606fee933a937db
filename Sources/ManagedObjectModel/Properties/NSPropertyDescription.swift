public import Foundation

/// A description of one property of an entity: what attributes, relationships and fetched
/// properties have in common.
// Sendable: immutable once in use, guarded by `useMark`; before that confined to its builder.
open class NSPropertyDescription: NSObject, NSCopying, @unchecked Sendable {
  let useMark = EditGuard()
  weak var owner: NSEntityDescription?

  /// The property's name.
  open var name: String {
    get { storedName }
    set { storedName = editable(newValue) }
  }

  private var storedName = ""

  /// Whether the property may be without a value when its object is saved.
  open var isOptional: Bool {
    get { storedIsOptional }
    set { storedIsOptional = editable(newValue) }
  }

  private var storedIsOptional = true

  /// Whether the property is kept in memory only.
  open var isTransient: Bool {
    get { storedIsTransient }
    set { storedIsTransient = editable(newValue) }
  }

  private var storedIsTransient = false

  /// Any further information, by the developer's own keys; none, but never nil, where nothing was
  /// set.
  ///
  /// It is not part of the version hash, and can be changed while the model is in use: the request
  /// of a fetched property may refer to it. Change it while nobody else reads it.
  open var userInfo: [AnyHashable: Any]? {
    get { furtherInformation }
    set { furtherInformation = newValue ?? [:] }
  }

  private var furtherInformation: [AnyHashable: Any] = [:]

  /// Whether the property was marked as indexed in the old way.
  @available(*, deprecated, message: "Use NSEntityDescription.indexes instead.")
  open var isIndexed: Bool {
    get { storedIsIndexed }
    set { storedIsIndexed = editable(newValue) }
  }

  /// The old mark for an index on this one property.
  package var storedIsIndexed = false

  /// Whether the property's value should be found by the system's search.
  open var isIndexedBySpotlight: Bool {
    get { storedIsIndexedBySpotlight }
    set { storedIsIndexedBySpotlight = editable(newValue) }
  }

  private var storedIsIndexedBySpotlight = false

  /// Whether the value is written to a record file beside the store.
  @available(*, deprecated, message: "The record files of Spotlight are no longer used.")
  open var isStoredInExternalRecord: Bool {
    get { storedIsStoredInExternalRecord }
    set { storedIsStoredInExternalRecord = editable(newValue) }
  }

  /// The old mark for a value that is written to a record file.
  package var storedIsStoredInExternalRecord = false

  /// A text mixed into the version hash, to mark a change that the model does not show.
  open var versionHashModifier: String? {
    get { storedVersionHashModifier }
    set { storedVersionHashModifier = editable(newValue) }
  }

  private var storedVersionHashModifier: String?

  /// The property's name in the version before this one; its name, where it was not renamed.
  open var renamingIdentifier: String? {
    get { storedRenamingIdentifier ?? name }
    set { storedRenamingIdentifier = editable(newValue) }
  }

  /// The renaming identifier as it was set, without the default.
  package var storedRenamingIdentifier: String?

  /// The conditions that a value must meet before it is saved.
  open private(set) var validationPredicates: [NSPredicate] = []

  /// The warning, a text or an error code, that belongs to each of the validation predicates.
  open private(set) var validationWarnings: [Any] = []

  /// Sets the conditions that a value must meet, each with the text that explains its failure.
  open func setValidationPredicates(
    _ predicates: [NSPredicate]?, withValidationWarnings warnings: [String]?
  ) {
    setValidation(predicates: predicates ?? [], warnings: warnings ?? [])
  }

  /// Sets the conditions that a value must meet; a warning is a text or an error code.
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

  /// A copy that belongs to no entity and can be edited.
  ///
  /// The copy of a relationship names the same destination and the same inverse.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = makeEmptyCopy()
    copyState(to: copy)
    return copy
  }

  /// A new property of the same kind.
  ///
  /// Each kind overrides it.
  func makeEmptyCopy() -> NSPropertyDescription { NSPropertyDescription() }

  /// Gives a new property of the same kind everything that this one says.
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

  /// Whether the other description says the same.
  ///
  /// Related entities and inverse relationships are compared by name.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSPropertyDescription else { return false }
    return other === self || (type(of: other) == type(of: self) && describesSame(as: other))
  }

  /// What the property is, in a line.
  open override var description: String {
    let place = owner?.name.map { "\($0)." } ?? ""
    return
      "\(place)\(name): \(kindInWords)\(isOptional ? ", optional" : "")\(isTransient ? ", transient" : "")"
  }

  /// Equal descriptions have equal hashes.
  open override var hash: Int { name.hash }

  /// Compares what the property says with a property of the same class.
  ///
  /// Each kind adds to it.
  func describesSame(as other: NSPropertyDescription) -> Bool {
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

  /// The hash that tells whether a store's property has this form.
  ///
  /// It covers the name, whether the property is optional, and the version hash modifier; each kind
  /// adds to it.
  open var versionHash: Data {
    useMark.isSet ? storedVersionHash : Data(computeVersionHash())
  }

  /// The version hash, once the property is in use.
  private var storedVersionHash = Data()

  /// Computes the version hash.
  ///
  /// Each kind overrides it.
  func computeVersionHash() -> [UInt8] {
    VersionHash.base(of: self)
  }

  /// Stores what follows from the description, and makes it immutable.
  func freeze() {
    guard !useMark.isSet else { return }
    storedVersionHash = Data(computeVersionHash())
    useMark.set()
  }

  func requireEditable() {
    useMark.requireEditable("The property \(owner?.name.map { "\($0)." } ?? "")\(name)")
  }

  /// Passes a value on, after checking that the description can still be changed.
  func editable<Value>(_ value: Value) -> Value {
    requireEditable()
    return value
  }
}
