"""What a line consists of, as numbers that compiled code can take."""

NUMBERS, IDS, NAMES = 0, 1, 2  # vertices: indices, any whole numbers, or text
NO_WEIGHTS, SIGNED, UNSIGNED, REAL = 0, 1, 2, 3
NAME_BITS = 24  # of the length of a name, in a word with the place where it begins
