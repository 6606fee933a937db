package import CloudKitClient
package import MirrorModel

extension EveryFeatureModel {
  /// The object that a record represents.
  package static func object(_ record: CKRecord, expectsSealed: Bool = true) throws -> DecodedObject
  {
    let decoder = RecordDecoder(schema: schema, expectsSealed: expectsSealed)
    guard case .object(let object) = decoder.decode(record) else { throw NoObject() }
    return object
  }

  package struct NoObject: Error {
    package init() {}
  }
}
