import Foundation
import ManagedObjects
import Testing

/// A transformer that is found only by its class name.
final class WhisperingTransformer: ValueTransformer {
  override func transformedValue(_ value: Any?) -> Any? { (value as? String)?.lowercased() }
}

@Suite struct ValueTransformerTests {
  final class ShoutingTransformer: ValueTransformer {
    override func transformedValue(_ value: Any?) -> Any? { (value as? String)?.uppercased() }
  }

  @Test func `A registered transformer is found by its name, until it is removed`() throws {
    let name = NSValueTransformerName("ValueTransformerTests.Shouting")
    let transformer = ShoutingTransformer()
    ValueTransformer.setValueTransformer(transformer, forName: name)
    #expect(ValueTransformer(forName: name) === transformer)
    #expect(ShoutingTransformer(forName: name) === transformer)
    #expect(ValueTransformer.valueTransformerNames().contains(name))
    #expect(ValueTransformer(forName: name)?.transformedValue("emma") as? String == "EMMA")
    ValueTransformer.setValueTransformer(nil, forName: name)
    #expect(ValueTransformer(forName: name) == nil)
  }

  @Test func `An unregistered transformer is found by its class name`() throws {
    let name = NSValueTransformerName(NSStringFromClass(WhisperingTransformer.self))
    let transformer = try #require(ValueTransformer(forName: name))
    #expect(transformer is WhisperingTransformer)
    #expect(ValueTransformer(forName: name) === transformer)
    #expect(
      ValueTransformer(forName: NSValueTransformerName(NSStringFromClass(Sketch.self))) == nil)
  }

  @Test(arguments: [
    "NSSecureUnarchiveFromDataTransformer", "NSKeyedUnarchiveFromDataTransformer",
    "NSKeyedUnarchiveFromData",
  ])
  func `The names of Apple's transformer classes find transformers`(_ name: String) throws {
    let transformer = try #require(ValueTransformer(forName: NSValueTransformerName(name)))
    let archive = try #require(transformer.reverseTransformedValue([1, 2]) as? Data)
    #expect(transformer.transformedValue(archive) as? [Int] == [1, 2])
  }

  @Test func `A transformer is not returned under another class's name`() {
    #expect(ShoutingTransformer(forName: .isNilTransformerName) == nil)
  }

  @Test func `Foundation's transformers are present`() throws {
    let negate = try #require(ValueTransformer(forName: .negateBooleanTransformerName))
    #expect(negate.transformedValue(true) as? Bool == false)
    #expect(negate.reverseTransformedValue(false) as? Bool == true)
    let isNil = try #require(ValueTransformer(forName: .isNilTransformerName))
    #expect(isNil.transformedValue(nil) as? Bool == true)
    #expect(isNil.transformedValue("x") as? Bool == false)
    #expect(
      ValueTransformer(forName: .isNotNilTransformerName)?.transformedValue(nil) as? Bool == false)
    #expect(type(of: isNil).allowsReverseTransformation() == false)
  }

  @Test func `A reverse transformation that is not allowed stops the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = ValueTransformer(forName: .isNilTransformerName)?.reverseTransformedValue(true)
    }
    #expect(standardError(of: result).contains("transforms values in one direction only."))
  }

  @Test func `The secure transformer works both ways`() throws {
    let transformer = try #require(
      ValueTransformer(forName: .secureUnarchiveFromDataTransformerName))
    let archive = try #require(transformer.reverseTransformedValue(["a": [1, 2]]) as? Data)
    #expect(transformer.transformedValue(archive) as? [String: [Int]] == ["a": [1, 2]])
    #expect(transformer.transformedValue(Data([1, 2, 3])) == nil)
    #expect(transformer.transformedValue(nil) == nil)
  }
}
