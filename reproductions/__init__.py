"""The papers that the program's methods come from: every figure, table and theorem, rebuilt."""
