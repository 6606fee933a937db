import CoreData
import Notes
import Testing

@Suite struct NotesTests {
  @Test func `x`() {}
}
