import Foundation
import ManagedObjectModel
import ModelSource
import PredicateLanguage
import Testing

@Suite struct `Models in source` {
  @Test func `Entities inherit and keep class, flags and names`() throws {
    let bundle = try SourceText(
      """
      <entity name="Car" representedClassName=".Car" isAbstract="YES" codeGenerationType="class" elementID="Vehicle"
        versionHashModifier="m" syncable="YES"><userInfo><entry key="k" value="v"/></userInfo></entity>
      <entity name="Sport" representedClassName="Other.Sport" parentEntity="Car" codeGenerationType="category"/>
      <entity name="Plain"/>
      """,
      root:
        "sourceLanguage=\"Swift\" usedWithCloudKit=\"YES\" userDefinedModelVersionIdentifier=\"3\""
    ).read(module: "App")
    let version = bundle.currentVersion
    let car = try #require(version.model.entitiesByName["Car"])
    #expect(car.isAbstract)
    #expect(car.managedObjectClassName == "App.Car")
    #expect(car.renamingIdentifier == "Vehicle")
    #expect(car.versionHashModifier == "m")
    #expect(car.userInfo?["k"] as? String == "v")
    #expect(version.model.entitiesByName["Sport"]?.superentity === car)
    #expect(version.model.entitiesByName["Sport"]?.managedObjectClassName == "Other.Sport")
    #expect(version.model.entitiesByName["Plain"]?.managedObjectClassName == "NSManagedObject")
    #expect(version.model.versionIdentifiers == ["3"])
    #expect(version.source.language == .swift)
    #expect(version.source.usedWithCloudKit)
    #expect(version.source.entities["Car"]?.codeGeneration == .classDefinition)
    #expect(version.source.entities["Sport"]?.codeGeneration == .categoryExtension)
    #expect(version.source.entities["Plain"]?.codeGeneration == .manual)
    #expect(version.source.entities["Sport"]?.className == SourceClassName("Other.Sport"))
  }

  @Test func `Without a module, class names stay unchanged`() throws {
    let model = try SourceText("<entity name=\"Car\" representedClassName=\".Car\"/>").model()
    #expect(model.entitiesByName["Car"]?.managedObjectClassName == ".Car")
  }

  @Test func `Code generation finds scalars and value classes`() throws {
    let bundle = try entity(
      """
      <attribute name="n" attributeType="Integer 16" usesScalarValueType="YES" defaultValueString="0"/>
      <attribute name="m" optional="YES" attributeType="Integer 16" usesScalarValueType="NO"/>
      <attribute name="t" optional="YES" attributeType="Transformable">
        <userInfo><entry key="attributeValueClassName" value="UIColor"/></userInfo>
      </attribute>
      """
    ).read()
    let attributes = try #require(bundle.currentVersion.source.entities["E"]?.attributes)
    #expect(attributes["n"]?.usesScalarValueType == true)
    #expect(attributes["m"]?.usesScalarValueType == false)
    #expect(attributes["t"]?.usesScalarValueType == nil)
    #expect(attributes["t"]?.customClassName == "UIColor")
  }

  static let relationships: [(String, Int, Int, Bool, NSDeleteRule)] = [
    ("maxCount=\"1\" deletionRule=\"Nullify\"", 0, 1, false, .nullifyDeleteRule),
    ("toMany=\"YES\" deletionRule=\"Cascade\"", 0, 0, true, .cascadeDeleteRule),
    (
      "toMany=\"YES\" minCount=\"1\" maxCount=\"2\" deletionRule=\"Deny\"", 1, 2, true,
      .denyDeleteRule
    ),
    ("minCount=\"1\" maxCount=\"1\" deletionRule=\"No Action\"", 1, 1, false, .noActionDeleteRule),
    ("", 0, 1, false, .nullifyDeleteRule),
  ]

