struct VirtualKeyPlaceholder {}
