/// Makes names unique: a name that is taken gets the suffix 1, 2, and so on.
struct UniqueNames {
  private var taken: Set<String>

  init(taken: Set<String> = []) { self.taken = taken }

  mutating func unique(_ name: String) -> String {
    var candidate = name
    var suffix = 0
    while !taken.insert(candidate).inserted {
      suffix += 1
      candidate = "\(name)\(suffix)"
    }
    return candidate
  }
}
