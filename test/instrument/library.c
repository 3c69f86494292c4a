int in_library(int x) { return x * 3 + 1; }
