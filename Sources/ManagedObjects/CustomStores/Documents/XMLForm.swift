import Foundation
import ModelSource
import ObjectRows

/// The XML form of a store, as in Apple's XML stores.
///
/// ```xml
/// <database>
///     <databaseInfo>
///         <version>134481920</version>
///         <UUID>…</UUID>
///         <nextObjectID>102</nextObjectID>
///         <metadata><plist version="1.0">…</plist></metadata>
///     </databaseInfo>
///     <object type="NOTE" id="z102">
///         <attribute name="text" type="string">Milk</attribute>
///         <relationship name="in" type="0/1" destination="FOLDER" idrefs="z101"></relationship>
///     </object>
/// </database>
/// ```
///
/// | part | form |
/// |---|---|
/// | entities, properties | names in upper and lower case |
/// | `nextObjectID` | the last number in use |
/// | dates | seconds since 2001 |
/// | bytes | base64 |
/// | `<`, `>`, `&`, `\` and control characters | `\u3c00`: the UTF-16 unit, low byte first |
enum XMLForm: DocumentForm {
  static let type = NSXMLStoreType

  /// The version of the form, which is the same in all known files.
  static let version = "134481920"

  static func read(_ bytes: [UInt8]) throws(DocumentError) -> StoreDocument {
    let root: SourceElement
    do throws(XMLSyntaxError) {
      root = try XMLReader.read(bytes, documentType: .ignored, largest: largest)
    } catch {
      throw DocumentError("At byte \(error.offset): \(error.problem)", error.remedy)
    }
    return try XMLStoreReader(root).read()
  }

  static func write(_ document: StoreDocument) throws(DocumentError) -> Data {
    let bytes = Array(try XMLStoreWriter(document).text().utf8)
    do throws(XMLSyntaxError) {
      try largest.check(bytes)
    } catch {
      throw DocumentError(error.problem, error.remedy)
    }
    return Data(bytes)
  }

  private static let largest = XMLReader.Size(
    bytes: Limits.bytesOfXMLStore, elements: Limits.elementsOfXMLStore,
    remedy: "Use a SQLite store for so many objects.")
}
