package import Foundation

/// The folder beside a store in which large values lie in files of their own, and the way to it.
package final class ValueFolder: Sendable, Equatable {
  package let url: URL
  package let files: any FileSystem

  package init(url: URL, files: any FileSystem) {
    self.url = url
    self.files = files
  }

  package static func == (one: ValueFolder, other: ValueFolder) -> Bool {
    one === other || one.url == other.url
  }
}
