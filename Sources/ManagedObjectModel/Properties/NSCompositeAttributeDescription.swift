import Foundation

/// A description of an attribute that is a group of named attributes.
// Sendable: like its superclass.
open class NSCompositeAttributeDescription: NSAttributeDescription, @unchecked Sendable {
  /// The attributes of the group.
  ///
  /// They may be groups themselves.
  open var elements: [NSAttributeDescription] {
    get { storedElements }
    set { storedElements = editable(newValue) }
  }

  private var storedElements: [NSAttributeDescription] = []

  /// Creates a composite attribute without elements.
  public override init() {
    super.init()
    attributeType = .compositeAttributeType
  }

  override func makeEmptyCopy() -> NSPropertyDescription { NSCompositeAttributeDescription() }

  override func copyState(to copy: NSPropertyDescription) {
    super.copyState(to: copy)
    guard let copy = copy as? NSCompositeAttributeDescription else { return }
    copy.elements = elements.compactMap { $0.copy() as? NSAttributeDescription }
  }

  override func isEqualDescription(to other: NSPropertyDescription) -> Bool {
    guard let other = other as? NSCompositeAttributeDescription, super.isEqualDescription(to: other)
    else { return false }
    return elements == other.elements
  }

  override func freeze() {
    guard !useMark.isSet else { return }
    super.freeze()
    for element in elements { element.freeze() }
  }
}
