import CloudKitClient
import Foundation
import ManagedObjectModel

extension DecodedObject {
  /// Reads an attribute's value from a record.
  mutating func take(_ attribute: MirrorAttribute, from reader: FieldReader) {
    let found = reader.find(
      attribute.field, asset: attribute.assetField, isEncrypted: attribute.isEncrypted
    )
    .or(attribute.alias) {
      reader.find($0, asset: attribute.assetAlias, isEncrypted: attribute.isEncrypted)
    }
    switch found {
    case .nothing:
      missing.insert(attribute.key)
      if attribute.substitute != .null { content.values[attribute.key] = attribute.substitute }
    case .unfetched: unfetched.insert(attribute.property)
    case .issue(let reason, let field): report(attribute.property, field, reason)
    case .inline(let value):
      set(attribute) { try FieldConversion(attribute.type).value(of: value) }
    case .file(let file):
      set(attribute) { try FieldConversion(attribute.type).value(of: file) }
    }
  }

  private mutating func set(_ attribute: MirrorAttribute, _ value: () throws -> MirrorValue) {
    do { content.values[attribute.key] = try value() } catch {
      let reason = (error as? FieldConversion.Failure)?.reason ?? "cannot be read: \(error)"
      report(attribute.property, attribute.field, reason)
    }
  }

  /// Reads the name of a target's record.
  ///
  /// A `CKRecord.Reference` also counts, because programs without mirroring prefer it.
  mutating func take(_ reference: MirrorReference, from reader: FieldReader) {
    switch reader.find(reference.field, asset: nil).or(
      reference.alias, { reader.find($0, asset: nil) })
    {
    case .inline(let value as String):
      content.references[reference.property] = value.isEmpty ? nil : value
    case .inline(let value as CKRecord.Reference):
      content.references[reference.property] = value.recordID.recordName
    case .inline(let value):
      report(
        reference.property, reference.field,
        "is not the name of a record but \(FieldReader.name(of: value))")
    case .nothing, .file, .unfetched, .issue: break
    }
  }

  /// Reads the order of a relationship.
  mutating func take(_ order: MirrorOrder, from reader: FieldReader) {
    switch reader.find(order.field, asset: order.assetField) {
    case .nothing: break
    case .unfetched: unfetched.insert(order.property)
    case .issue(let reason, let field): report(order.property, field, reason)
    case .inline(let value as String): content.orders[order.property] = MemberOrder.order(in: value)
    case .inline(let value):
      report(
        order.property, order.field,
        "is not an order of records but \(FieldReader.name(of: value))")
    case .file(let file):
      do {
        guard case .string(let text) = try FieldConversion(.stringAttributeType).value(of: file)
        else { return }
        content.orders[order.property] = MemberOrder.order(in: text)
      } catch { report(order.property, order.assetField, "cannot be read: \(error)") }
    }
  }

  private mutating func report(_ property: String, _ field: String, _ reason: String) {
    issues.append(FieldIssue(property: property, field: field, reason: reason))
  }
}

extension DecodedObject {
  /// Reads the exact value of an attribute, if it agrees with Apple's field.
  ///
  /// Programs that do not know our field change only Apple's field.
  mutating func takeExact(_ attribute: MirrorAttribute, from reader: FieldReader) {
    guard let field = attribute.exactField,
      case .inline(let text as String) = reader.find(
        field, asset: nil, isEncrypted: attribute.isEncrypted
      )
      .or(attribute.exactAlias, { reader.find($0, asset: nil, isEncrypted: attribute.isEncrypted) }),
      let exact = MirrorValue(exactText: text, as: attribute.type), exact.exactText != nil
    else { return }
    let present = missing.contains(attribute.key) ? MirrorValue.null : content[attribute.key]
    guard !issues.contains(where: { $0.property == attribute.property }),
      (try? exact.isSameInField(as: present)) == true
    else { return }
    content.values[attribute.key] = exact
    missing.remove(attribute.key)
  }
}
