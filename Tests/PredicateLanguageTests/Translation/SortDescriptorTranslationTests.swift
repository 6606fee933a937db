import Foundation
import PredicateLanguage
import Testing

@Suite struct SortDescriptorTranslationTests {
  @Test func `A text is ordered like file names unless its descriptor says otherwise`() {
    let plain = NSSortDescriptor(SortDescriptor(\Post.title))
    #expect(
      plain
        == NSSortDescriptor(key: "title", ascending: true, selector: "localizedStandardCompare:"))
    #expect(NSSortDescriptor(SortDescriptor(\Post.summary)).selector == "localizedStandardCompare:")
    #expect(
      NSSortDescriptor(SortDescriptor(\Post.title, comparator: .lexical)).selector == "compare:")
    #expect(
      NSSortDescriptor(SortDescriptor(\Post.author?.name, order: .reverse)).key == "author.name")
  }

  @Test func `Other values are ordered naturally, in the descriptor's direction`() {
    #expect(
      NSSortDescriptor(SortDescriptor(\Post.score))
        == NSSortDescriptor(key: "score", ascending: true))
    let reverse = NSSortDescriptor(SortDescriptor(\Post.date, order: .reverse))
    #expect(reverse == NSSortDescriptor(key: "date", ascending: false))
  }

  @Test func `A descriptor without a name is refused`() {
    let error = #expect(throws: PredicateTranslationError.self) {
      try NSSortDescriptor(translating: SortDescriptor(\Post.heading))
    }
    #expect(error?.code == .namelessKeyPath)
  }

  @Test func `A descriptor without a name stops the program`() async {
    await #expect(processExitsWith: .failure) {
      _ = NSSortDescriptor(SortDescriptor(\Post.heading))
    }
  }
}