  @Test(arguments: relationships)
  func `A relationship has its counts and its delete rule`(
    text: String, minimum: Int, maximum: Int, isToMany: Bool, rule: NSDeleteRule
  ) throws {
    let model = try entity(
      "<relationship name=\"r\" optional=\"YES\" destinationEntity=\"E\" \(text)/>"
    ).model()
    let relationship = try #require(model.entitiesByName["E"]?.relationshipsByName["r"])
    #expect(relationship.minCount == minimum)
    #expect(relationship.maxCount == maximum)
    #expect(relationship.isToMany == isToMany)
    #expect(relationship.deleteRule == rule)
    #expect(relationship.destinationEntity === model.entitiesByName["E"])
  }

  @Test func `Inverses are connected, even if a superentity has them`() throws {
    let model = try SourceText(
      """
      <entity name="A"><relationship name="b" optional="YES" maxCount="1" destinationEntity="B" inverseName="as" inverseEntity="B"/></entity>
      <entity name="P"><relationship name="as" optional="YES" toMany="YES" ordered="YES" destinationEntity="A" inverseName="b" inverseEntity="A"/></entity>
      <entity name="B" parentEntity="P"/>
      """
    ).model()
    let forth = try #require(model.entitiesByName["A"]?.relationshipsByName["b"])
    let back = try #require(model.entitiesByName["P"]?.relationshipsByName["as"])
    #expect(forth.inverseRelationship === back)
    #expect(back.inverseRelationship === forth)
    #expect(back.isOrdered)
  }

  @Test func `Indexes and constraints are read in the new and the old format`() throws {
    let model = try entity(
      """
      <attribute name="a" optional="YES" attributeType="String"/>
      <attribute name="x" optional="YES" attributeType="Double"/>
      <attribute name="y" optional="YES" attributeType="Double"/>
      <fetchIndex name="byA">
        <fetchIndexElement property="a" type="Binary" order="descending"/>
        <fetchIndexElement expression="lowercase:(a)" expressionType="String" type="Binary" order="ascending"/>
      </fetchIndex>
      <fetchIndex name="byPlace" partialIndexPredicate="x > 0">
        <fetchIndexElement property="x" type="RTree"/><fetchIndexElement property="y" type="RTree"/>
      </fetchIndex>
      <uniquenessConstraints>
        <uniquenessConstraint><constraint value="a"/><constraint value="x"/></uniquenessConstraint>
        <uniquenessConstraint><constraint value="y"/></uniquenessConstraint>
      </uniquenessConstraints>
      <compoundIndexes><compoundIndex><index value="a"/><index value="y"/></compoundIndex><index value="x"/></compoundIndexes>
      """
    ).model()
    let entity = try #require(model.entitiesByName["E"])
    #expect(entity.indexes.map(\.name) == ["byA", "byPlace"])
    #expect(entity.indexes[0].elements.map(\.isAscending) == [false, true])
    let computed = try #require(entity.indexes[0].elements[1].property as? NSExpressionDescription)
    #expect(computed.expression?.description == "lowercase:(a)")
    #expect(computed.expressionResultType == .stringAttributeType)
    #expect(entity.indexes[1].elements.map(\.collationType) == [.rTree, .rTree])
    #expect(entity.indexes[1].partialIndexPredicate?.formatText == "x > 0")
    #expect(entity.uniquenessConstraintNames == [["a", "x"], ["y"]])
    #expect(entity.compoundIndexNames == [["a", "y"], ["x"]])
  }

  @Test func `An index of a property without a column is a warning`() throws {
    let bundle = try entity(
      """
      <attribute name="a" optional="YES" attributeType="String"/>
      <attribute name="t" optional="YES" transient="YES" attributeType="String"/>
      <relationship name="parent" optional="YES" maxCount="1" destinationEntity="E"
        inverseName="children" inverseEntity="E"/>
      <relationship name="children" optional="YES" toMany="YES" destinationEntity="E"
        inverseName="parent" inverseEntity="E"/>
      <fetchIndex name="byChildren">
        <fetchIndexElement property="children" type="Binary"/>
      </fetchIndex>
      <fetchIndex name="byBoth">
        <fetchIndexElement property="a" type="Binary"/>
        <fetchIndexElement property="children" type="Binary"/>
      </fetchIndex>
      <fetchIndex name="byT"><fetchIndexElement property="t" type="Binary"/></fetchIndex>
      """
    ).read()
    #expect(bundle.warnings.map(\.element) == ["E.byChildren", "E.byBoth", "E.byT"])
    let indexes = bundle.currentVersion.model.entitiesByName["E"]?.indexes
    #expect(indexes?.map(\.name) == ["byChildren", "byBoth", "byT"])
  }

