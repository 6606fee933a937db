import Foundation
import ModelSource

extension ModelCommands {
  /// The command `parhelion model init`.
  package static let initialize = Command(
    "model init", "Create a model without entities.", operands: ["M"],
    discussion: """
      M is the .xcdatamodeld to create, in the source folder of a target that uses \
      ManagedObjectModelPlugin. Xcode can open it. Add to it with: parhelion model add-entity.
      """
  ) { invocation, console in
    let bundle = URL(fileURLWithPath: invocation.operands[0])
    guard bundle.pathExtension == "xcdatamodeld" else {
      throw CommandError(
        "\(invocation.operands[0]) is not a model's name. Name a folder that ends in .xcdatamodeld."
      )
    }
    guard !FileManager.default.fileExists(atPath: bundle.path) else {
      throw CommandError("\(bundle.path) already exists.")
    }
    let version = "\(bundle.deletingPathExtension().lastPathComponent).xcdatamodel"
    try CommandError.writing(bundle.path) {
      let folder = bundle.appendingPathComponent(version)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data(ModelSourceDraft.empty.text.utf8).write(
        to: folder.appendingPathComponent("contents"))
      try Data(currentVersionFile(naming: version).utf8).write(
        to: bundle.appendingPathComponent(".xccurrentversion"))
    }
    try console.writeLine(invocation.operands[0])
    return .success
  }

  /// The command `parhelion model add-entity`.
  package static let addEntity = Command(
    "model add-entity", "Add an entity to the current version of a model.",
    operands: ["M", "ENTITY"],
    options: [attributeOption],
    discussion: """
      M is an .xcdatamodeld or .xcdatamodel. The entity gets a class of the same name, which the \
      build generates. TYPE is String, Bool, Int, Int16, Int32, Int64, Double, Float, Decimal, \
      Date, Data, UUID, URL or Transformable. For example: parhelion model add-entity \
      Posts.xcdatamodeld Post -a title:String -a date:Date? -a likes:Int=0. \(stored)
      """
  ) { invocation, console in
    var attributes: [AttributeShorthand] = []
    for text in invocation.values(of: "--attribute") {
      attributes.append(try AttributeShorthand(text))
    }
    try edit(invocation.operands[0], console) { draft throws(CommandError) in
      try draft.addEntity(invocation.operands[1], attributes: attributes)
    }
    try console.writeLine(invocation.operands[1])
    return .success
  }

  /// The command `parhelion model add-relationship`.
  package static let addRelationship = Command(
    "model add-relationship",
    "Add a relationship and its inverse to the current version of a model.",
    operands: ["M", "END", "INVERSE"], options: [deleteOption],
    discussion: """
      END and INVERSE are ENTITY.NAME:one, ENTITY.NAME:many or ENTITY.NAME:ordered. For example: \
      parhelion model add-relationship Posts.xcdatamodeld Author.posts:many Post.author:one \
      --delete Cascade. \(stored)
      """
  ) { invocation, console in
    let one = try RelationshipEnd(
      invocation.operands[1], deleteRule: invocation.value(of: "--delete") ?? "Nullify")
    let other = try RelationshipEnd(invocation.operands[2])
    try edit(invocation.operands[0], console) { draft throws(CommandError) in
      try draft.addRelationship(one, inverse: other)
    }
    try console.writeLine("\(one.entity).\(one.name) and \(other.entity).\(other.name)")
    return .success
  }

  private static let attributeOption = CommandOption(
    "--attribute", short: "-a", value: "NAME:TYPE", isRepeatable: true,
    "An attribute; TYPE? makes it optional, TYPE=VALUE gives it a default.")

  private static let deleteOption = CommandOption(
    "--delete", choices: ["Nullify", "Cascade", "Deny", "No Action"],
    "The effect of deleting END's object on the related objects.")

  private static let stored =
    "Existing stores of this version then need a migration: if there are any, copy the version first."

  /// Changes the current version, unless the result is invalid.
  private static func edit(
    _ path: String, _ console: any Console,
    _ change: (inout ModelSourceDraft) throws(CommandError) -> Void
  ) throws(CommandError) {
    let file = try ModelFile.read(path, console: console)
    let url = URL(fileURLWithPath: path)
    guard ["xcdatamodeld", "xcdatamodel"].contains(url.pathExtension) else {
      throw CommandError("\(path) is compiled. Name its source, an .xcdatamodeld or .xcdatamodel.")
    }
    let folder =
      file.isVersioned ? url.appendingPathComponent("\(file.currentVersionName).xcdatamodel") : url
    let contents = folder.appendingPathComponent("contents")
    do {
      var draft = ModelSourceDraft(text: try String(contentsOf: contents, encoding: .utf8))
      try change(&draft)
      try check(draft, of: file)
      try Data(draft.text.utf8).write(to: contents, options: .atomic)
    } catch let error as CommandError {
      throw error
    } catch {
      throw CommandError("\(contents.path) cannot be changed: \(error.localizedDescription)")
    }
  }

  private static func check(_ draft: ModelSourceDraft, of file: ModelFile) throws(CommandError) {
    do throws(ModelSourceError) {
      _ = try ModelBundle(name: file.currentVersionName, contents: Array(draft.text.utf8))
    } catch {
      let issues = error.issues.map(\.description).joined(separator: "\n")
      throw CommandError("Nothing was changed, because the model would be invalid.\n\(issues)")
    }
  }

  private static func currentVersionFile(naming version: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">
    <dict>
    \t<key>_XCCurrentVersionName</key>
    \t<string>\(MarkupText.escaped(version))</string>
    </dict>
    </plist>

    """
  }
}
