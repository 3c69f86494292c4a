"""One of several comparisons, in turn: the long tests make all."""


class Share:
    """The first of every `every`. Where that has no common factor with the number of options that each file is compared by, every
    option is compared by, with some of the files."""

    def __init__(self, every):
        self.every, self.asked = every, 0

    def takes(self):
        self.asked += 1
        return (self.asked - 1) % self.every == 0

    def of(self, items):
        return [item for item in items if self.takes()]


def add_option(parser):
    parser.add_argument("--every", type=int, default=1, metavar="N", help="make one of N comparisons")
