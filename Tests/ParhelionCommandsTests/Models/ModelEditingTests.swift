import Foundation
import ManagedObjectModel
import ModelSource
import ParhelionCommands
import TestSupport
import Testing

@Suite struct ModelEditingTests {
  private func run(_ arguments: String...) -> (
    status: CommandStatus, result: String, messages: String
  ) {
    let console = RecordingConsole()
    let status = ParhelionTool.run(["model"] + arguments, console: console)
    return (status, console.result, console.messages)
  }

  private func withModel(_ body: (String) throws -> Void) throws {
    try withTemporaryDirectory { folder in
      let path = folder.appendingPathComponent("Posts.xcdatamodeld").path
      #expect(run("init", path).status == .success)
      try body(path)
    }
  }

  private func model(_ path: String) throws -> NSManagedObjectModel {
    try ModelBundle(contentsOf: URL(fileURLWithPath: path)).currentVersion.model
  }

  @Test func `A new model has no entities, and an existing one is not replaced`() throws {
    try withModel { path in
      let model = try model(path)
      #expect(model.entities.isEmpty)
      let again = run("init", path)
      #expect(again.status == .failure && again.messages.contains("already exists"))
      #expect(run("init", path + ".momd").messages.contains("ends in .xcdatamodeld"))
    }
  }

  @Test(arguments: ["R&D", "a<b"])
  func `A model's name may contain markup characters`(name: String) throws {
    try withTemporaryDirectory { folder in
      let path = folder.appendingPathComponent("\(name).xcdatamodeld").path
      #expect(run("init", path).status == .success)
      let added = run("add-entity", path, "Post")
      #expect(added.status == .success, "\(added)")
      let post = try model(path).entitiesByName["Post"]
      #expect(post != nil)
    }
  }

  @Test func `An entity is added with its attributes and a class`() throws {
    try withModel { path in
      #expect(
        run(
          "add-entity", path, "Post", "-a", "title:String", "-a", "date:Date?", "-a", "likes:Int=3",
          "-a", "isRead:Bool"
        )
        .status == .success)
      let post = try #require(try model(path).entitiesByName["Post"])
      #expect(
        post.attributesByName.mapValues(\.isOptional) == [
          "title": false, "date": true, "likes": false, "isRead": false,
        ])
      #expect(post.attributesByName["likes"]?.attributeType == .integer64AttributeType)
      #expect(post.attributesByName["likes"]?.defaultValue as? Int == 3)
      #expect(post.attributesByName["isRead"]?.defaultValue as? Bool == false)
      #expect(post.managedObjectClassName == ".Post")
    }
  }

  @Test func `A default date is written as Xcode reads it`() throws {
    try withModel { path in
      #expect(run("add-entity", path, "Post", "-a", "date:Date=0").status == .success)
      let files = try FileManager.default.subpathsOfDirectory(atPath: path).filter {
        $0.hasSuffix("/contents")
      }
      let source = try String(contentsOfFile: path + "/" + #require(files.first), encoding: .utf8)
      #expect(
        source.contains(#"defaultDateTimeInterval="0""#) && !source.contains("defaultValueString"))
    }
  }

  @Test func `A relationship that is its own inverse is added once, with its delete rule`() throws {
    try withModel { path in
      #expect(run("add-entity", path, "Person", "-a", "name:String").status == .success)
      let outcome = run(
        "add-relationship", path, "Person.friends:many", "Person.friends:many", "--delete",
        "Cascade")
      #expect(outcome.status == .success, "\(outcome.messages)")
      let friends = try #require(
        try model(path).entitiesByName["Person"]?.relationshipsByName["friends"])
      #expect(friends.inverseRelationship === friends && friends.deleteRule == .cascadeDeleteRule)
    }
  }

  @Test func `A relationship is added with its inverse`() throws {
    try withModel { path in
      _ = run("add-entity", path, "Post", "-a", "title:String")
      _ = run("add-entity", path, "Author")
      let outcome = run(
        "add-relationship", path, "Author.posts:ordered", "Post.author:one", "--delete", "Cascade")
      #expect(outcome.status == .success, "\(outcome.messages)")
      let model = try model(path)
      let posts = try #require(model.entitiesByName["Author"]?.relationshipsByName["posts"])
      #expect(posts.isToMany && posts.isOrdered && posts.deleteRule == .cascadeDeleteRule)
      // The model owns the other end.
      withExtendedLifetime(model) {
        #expect(
          posts.inverseRelationship?.name == "author"
            && posts.inverseRelationship?.isToMany == false)
      }
      let friends = run("add-relationship", path, "Author.friends:many", "Author.friends:many")
      #expect(friends.status == .success, "\(friends.messages)")
    }
  }

  @Test func `An error is reported and changes nothing`() throws {
    try withModel { path in
      _ = run("add-entity", path, "Post", "-a", "title:String")
      let contents = path + "/Posts.xcdatamodel/contents"
      let before = try String(contentsOfFile: contents, encoding: .utf8)
      let wrong: [([String], String)] = [
        (["add-entity", path, "Post"], "has an entity Post already"),
        (["add-entity", path, "post"], "is not the name of an entity"),
        (["add-entity", path, "Tag", "-a", "name"], "Write NAME:TYPE"),
        (["add-entity", path, "Tag", "-a", "name:Text"], "there is no type \"Text\""),
        (["add-entity", path, "Tag", "-a", "count:Int=many"], "Nothing was changed"),
        (["add-relationship", path, "Post.tags:many", "Tag.posts:many"], "has no entity Tag"),
        (["add-relationship", path, "Post.title:many", "Post.others:many"], "Nothing was changed"),
        (
          ["add-relationship", path, "tags", "Post.others:many"], "is not an end of a relationship"
        ),
        (["add-relationship", path, "Post.tags", "Tag.post:one"], "Write ENTITY.NAME:one"),
      ]
      for (arguments, message) in wrong {
        let console = RecordingConsole()
        #expect(
          ParhelionTool.run(["model"] + arguments, console: console) == .failure, "\(arguments)")
        #expect(console.messages.contains(message), "\(arguments): \(console.messages)")
        let after = try String(contentsOfFile: contents, encoding: .utf8)
        #expect(after == before)
      }
    }
  }

  @Test func `Editing keeps the content that was there`() throws {
    try SampleModels.withNotes { path in
      let contents = path + "/Notes.xcdatamodel/contents"
      let before = try String(contentsOfFile: contents, encoding: .utf8)
      #expect(run("add-entity", path, "Post", "-a", "title:String").status == .success)
      #expect(run("add-relationship", path, "Post.note:one", "Note.posts:many").status == .success)
      let after = try String(contentsOfFile: contents, encoding: .utf8)
      let kept = after.split(separator: "\n").filter {
        !$0.contains("Post") && !$0.contains("posts")
      }
      #expect(Set(before.split(separator: "\n")).subtracting(kept).isEmpty)
      let note = try model(path).entitiesByName["Note"]
      #expect(note?.relationshipsByName["posts"] != nil)
    }
  }
}
