/// Why no mapping can be inferred between two models.
package struct InferenceRefusal {
  /// The reasons, one sentence for each change.
  package let reasons: String
  /// The names of the first entity and property that prevent it.
  package let context: [String: String]
}

extension ModelDifference {
  /// Why no mapping can be inferred, whatever objects a store contains; nil if one can.
  ///
  /// An attribute that becomes required without a default is no reason: each migration checks
  /// whether objects lack a value (`MissingValues`).
  ///
  /// - Parameter entities: The names of the entities in the store; nil for all.
  package func refusal(among entities: Set<String>? = nil) -> InferenceRefusal? {
    let found = nonLightweightChanges.filter { change in
      guard !change.dependsOnObjects else { return false }
      guard let entities, let entity = change.entity else { return true }
      return entities.contains(entity)
    }
    guard let first = found.first else { return nil }
    let reasons = found.map { change in
      let place = [change.entity, change.property].compactMap(\.self).joined(separator: ".")
      return "\(place): \(change.nonLightweightReason ?? "")"
    }
    return InferenceRefusal(
      reasons: reasons.joined(separator: " "),
      context: ["entity": first.entity ?? "", "property": first.property ?? ""])
  }
}
