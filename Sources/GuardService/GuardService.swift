/// Skeleton.
enum Skeleton {}
