// swift-tools-version: 6.1
import PackageDescription

// A package of its own, so that what only benchmarks need never reaches the
// product: neither its build nor its dependency graph.
let package = Package(
  name: "keybackup-benchmarks",
  dependencies: [
    .package(name: "keybackup", path: ".."),
    .package(url: "https://github.com/ordo-one/benchmark", exact: "1.38.1", traits: []),
  ],
  targets: [
    .executableTarget(
      name: "FormatBenchmarks",
      dependencies: [
        .product(name: "CSPP", package: "keybackup"),
        .product(name: "SecretMemory", package: "keybackup"),
        .product(name: "Benchmark", package: "benchmark"),
      ],
      path: "Benchmarks/FormatBenchmarks",
      plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")])
  ]
)
