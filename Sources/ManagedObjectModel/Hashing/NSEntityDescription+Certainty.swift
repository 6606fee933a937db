extension NSEntityDescription {
  /// The reasons that the entity's version hash may differ from the one that Apple's framework
  /// computes; empty if it is certain.
  ///
  /// The effect of some parts of a description on the hash could not be determined from real stores
  /// (Design/0003-version-hashes.md). A store with such an entity is matched by the model in the
  /// store, not by this hash.
  package var versionHashUncertainties: [String] {
    let line = lineage
    let modified = line.filter {
      $0.versionHashModifier?.isEmpty == false && !$0.uniquenessConstraints.isEmpty
    }
    return VersionHash.hashedProperties(of: self).compactMap { property in
      (property as? NSAttributeDescription)?.versionHashUncertainty.map {
        "\(property.name) \($0)"
      }
    }
      + modified.map {
        "\($0.name ?? "") has both a version hash modifier and uniqueness constraints"
      }
  }

  /// Whether the entity's version hash equals the one that Apple's framework computes.
  package var isVersionHashCertain: Bool { versionHashUncertainties.isEmpty }
}

extension NSAttributeDescription {
  /// Why the attribute's version hash is uncertain, as the end of a sentence, or nil.
  var versionHashUncertainty: String? {
    switch self {
    case let derived as NSDerivedAttributeDescription: derived.uncertaintyOfDerivation
    case is NSCompositeAttributeDescription: "is composite"
    case _ where allowsExternalBinaryDataStorage && preservesValueInHistoryOnDeletion:
      "is both stored externally and preserved in the history"
    case _ where allowsCloudEncryption: "allows encryption in the cloud"
    default: nil
    }
  }
}

extension NSDerivedAttributeDescription {
  fileprivate var uncertaintyOfDerivation: String? {
    if derivationExpression?.derivationText == nil {
      return "has no derivation that a store could compute"
    }
    if filteringPredicate != nil { return "has a filtering predicate" }
    if versionHashModifier?.isEmpty == false { return "is derived and has a version hash modifier" }
    return nil
  }
}
