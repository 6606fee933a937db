extension RecordEncoder {
  /// Returns the fields to set and clear in a record, from the whole content.
  ///
  /// - Parameters:
  ///   - changed: The properties to write; nil for all.
  ///   - assets: The fields whose values are in assets now, from `EncodedRecord.assets`. If nil,
  ///     values that become assets for lack of room are written again, even if unchanged.
  ///   - foreignBytes: The bytes that other programs' fields take in the record.
  ///   - isNew: Whether the record does not exist yet, and needs its entity's name.
  package func changes(
    of content: ObjectContent, changed: Set<String>?, assets: Set<String>? = nil,
    foreignBytes: Int = 0, isNew: Bool = false
  ) -> RecordChanges {
    guard let entity = schema[content.entity] else {
      preconditionFailure("The schema has no entity \(content.entity).")
    }
    let parts = RecordPart.all(of: content, as: entity, without: fieldsLeftOut(of: entity))
    let fixed =
      MappingLimits.bareRecordBytes + foreignBytes + parts.reduce(0) { $0 + $1.fixedBytes }
    let placement = AssetPlacement(of: parts.compactMap(\.candidate), fixedBytes: fixed)
    let settings = parts.filter { part in
      guard let changed else { return true }
      guard let property = part.property else { return isNew }
      if changed.contains(property) { return true }
      return part.isMoved(to: placement, from: assets)
    }
    .flatMap { $0.settings(placement.assets.contains($0.field)) }
    return RecordChanges(
      settings: settings.sorted { $0.field < $1.field }, assets: placement.assets,
      recordBytes: placement.bytes)
  }
}

/// One value of an object's record, with its field or fields.
private struct RecordPart {
  /// The property; nil for the entity's name, which never changes.
  let property: String?
  let field: String
  let assetField: String?
  let isEncrypted: Bool
  var isExternal = false
  let value: RecordValue?
  /// The fields of programs that do not know a renaming, which are cleared.
  var aliases: [String] = []
  /// The field for the exact value, and its text; nil if there is no such field.
  ///
  /// The text is nil if Apple's field is exact.
  var exact: (field: String, text: String?)?

  static func all(of content: ObjectContent, as entity: MirrorEntity, without leftOut: Set<String>)
    -> [RecordPart]
  {
    var parts = [
      RecordPart(
        property: nil, field: MirrorNames.entityName, assetField: nil, isEncrypted: false,
        value: .string(entity.nameInCloud))
    ]
    parts += entity.attributes.map { attribute in
      RecordPart(
        property: attribute.property, field: attribute.field, assetField: attribute.assetField,
        isEncrypted: attribute.isEncrypted, isExternal: attribute.isExternal,
        value: content[attribute.key].inRecord,
        aliases: [attribute.alias, attribute.assetAlias, attribute.exactAlias].compactMap(\.self)
          .filter { !leftOut.contains($0) },
        exact: attribute.exactField.flatMap { field in
          leftOut.contains(field) ? nil : (field, content[attribute.key].exactText)
        })
    }
    parts += entity.references.map { reference in
      RecordPart(
        property: reference.property, field: reference.field, assetField: nil, isEncrypted: false,
        value: content.references[reference.property].map { .string($0) },
        aliases: reference.alias.map { [$0] } ?? [])
    }
    parts += entity.orders.map { order in
      RecordPart(
        property: order.property, field: order.field, assetField: order.assetField,
        isEncrypted: false,
        value: content.orders[order.property].flatMap { MemberOrder.text(of: $0) }.map {
          .string($0)
        })
    }
    return parts
  }

  /// The bytes that the value takes in the record if it cannot be an asset; otherwise 0.
  var fixedBytes: Int {
    guard assetField == nil else { return 0 }
    return bytes(field, value?.length) + (exact.map { bytes($0.field, $0.text?.utf8.count) } ?? 0)
  }

  private func bytes(_ field: String, _ length: Int?) -> Int {
    guard let length else { return 0 }
    return field.utf8.count + MappingLimits.fieldBytes + length
      + (isEncrypted ? MappingLimits.sealBytes : 0)
  }

  /// The value, if it can be an asset.
  var candidate: AssetPlacement.Candidate? {
    guard assetField != nil, let value else { return nil }
    let isFile = if case .file = value { true } else { false }
    return .init(
      field: field, length: value.length, isFile: isFile, isEncrypted: isEncrypted,
      isExternal: isExternal)
  }

  /// Whether an unchanged value moves between its inline field and its asset.
  func isMoved(to placement: AssetPlacement, from assets: Set<String>?) -> Bool {
    guard let candidate else { return false }
    let isAsset = placement.assets.contains(field)
    if let assets { return assets.contains(field) != isAsset }
    return isAsset && !candidate.isAlwaysAsset
  }

  /// Returns the settings for all fields of the value.
  ///
  /// Writing one of the two fields clears the other one, and the aliases.
  func settings(_ isAsset: Bool) -> [RecordChanges.Setting] {
    let inline: RecordChanges.Content = if let value, !isAsset { .inline(value) } else { .cleared }
    let own = RecordChanges.Setting(field: field, isEncrypted: isEncrypted, content: inline)
    var others = aliases.map {
      RecordChanges.Setting(field: $0, isEncrypted: false, content: .cleared)
    }
    if let (field, text) = exact {
      let content: RecordChanges.Content = text.map { .inline(.string($0)) } ?? .cleared
      others.append(RecordChanges.Setting(field: field, isEncrypted: isEncrypted, content: content))
    }
    guard let assetField else { return [own] + others }
    let asset: RecordChanges.Content = if let value, isAsset { .asset(value) } else { .cleared }
    return [
      own,
      RecordChanges.Setting(
        field: assetField, isEncrypted: false, content: asset, isFileSealed: isEncrypted),
    ] + others
  }
}