  @Test func `A compound index omits a key path, with a warning`() throws {
    let bundle = try entity(
      """
      <attribute name="a" optional="YES" attributeType="String"/>
      <relationship name="r" optional="YES" maxCount="1" destinationEntity="E"
        inverseName="r" inverseEntity="E"/>
      <compoundIndexes>
        <compoundIndex><index value="a"/><index value="r.a"/></compoundIndex>
      </compoundIndexes>
      """
    ).read()
    #expect(bundle.warnings.map(\.attribute) == ["value"])
    #expect(bundle.currentVersion.model.entitiesByName["E"]?.compoundIndexNames == [["a"]])
  }

  @Test func `Fetch requests, fetched properties and configurations are read`() throws {
    let bundle = try SourceText(
      """
      <entity name="E"><attribute name="a" optional="YES" attributeType="String"/>
        <fetchedProperty name="f" optional="YES">
          <fetchRequest name="fetchedPropertyFetchRequest" entity="E" predicateString="a == $FETCH_SOURCE.a"/>
        </fetchedProperty>
      </entity>
      <fetchRequest name="T" entity="E" predicateString="a == $NAME" resultType="1" fetchLimit="5" fetchBatchSize="3"
        includeSubentities="NO" includePropertyValues="NO" includesPendingChanges="NO" returnObjectsAsFaults="NO"
        returnDistinctResults="YES"/>
      <fetchRequest name="D" entity="E" resultType="2"/>
      <configuration name="C" usedWithCloudKit="YES"><memberEntity name="E"/></configuration>
      <elements><element name="E" positionX="0" positionY="0" width="1" height="1"/></elements>
      """
    ).read()
    let model = bundle.currentVersion.model
    let template = try #require(model.fetchRequestTemplate(forName: "T"))
    #expect(template.entityName == "E")
    #expect(template.predicate?.formatText == "a == $NAME")
    #expect(template.resultType == .managedObjectIDResultType)
    #expect(template.fetchLimit == 5)
    #expect(template.fetchBatchSize == 3)
    #expect(
      !template.includesSubentities && !template.includesPropertyValues
        && !template.includesPendingChanges)
    #expect(!template.returnsObjectsAsFaults && template.returnsDistinctResults)
    let dictionaries = try #require(model.fetchRequestTemplate(forName: "D"))
    #expect(dictionaries.includesSubentities && !dictionaries.includesPendingChanges)
    let property = model.entitiesByName["E"]?.propertiesByName["f"] as? NSFetchedPropertyDescription
    #expect(property?.fetchRequest?.predicate?.formatText == "a == $FETCH_SOURCE.a")
    #expect(model.entities(forConfigurationName: "C")?.map(\.name) == ["E"])
    #expect(bundle.currentVersion.source.cloudKitConfigurations == ["C"])
    #expect(bundle.warnings.isEmpty)
  }

  @Test func `An unknown element is a warning, not an error`() throws {
    let bundle = try SourceText("<entity name=\"E\" colour=\"red\"><gadget/></entity><widget/>")
      .read()
    #expect(bundle.warnings.map(\.code) == [.unknownAttribute, .unknownElement, .unknownElement])
  }

  @Test func `A property with the name of a method in Objective-C is a warning`() throws {
    let bundle = try entity("<attribute name=\"zone\" optional=\"YES\" attributeType=\"String\"/>")
      .read()
    #expect(bundle.warnings.map(\.element) == ["E.zone"])
    #expect(bundle.currentVersion.model.entitiesByName["E"]?.attributesByName["zone"] != nil)
  }

  @Test func `A relationship without an inverse is a warning`() throws {
    let bundle = try entity(
      "<relationship name=\"r\" optional=\"YES\" maxCount=\"1\" destinationEntity=\"E\"/>"
    ).read()
    #expect(bundle.warnings.map(\.code) == [.missingInverse])
  }
}
