"""The options that benches of real programs share.

    bench_options.add(parser, PROGRAMS)
    args = parser.parse_args()  # args.bin, args.folder: absolute; args.only: names
"""
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def absolute(path):
    return pathlib.Path(path).resolve()


def add(parser, programs):
    def names(text):
        chosen = tuple(text.split(","))
        if unknown := [one for one in chosen if one not in programs]:
            parser.error(f"no program {', '.join(unknown)} among {', '.join(programs)}")
        return chosen

    parser.add_argument("--bin", type=absolute, default=ROOT / "build/bin", help="where pgokit is")
    parser.add_argument("--folder", type=absolute, default=ROOT / "build/bench/programs", help="where builds stay")
    parser.add_argument("--only", type=names, default=programs, help="programs, separated by commas")
