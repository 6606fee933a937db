import Foundation
import PredicateLanguage

extension ModelComparison {
  mutating func compareAttribute(_ before: NSAttributeDescription, _ after: NSAttributeDescription)
  {
    let name = after.name
    compareType(before, after)
    compareOptionality(before, after)
    compareValue(.defaultValue, name, before.defaultValue, after.defaultValue)
    compareFlags(before, after)
    compare(.valueClass, name, before.attributeValueClassName, after.attributeValueClassName) {
      $0 ?? "none"
    }
    compare(.valueTransformer, name, before.valueTransformerName, after.valueTransformerName) {
      $0 ?? "none"
    }
    if !valuesAreEqual(before.validationPredicates, after.validationPredicates) {
      record(.validation, name)
    }
    compareDerivation(
      before as? NSDerivedAttributeDescription, after as? NSDerivedAttributeDescription, name)
    if let before = before as? NSCompositeAttributeDescription,
      let after = after as? NSCompositeAttributeDescription
    {
      compareElements(of: before, after)
    }
  }

  private mutating func compareType(
    _ before: NSAttributeDescription, _ after: NSAttributeDescription
  ) {
    guard before.attributeType != after.attributeType else { return }
    let isStored = before.isHashed && after.isHashed
    record(
      .type, after.name, from: before.attributeType.displayName,
      to: after.attributeType.displayName,
      affectsHash: before.formIsHashed || after.formIsHashed,
      nonLightweightReason: isStored
        ? "No conversion is inferred from \(before.attributeType.displayName) to \(after.attributeType.displayName)."
        : nil)
  }

  private mutating func compareOptionality(
    _ before: NSAttributeDescription, _ after: NSAttributeDescription
  ) {
    guard before.isOptional != after.isOptional else { return }
    record(
      .optionality, after.name, from: before.isOptional ? "yes" : "no",
      to: after.isOptional ? "yes" : "no",
      affectsHash: before.formIsHashed || after.formIsHashed,
      nonLightweightReason: after.needsValue
        ? "Objects without a value for \(after.name) would become invalid, as the attribute has no default."
        : nil, dependsOnObjects: true)
  }

  private mutating func compareFlags(
    _ before: NSAttributeDescription, _ after: NSAttributeDescription
  ) {
    let hashed = before.formIsHashed || after.formIsHashed
    compare(
      .externalStorage, after.name, before.allowsExternalBinaryDataStorage,
      after.allowsExternalBinaryDataStorage,
      affectsHash: hashed)
    compare(
      .historyPreservation, after.name, before.preservesValueInHistoryOnDeletion,
      after.preservesValueInHistoryOnDeletion, affectsHash: hashed)
    compare(.cloudEncryption, after.name, before.allowsCloudEncryption, after.allowsCloudEncryption)
  }

  private mutating func compareDerivation(
    _ before: NSDerivedAttributeDescription?, _ after: NSDerivedAttributeDescription?,
    _ name: String
  ) {
    let isSame =
      (before == nil) == (after == nil)
      && before?.derivationDescription == after?.derivationDescription
      && valuesAreEqual(before?.filteringPredicate, after?.filteringPredicate)
    guard !isSame else { return }
    record(
      .derivation, name, from: before?.derivationDescription ?? "none",
      to: after?.derivationDescription ?? "none",
      affectsHash: true)
  }

  private mutating func compareValue(
    _ kind: ModelDifference.Kind, _ name: String, _ before: Any?, _ after: Any?
  ) {
    guard !valuesAreEqual(before, after) else { return }
    record(
      kind, name, from: ModelValue.text(before) ?? "none", to: ModelValue.text(after) ?? "none")
  }

  /// Compares the elements of a composite like the properties of an entity; added and removed ones
  /// have names such as `place.latitude`.
  private mutating func compareElements(
    of before: NSCompositeAttributeDescription, _ after: NSCompositeAttributeDescription
  ) {
    let elements = Correspondence(
      from: before.elements, to: after.elements, name: \.name,
      identifier: \.storedRenamingIdentifier)
    for element in elements.added {
      record(
        .propertyAdded, "\(after.name).\(element.name)", to: element.kindDescription,
        affectsHash: true,
        nonLightweightReason: element.needsValue
          ? "Existing objects would have no value for the required element \(element.name), which has no default."
          : nil
      )
    }
    for element in elements.removed {
      record(
        .propertyRemoved, "\(after.name).\(element.name)", from: element.kindDescription,
        affectsHash: true)
    }
    for (source, destination) in elements.pairs { compareProperty(source, destination) }
  }
}

extension NSAttributeDescription {
  /// Whether the attribute's type and options affect the version hash; for a derived attribute only
  /// the derivation does.
  fileprivate var formIsHashed: Bool { isHashed && !(self is NSDerivedAttributeDescription) }

  /// Whether the attribute is stored and required, and has no default for missing values.
  fileprivate var isRequiredWithoutDefault: Bool {
    !isOptional && !isTransient && defaultValue == nil
  }

  /// Whether every object of a migrated store must already have a value for the attribute.
  package var needsValue: Bool {
    isRequiredWithoutDefault && !(self is NSDerivedAttributeDescription) && !isComposite
  }

  /// Whether the attribute is a composite, whose elements are compared instead.
  private var isComposite: Bool { self is NSCompositeAttributeDescription }
}

extension NSDerivedAttributeDescription {
  /// The derivation as it enters the hash: `items.@count` and `count:(items)` are equal there.
  fileprivate var derivationDescription: String? {
    derivationExpression.map { $0.derivationText ?? $0.description }
  }
}
