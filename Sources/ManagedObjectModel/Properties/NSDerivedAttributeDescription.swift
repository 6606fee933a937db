public import Foundation
public import PredicateLanguage

/// A description of an attribute whose value the store computes from other properties when it
/// saves.
// Sendable: like its superclass.
open class NSDerivedAttributeDescription: NSAttributeDescription, @unchecked Sendable {
  /// The expression that computes the value from other properties of the object.
  open var derivationExpression: PredicateLanguage.NSExpression? {
    get { storedDerivationExpression }
    set { storedDerivationExpression = editable(newValue) }
  }

  private var storedDerivationExpression: PredicateLanguage.NSExpression?

  /// A predicate that filters the related objects of a derivation over a relationship.
  open var filteringPredicate: NSPredicate? {
    get { storedFilteringPredicate }
    set { storedFilteringPredicate = editable(newValue) }
  }

  private var storedFilteringPredicate: NSPredicate?

  override func makeEmptyCopy() -> NSPropertyDescription { NSDerivedAttributeDescription() }

  override func copyState(to copy: NSPropertyDescription) {
    super.copyState(to: copy)
    guard let copy = copy as? NSDerivedAttributeDescription else { return }
    copy.derivationExpression = derivationExpression
    copy.filteringPredicate = filteringPredicate
  }

  override func computeVersionHash() -> [UInt8] {
    VersionHash.hash(of: self)
  }

  override func isEqualDescription(to other: NSPropertyDescription) -> Bool {
    guard let other = other as? NSDerivedAttributeDescription, super.isEqualDescription(to: other)
    else {
      return false
    }
    return valuesAreEqual(derivationExpression, other.derivationExpression)
      && valuesAreEqual(filteringPredicate, other.filteringPredicate)
  }
}
