import Testing

@Suite struct SkeletonTests {}
