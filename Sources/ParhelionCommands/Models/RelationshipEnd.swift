/// One end of a relationship in the command line's notation: `Author.posts:many`,
/// `Post.author:one`, `List.items:ordered`.
struct RelationshipEnd: Equatable {
  let entity: String
  let name: String
  let isToMany: Bool
  let isOrdered: Bool
  let deleteRule: String

  /// Parses one end of a relationship.
  ///
  /// - Parameter deleteRule: The effect of deleting this end's object on the objects at the other
  ///   end.
  init(_ text: String, deleteRule: String = "Nullify") throws(CommandError) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let path = parts[0].split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard path.count == 2, parts.count == 2, ["one", "many", "ordered"].contains(parts[1]) else {
      throw CommandError(
        "\(text) is not an end of a relationship. Write ENTITY.NAME:one, ENTITY.NAME:many or ENTITY.NAME:ordered."
      )
    }
    try ModelSourceDraft.requireName(path[1], of: "a relationship", pattern: \.isLowercase)
    entity = path[0]
    name = path[1]
    isToMany = parts[1] != "one"
    isOrdered = parts[1] == "ordered"
    self.deleteRule = deleteRule
  }

  /// The end's element in a model's source.
  func element(inverse: RelationshipEnd) -> String {
    let count = isToMany ? "toMany=\"YES\"" : "maxCount=\"1\""
    let order = isOrdered ? " ordered=\"YES\"" : ""
    return
      "<relationship name=\"\(name)\" optional=\"YES\" \(count) deletionRule=\"\(deleteRule)\"\(order) destinationEntity=\"\(inverse.entity)\" inverseName=\"\(inverse.name)\" inverseEntity=\"\(inverse.entity)\"/>"
  }
}
