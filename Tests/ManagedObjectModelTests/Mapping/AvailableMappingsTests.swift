import Foundation
import ManagedObjectModel
import TestSupport
import Testing

@Suite struct `Finding mapping models` {
  private func version(_ number: Int) -> NSManagedObjectModel {
    model(
      entity("Book", [attribute("title", .stringAttributeType, optional: true)]) {
        $0.versionHashModifier = "\(number)"
      }, entity("Page"))
  }

  private func write(_ mapping: NSMappingModel, as name: String, in folder: URL) throws {
    try CompiledMapping.write(mapping).write(to: folder.appendingPathComponent("\(name).cdm"))
  }

  private func inferred(_ source: Int, _ destination: Int) throws -> NSMappingModel {
    try NSMappingModel.inferredMappingModel(
      forSourceModel: version(source), destinationModel: version(destination))
  }

  private func found(_ folder: URL, _ source: Int, _ destination: Int) throws -> NSMappingModel? {
    let bundle = try #require(Bundle(url: folder))
    return NSMappingModel(
      from: [bundle], forSourceModel: version(source), destinationModel: version(destination))
  }

  @Test func `The mapping model with the hashes of both models is found`() throws {
    try withTemporaryDirectory { folder in
      try write(inferred(1, 2), as: "a", in: folder)
      try write(inferred(2, 3), as: "b", in: folder)
      let mapping = try #require(try found(folder, 2, 3))
      #expect(
        mapping.entityMappingsByName["IEM_Transform_Book"]?.destinationEntityVersionHash
          == version(3).entitiesByName["Book"]?.versionHash)
      #expect(try found(folder, 1, 3) == nil)
      #expect(try found(folder, 3, 2) == nil)
    }
  }

  @Test func `A mapping model that leaves out an entity is not found`() throws {
    try withTemporaryDirectory { folder in
      let part = try inferred(1, 2)
      part.entityMappings.removeAll { $0.destinationEntityName == "Page" }
      try write(part, as: "part", in: folder)
      #expect(try found(folder, 1, 2) == nil)
      try write(inferred(1, 2), as: "whole", in: folder)
      #expect(try found(folder, 1, 2)?.entityMappings.count == 2)
    }
  }

  @Test func `A damaged file is skipped`() throws {
    try withTemporaryDirectory { folder in
      try Data("bplist00 nothing".utf8).write(to: folder.appendingPathComponent("a.cdm"))
      try write(inferred(1, 2), as: "b", in: folder)
      #expect(try found(folder, 1, 2) != nil)
    }
  }

  @Test func `No mapping model is found without models or files`() throws {
    try withTemporaryDirectory { folder throws in
      #expect(try found(folder, 1, 2) == nil)
      #expect(NSMappingModel(from: nil, forSourceModel: nil, destinationModel: version(1)) == nil)
    }
  }

  @Test func `Mappings with unknown entities, other hashes or repeated names do not fit`() throws {
    let mapping = try inferred(1, 2)
    #expect(MappingFit(mapping, from: version(1), to: version(2)).isComplete)
    #expect(MappingFit(mapping, from: version(1), to: version(3)).problems.count == 1)
    mapping.entityMappings[0].sourceEntityName = "Other"
    mapping.entityMappings[1].name = mapping.entityMappings[0].name
    let problems = MappingFit(mapping, from: version(1), to: version(2)).problems
    #expect(problems.count == 2)
    #expect(problems.contains { $0.contains("the source model does not have") })
    #expect(problems.contains { $0.contains("Several mappings") })
  }
}
