import CloudKitClient
import CloudMirroring

extension Shelf {
  /// The object that a record stands for.
  static func object(_ record: CKRecord) throws -> DecodedObject {
    guard case .object(let object) = RecordDecoder(schema: schema).decode(record) else { throw NoObject() }
    return object
  }

  struct NoObject: Error {}
}
