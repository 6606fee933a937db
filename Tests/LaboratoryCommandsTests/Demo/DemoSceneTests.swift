import Foundation
import LaboratoryCommands
import Testing

@Suite("The scenes of the demonstration")
struct DemoSceneTests {
  private static let steps = DemoScenes.all(DemoSizes()).flatMap(\.steps)

  @Test func `Every scene ends in agreement and has an expectation`() {
    for scene in DemoScenes.all(DemoSizes()) {
      let last = scene.steps.last { if case .expect = $0 { false } else { true } }
      #expect(last == .agree, "\(scene.title)")
      #expect(
        scene.steps.contains { if case .expect = $0 { true } else { false } }, "\(scene.title)")
    }
  }

  @Test
  func
    `The watched pace adds from twelve to twenty-eight seconds to the scenes`()
  {
    let scenes = DemoScenes.all(DemoSizes())
    #expect(DemoPace.none.seconds(of: scenes) == 0)
    #expect((12...28).contains(DemoPace.watched.seconds(of: scenes)))
    // There is no wait between the starts of two concurrent actions.
    #expect(DemoPace.watched.seconds(after: .begin(.desk, .sync)) == 0)
  }

  @Test
  func `Offline devices and the server return before they are needed`() {
    var offline: Set<DemoDeviceName> = []
    var isServerThere = true
    for step in Self.steps {
      switch step {
      case .tell(let name, .pause): offline.insert(name)
      case .tell(let name, .resume): offline.remove(name)
      case .killServer: isServerThere = false
      case .startServer: isServerThere = true
      case .agree, .measure: #expect(offline.isEmpty && isServerThere)
      default: break
      }
    }
    #expect(offline.isEmpty && isServerThere)
  }

  /// Applies the scenes to a plain list of titles.
  ///
  /// The expectations follow from the orders.
  @Test(arguments: [DemoSizes(), .small])
  func `Expected note counts match the orders`(sizes: DemoSizes) {
    var titles: Set<String> = []
    for step in DemoScenes.all(sizes).flatMap(\.steps) {
      switch step {
      case .begin(_, let order), .tell(_, let order): Self.carryOut(order, on: &titles)
      case .measure(let title, let changes):
        let removed = titles.remove(title)
        #expect(removed != nil)
        titles.insert("Change \(changes)")
      case .expect(.noteCount(let count)): #expect(titles.count == count)
      case .expect(.text(_, let title)), .expect(.attachment(let title, _, _)):
        #expect(titles.contains(title))
      case .waitForAll, .waitFor, .agree, .killServer, .startServer: break
      }
    }
  }

  private static func carryOut(_ order: DemoOrder, on titles: inout Set<String>) {
    switch order {
    case .add(_, let new), .addOneByOne(_, let new):
      #expect(titles.isDisjoint(with: new))
      titles.formUnion(new)
    case .delete(let old):
      #expect(titles.isSuperset(of: old))
      titles.subtract(old)
    case .rename(let title, let newTitle):
      let removed = titles.remove(title)
      #expect(removed != nil)
      // The offline device still knows the note by its former name.
      titles.insert(newTitle)
    case .open, .write, .attach, .pause, .resume, .sync, .show, .lose, .look, .measured: break
    }
  }

  @Test func `The report of an unmet expectation has the found and the expected value`() {
    let bytes = DemoAttachment.bytes(10)
    let contents = DemoContents(
      notes: [DemoNote(folder: "A", title: "One", text: "x", attachment: DemoAttachment(bytes))])
    func problem(_ expectation: DemoExpectation, filed: Set<String> = []) -> String? {
      expectation.problem(in: contents, filed: filed)
    }
    #expect(problem(.noteCount(1)) == nil)
    #expect(problem(.noteCount(2)) == "There is 1 note, and 2 were expected.")
    #expect(problem(.text("x", of: "One")) == nil)
    #expect(problem(.text("y", of: "One")) == "The text of “One” is “x”, and “y” was expected.")
    #expect(problem(.text("y", of: "Two")) == "There is no note “Two”.")
    #expect(problem(.attachment(of: "One", bytes: 10, isFile: false)) == nil)
    #expect(problem(.attachment(of: "One", bytes: 10, isFile: true), filed: ["One"]) == nil)
    #expect(
      problem(.attachment(of: "One", bytes: 10, isFile: true))
        == "The attachment of “One” is no file on the server.")
    #expect(
      problem(.attachment(of: "One", bytes: 11, isFile: false))
        == "The attachment of “One” is not the one of 11 bytes that was expected.")
  }
}
