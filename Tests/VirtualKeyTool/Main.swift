@main
struct VirtualKeyTool {
  static func main() {}
}
