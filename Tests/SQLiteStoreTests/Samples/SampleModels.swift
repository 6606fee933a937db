import Foundation
import ManagedObjectModel

/// The models of the tests of rows.
enum SampleModels {
  /// Every type of attribute.
  static func types() -> NSManagedObjectModel {
    model([
      entity(
        "Everything",
        [
          attribute("bool", .booleanAttributeType), attribute("int16", .integer16AttributeType),
          attribute("int32", .integer32AttributeType), attribute("int64", .integer64AttributeType),
          attribute("float", .floatAttributeType), attribute("double", .doubleAttributeType),
          attribute("date", .dateAttributeType), attribute("uuid", .UUIDAttributeType),
          attribute("decimal", .decimalAttributeType), attribute("string", .stringAttributeType),
          attribute("url", .URIAttributeType), attribute("data", .binaryDataAttributeType),
          attribute("photo", .binaryDataAttributeType) {
            $0.allowsExternalBinaryDataStorage = true
          },
          attribute("colour", .transformableAttributeType),
          attribute("drawing", .transformableAttributeType) {
            $0.allowsExternalBinaryDataStorage = true
          },
          attribute("memo", .stringAttributeType) { $0.isTransient = true },
          composite(
            "place",
            [
              attribute("name", .stringAttributeType),
              composite(
                "point",
                [attribute("x", .doubleAttributeType), attribute("y", .integer64AttributeType)]),
            ]),
        ])
    ])
  }

  /// Authors with ordered books, books with ordered tags, and people with friends and companies.
  static func library() -> NSManagedObjectModel {
    let manager = entity("Manager", [attribute("bonus", .doubleAttributeType)])
    let employee = entity(
      "Employee", [attribute("salary", .integer64AttributeType)], subentities: [manager])
    let person = entity(
      "Person",
      [attribute("name", .stringAttributeType), attribute("email", .stringAttributeType)],
      unique: [["email"]], subentities: [employee])
    let book = entity(
      "Book",
      [
        attribute("title", .stringAttributeType), attribute("isbn", .stringAttributeType),
        attribute("shelf", .integer32AttributeType), attribute("place", .integer32AttributeType),
      ], unique: [["isbn"], ["shelf", "place"]])
    let author = entity("Author", [attribute("name", .stringAttributeType)])
    let tag = entity("Tag", [attribute("label", .stringAttributeType)])
    let company = entity("Company", [attribute("name", .stringAttributeType)])
    relate(.many(author, "books", ordered: true), .one(book, "author"))
    relate(.many(book, "tags", ordered: true), .many(tag, "books"))
    relate(.one(company, "head"), .many(person, "headed"))
    relateReflexively(.many(person, "friends"))
    return model([person, book, author, tag, company])
  }

  /// Attributes that the history keeps when their object is deleted.
  static func notes() -> NSManagedObjectModel {
    func kept(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
      attribute(name, type) { $0.preservesValueInHistoryOnDeletion = true }
    }
    let note = entity(
      "Note",
      [
        kept("title", .stringAttributeType), kept("id", .UUIDAttributeType),
        kept("count", .integer64AttributeType),
        kept("when", .dateAttributeType), kept("colour", .transformableAttributeType),
        attribute("body", .stringAttributeType),
        attribute("photo", .binaryDataAttributeType) {
          $0.preservesValueInHistoryOnDeletion = true
          $0.allowsExternalBinaryDataStorage = true
        },
      ])
    let folder = entity("Folder", [kept("name", .stringAttributeType)])
    let special = entity("Special", [attribute("size", .doubleAttributeType)])
    folder.subentities = [special]
    relate(.many(folder, "notes"), .one(note, "folder"))
    return model([note, folder])
  }

  /// Eight attributes, as in the benchmarks, and children.
  static func posts() -> NSManagedObjectModel {
    let post = entity(
      "Post",
      [
        attribute("title", .stringAttributeType), attribute("body", .stringAttributeType),
        attribute("date", .dateAttributeType), attribute("likes", .integer64AttributeType),
        attribute("score", .doubleAttributeType), attribute("isRead", .booleanAttributeType),
        attribute("token", .UUIDAttributeType), attribute("rank", .integer32AttributeType),
      ])
    let comment = entity("Comment", [attribute("text", .stringAttributeType)])
    relate(.many(post, "comments"), .one(comment, "post"))
    return model([post, comment])
  }
}
