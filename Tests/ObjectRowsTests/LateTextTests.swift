import Dispatch
import Foundation
import ManagedObjectModel
import ObjectRows
import TestSupport
import Testing

/// Strings that stay bytes on their page until they are read.
@Suite struct `Lazy texts` {
  private let layout: RowLayout
  private let slot: RowSlot

  private static let long = "a text that does not fit into sixteen bytes, é"

  init() throws {
    let attribute = NSAttributeDescription()
    attribute.name = "text"
    attribute.attributeType = .stringAttributeType
    let entity = NSEntityDescription()
    entity.name = "Note"
    entity.properties = [attribute]
    let model = NSManagedObjectModel()
    model.entities = [entity]
    layout = try #require(ModelLayouts.of(model)[named: "Note"])
    slot = layout.slots[0]
  }

  /// A page with a row for each of the texts.
  private func page(_ texts: [String], capacity: Int = 64) -> RowPage {
    let page = RowPage(layout: layout, capacity: capacity)
    for (index, text) in texts.enumerated() {
      let row = page.appendRow(key: Int64(index + 1), version: 1)
      page.setText(Array(text.utf8).span, slot, in: row)
    }
    return page
  }

  /// Reads a text, and retains the page meanwhile, because a row does not.
  private func text(_ index: Int, of page: RowPage) -> String? {
    withExtendedLifetime(page) { slot.text(in: page.row(at: index)) }
  }

  private func isLazy(_ index: Int, of page: RowPage) -> Bool {
    withExtendedLifetime(page) { slot.availableText(in: page.row(at: index)) == nil }
  }

  @Test func `No text is confused with a lazy one`() {
    #expect(MemoryLayout<String?>.size == 16 && MemoryLayout<String??>.size == 16)
    let absent: String?? = nil
    #expect(
      unsafe withUnsafeBytes(of: absent) { unsafe $0.load(fromByteOffset: 8, as: UInt.self) } == 1)
    for text in [nil, "", "short", Self.long, String(repeating: "ü", count: 600)] as [String?] {
      #expect(
        unsafe withUnsafeBytes(of: text) { unsafe $0.load(fromByteOffset: 8, as: UInt.self) } != 1)
    }
  }

  @Test(arguments: [0, 1, 15, 16, 17, 1023, 1024, 1025, 5000])
  func `A text of any length is read repeatedly`(_ length: Int) {
    let text = String(repeating: "x", count: length)
    let page = page([text, Self.long, text])
    for _ in 0..<3 {
      #expect(self.text(0, of: page) == text)
      #expect(self.text(1, of: page) == Self.long)
      withExtendedLifetime(page) {
        #expect(slot.withText(in: page.row(at: 2)) { $0 } == text)
        #expect(layout.value(ofAttribute: 0, in: page.row(at: 0)) as? String == text)
      }
    }
  }

  @Test func `A text is lazy until it is read`() {
    let page = page([Self.long, Self.long, "short"])
    #expect(isLazy(0, of: page) && isLazy(1, of: page) && !isLazy(2, of: page))
    withExtendedLifetime(page) {
      #expect(!slot.isNull(in: page.row(at: 0)))
      slot.loadText(in: page.row(at: 0))
    }
    #expect(!isLazy(0, of: page) && isLazy(1, of: page))
    #expect(text(0, of: page) == Self.long)
  }

  @Test func `A page of few rows has no lazy texts`() {
    #expect(!isLazy(0, of: page([Self.long], capacity: 8)))
  }

  @Test func `Bytes that are not UTF-8 become replacement characters`() {
    let page = page([])
    let row = page.appendRow(key: 1, version: 1)
    let bytes = [UInt8](repeating: 0xFF, count: 20)
    page.setText(bytes.span, slot, in: row)
    #expect(text(0, of: page) == String(decoding: bytes, as: UTF8.self))
  }

  @Test func `A copy of a row outlives the page`() {
    var source: RowPage? = page([Self.long, Self.long])
    let copied = page([])
    if let source {
      _ = copied.appendRow(copying: source.row(at: 0))
      let row = copied.appendRow(key: 2, version: 1)
      layout.copyValue(0, from: source.row(at: 1), to: row)
      #expect(layout.isEqual(0, in: source.row(at: 0), and: copied.row(at: 1)))
    }
    let own = layout.allocateRow(copying: source?.row(at: 1) ?? layout.emptyRow)
    source = nil
    #expect(
      text(0, of: copied) == Self.long && text(1, of: copied) == Self.long
        && slot.text(in: own) == Self.long)
    layout.deallocateRow(own)
  }

  @Test(.blockingThreads) func `Concurrent readers get the same texts`() {
    let texts = (0..<64).map { "\(Self.long) \($0)" }
    for _ in 0..<50 {
      let page = page(texts)
      DispatchQueue.concurrentPerform(iterations: 4) { thread in
        for index in texts.indices {
          let place = thread % 2 == 0 ? index : texts.count - 1 - index
          let text = text(place, of: page)
          if text != texts[place] {
            Issue.record("\(text ?? "nothing") instead of \(texts[place])")
          }
        }
      }
    }
  }
}
