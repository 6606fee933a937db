import CloudKitClient
import CloudMirroring

extension Shelf {
  /// The object that a record stands for.
  static func object(_ record: CKRecord, expectsSealed: Bool = true) throws -> DecodedObject {
    let decoder = RecordDecoder(schema: schema, expectsSealed: expectsSealed)
    guard case .object(let object) = decoder.decode(record) else { throw NoObject() }
    return object
  }

  struct NoObject: Error {}
}
