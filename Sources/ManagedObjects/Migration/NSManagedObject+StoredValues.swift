import Foundation
import ManagedObjectModel
import ObjectRows

extension NSManagedObject {
  /// Runs a closure while all values of the object are in memory.
  ///
  /// Otherwise, the value of a file that cannot be read would be nil, and a migration would write
  /// nil. A missing file is already lost, so its value stays nil.
  ///
  /// - Throws: An error that names the value that cannot be read.
  final func withStoredValues(_ body: () throws -> Void) throws {
    prepareAccess()
    var loaded: [Int] = []
    defer { for ordinal in loaded { state?.decoded[ordinal] = nil } }
    for (ordinal, slot) in layout.slots.enumerated()
    where slot.kind == .boxed && !slot.isNull(in: row) {
      guard let attribute = layout.properties[ordinal] as? NSAttributeDescription else { continue }
      if try load(attribute, ordinal) { loaded.append(ordinal) }
    }
    try body()
  }

  /// Reads a value, and returns whether it cached the contents of a file in the object.
  private final func load(_ attribute: NSAttributeDescription, _ ordinal: Int) throws -> Bool {
    do {
      guard
        let external = layout.slots[ordinal].load(from: row, as: BoxedValue?.self)
          as? ExternalValue
      else {
        _ = try readValue(attribute, ordinal, in: row)
        return false
      }
      guard external.folder.files.itemExists(at: external.file) else {
        LogLine.warn(
          """
          The file \(external.file.path) of \(place(attribute)) is missing, so the migrated \
          object has no value.
          """
        )
        return false
      }
      let data = try external.data()
      ownState().decoded[ordinal] =
        attribute.attributeType == .transformableAttributeType
        ? try AttributeTransformer(attribute).decode(data) : data
      return true
    } catch {
      throw cocoaError(
        NSEntityMigrationPolicyError,
        "The value of \(place(attribute)) cannot be read, so the object is not migrated. \(error)",
        [NSUnderlyingErrorKey: error as NSError])
    }
  }
}
