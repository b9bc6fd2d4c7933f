/// Labels of internationalized names as the wire has them (RFC 3492).
enum Punycode {
  /// `label` itself if it is ASCII, else `xn--` and its encoding; `nil` for one that is too long for a name.
  static func asciiLabel(_ label: some StringProtocol) -> String? {
    if label.utf8.allSatisfy({ $0 < 0x80 }) { return String(label) }
    let scalars = label.unicodeScalars.map { Int($0.value) }
    guard scalars.count <= 63 else { return nil }
    let encoded = "xn--" + encode(scalars)
    return encoded.utf8.count <= 63 ? encoded : nil
  }

  /// The encoding procedure of section 6.3.
  private static func encode(_ input: [Int]) -> String {
    let basic = input.filter { $0 < 0x80 }
    var output = basic.map { Character(Unicode.Scalar(UInt8($0))) }
    if !basic.isEmpty { output.append("-") }
    var (code, delta, bias, handled) = (0x80, 0, 72, basic.count)
    while let next = input.lazy.filter({ $0 >= code }).min() {
      delta += (next - code) * (handled + 1)
      code = next
      for scalar in input {
        if scalar < code { delta += 1 }
        guard scalar == code else { continue }
        output += digits(of: delta, bias: bias)
        bias = adapted(delta, count: handled + 1, isFirst: handled == basic.count)
        delta = 0
        handled += 1
      }
      delta += 1
      code += 1
    }
    return String(output)
  }

  /// A delta as digits of variable base.
  private static func digits(of delta: Int, bias: Int) -> [Character] {
    var (rest, position, digits) = (delta, 36, [Character]())
    while true {
      let threshold = min(max(position - bias, 1), 26)
      if rest < threshold { return digits + [digit(rest)] }
      digits.append(digit(threshold + (rest - threshold) % (36 - threshold)))
      rest = (rest - threshold) / (36 - threshold)
      position += 36
    }
  }

  private static func digit(_ number: Int) -> Character {
    Character(Unicode.Scalar(UInt8(number < 26 ? number + 0x61 : number - 26 + 0x30)))
  }

  /// The bias adaptation of section 6.1.
  private static func adapted(_ delta: Int, count: Int, isFirst: Bool) -> Int {
    var delta = delta / (isFirst ? 700 : 2)
    delta += delta / count
    var bias = 0
    while delta > 35 * 26 / 2 {
      delta /= 35
      bias += 36
    }
    return bias + 36 * delta / (delta + 38)
  }
}
