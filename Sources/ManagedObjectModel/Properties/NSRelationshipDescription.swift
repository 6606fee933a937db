import Foundation

/// A description of a relationship from one entity to another.
///
/// The destination and the inverse are weak references: the model owns both.
// Sendable: like its superclass.
open class NSRelationshipDescription: NSPropertyDescription, @unchecked Sendable {
  private weak var destination: NSEntityDescription?
  private weak var inverse: NSRelationshipDescription?

  /// The entity of the related objects.
  open var destinationEntity: NSEntityDescription? {
    get { destination }
    set {
      requireEditable()
      destination = newValue
    }
  }

  /// The relationship in the other direction.
  open var inverseRelationship: NSRelationshipDescription? {
    get { inverse }
    set {
      requireEditable()
      inverse = newValue
    }
  }

  /// The maximum number of related objects.
  ///
  /// 0 means that there is no limit, 1 makes the relationship to-one.
  open var maxCount: Int {
    get { storedMaxCount }
    set { storedMaxCount = editable(newValue) }
  }

  private var storedMaxCount = 0

  /// The minimum number of related objects; an optional relationship may also have none.
  open var minCount: Int {
    get { storedMinCount }
    set { storedMinCount = editable(newValue) }
  }

  private var storedMinCount = 0

  /// The effect on the related objects when the object is deleted.
  open var deleteRule: NSDeleteRule {
    get { storedDeleteRule }
    set { storedDeleteRule = editable(newValue) }
  }

  private var storedDeleteRule = NSDeleteRule.nullifyDeleteRule

  /// Whether there can be more than one related object.
  open var isToMany: Bool { maxCount != 1 }

  /// Whether the related objects are ordered.
  open var isOrdered: Bool {
    get { storedIsOrdered }
    set { storedIsOrdered = editable(newValue) }
  }

  private var storedIsOrdered = false

  override func makeEmptyCopy() -> NSPropertyDescription { NSRelationshipDescription() }

  override func copyState(to copy: NSPropertyDescription) {
    super.copyState(to: copy)
    guard let copy = copy as? NSRelationshipDescription else { return }
    copy.destinationEntity = destinationEntity
    copy.inverseRelationship = inverseRelationship
    copy.maxCount = maxCount
    copy.minCount = minCount
    copy.deleteRule = deleteRule
    copy.isOrdered = isOrdered
  }

  override func isEqualDescription(to other: NSPropertyDescription) -> Bool {
    guard let other = other as? NSRelationshipDescription, super.isEqualDescription(to: other)
    else {
      return false
    }
    return destinationEntity?.name == other.destinationEntity?.name
      && inverseRelationship?.name == other.inverseRelationship?.name
      && maxCount == other.maxCount && minCount == other.minCount
      && deleteRule == other.deleteRule && isOrdered == other.isOrdered
  }

  override func computeVersionHash() -> [UInt8] {
    VersionHash.hash(of: self)
  }
}
