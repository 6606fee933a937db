import Foundation
import ManagedObjectModel
import Testing

@Suite struct ModelPackingTests {
  @Test func `A compiled model survives packing into generated code`() throws {
    let model = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
    let text = try ModelRegistry.packed(model)
    #expect(text.utf8.count < model.count / 10)
    #expect(try ModelRegistry.unpacked(text) == model)
  }

  @Test(arguments: ["?", "AAAA", "zzzz"])
  func `Damaged text is an error`(text: String) {
    #expect(throws: (any Error).self) { try ModelRegistry.unpacked(text) }
  }
}
