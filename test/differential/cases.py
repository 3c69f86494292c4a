"""Which inputs and options are compared."""
import dataclasses
import pathlib

from inputs import Input, with_data
from programs import Program, quick


@dataclasses.dataclass(frozen=True)
class Case:
    program: Program
    input: Input
    options: tuple
    # "raw": over an unsymbolized profile; "ours raw": only pgokit, because the judge crashes at
    # contexts of call sites; "text": post-processing of a profile
    through: str = ""

    @property
    def name(self):
        shown = " ".join(self.options) + (f" via {self.through}" if self.through else "")
        return f"{self.program.name} {self.input.name} {shown}".strip()


@dataclasses.dataclass(frozen=True)
class Recorded:
    """A recording of a real machine, for a program that is there already."""
    label: str
    binary: pathlib.Path
    data: pathlib.Path
    options: tuple
    through: str = ""

    @property
    def name(self):
        return f"{self.label} {' '.join(self.options)}"


FLAT_CS = ("--csspgo-preinliner=0", "--csprof-merge-cold-context=0", "--gen-cs-nested-profile=0",
           "--infer-missing-frames=0")

LBR = Input("lbr")
HYBRID = Input("hybrid")
# What survives in perf.data.
ADDRESS_DAMAGE = ("--damage", "external", "--damage", "shuffle", "--damage", "short", "--damage", "zero")
DAMAGES = ("warning", "cut", "external", "zero", "garbage", "off-by-one", "shuffle", "short")


def quick_cases(program):
    yield Case(program, LBR, ())
    yield Case(program, LBR, ("--skip-symbolization",))
    yield Case(program, HYBRID, ())
    yield Case(program, HYBRID, FLAT_CS)
    yield Case(program, Input("hybrid", ("--damage", "all")), ())
    yield Case(program, with_data(LBR), ())
    yield Case(program, with_data(HYBRID, together=4), ())


def lbr_cases(program):
    for options in ((), ("--skip-symbolization",), ("--skip-symbolization", "--use-offset=0"),
                    ("--skip-symbolization", "--use-first-loadable-segment-as-base"),
                    ("--fill-zero-for-all-funcs",), ("--update-total-samples",),
                    ("--trim-cold-profile",), ("--format=extbinary",), ("--format=binary",),
                    ("--format=extbinary", "--use-md5"), ("--profile-summary-cold-count=40", "--trim-cold-profile"),
                    ("--format=extbinary", "--populate-profile-symbol-list"),
                    ("--load-function-from-symbol=0",), ("--show-density",)):
        yield Case(program, LBR, options)
    if program.has_probes:
        yield Case(program, LBR, ("--use-dwarf-correlation",))
    yield Case(program, LBR, (), "raw")
    yield Case(program, LBR, ("--use-offset=0",), "raw")
    for damage in DAMAGES:
        yield Case(program, Input("lbr", ("--damage", damage + "=60")), ())
    yield Case(program, Input("lbr", ("--aggregate",)), ())
    yield Case(program, Input("lbr", ("--damage", "all", "--aggregate"), seed=5), ())
    yield Case(program, Input("lbr", processes=2), ())
    yield Case(program, Input("lbr", processes=2), ("--pid=4711",))
    yield Case(program, Input("lbr", processes=3, apart=True), ())
    yield Case(program, Input("lbr", processes=2, apart=True), ("--skip-symbolization",))
    yield Case(program, with_data(LBR), ())
    yield Case(program, with_data(LBR), ("--pid=4711",))
    yield Case(program, LBR, ("--kernel",))
    for kernel in ("[kernel.kallsyms]", "[kernel.kallsyms]_text", "[kernel.kallsyms]_stext", "[guest.kernel]"):
        yield Case(program, Input("lbr", ("--name", kernel)), ("--kernel",))
        yield Case(program, with_data(Input("lbr", ("--name", kernel))), ("--kernel",))
    yield Case(program, with_data(LBR, together=5), ())
    yield Case(program, with_data(Input("lbr", ("--damage", "external", "--damage", "shuffle"), seed=7),
                                  together=3), ())
    yield Case(program, Input("lbr", ("--depth", "8", "--period", "9"), seed=3), ())


def hybrid_cases(program):
    merge = ("--csprof-merge-cold-context=1", "--profile-summary-hot-count=300")
    for options in ((), FLAT_CS, FLAT_CS[:3], ("--skip-symbolization",),
                    ("--skip-symbolization", "--use-offset=0"), ("--ignore-stack-samples",),
                    ("--csspgo-preinliner=0",), ("--gen-cs-nested-profile=0",), merge,
                    merge + ("--csspgo-preinliner=0",), merge + FLAT_CS[2:],
                    merge + ("--csprof-max-cold-context-depth=2", "--csspgo-preinliner=0"),
                    merge + ("--trim-cold-profile",),
                    ("--csprof-max-context-depth=2",), ("--csprof-max-context-depth=0",),
                    ("--compress-recursion=0",), ("--compress-recursion=1",),
                    ("--use-context-cost-for-preinliner=0",), ("--csspgo-replay-preinline",),
                    ("--csprof-max-unsymbolized-context-depth=3",),
                    ("--sample-profile-hot-inline-threshold=300", "--sample-profile-cold-inline-threshold=5"),
                    ("--generate-merged-base-profiles=1",), ("--mark-all-context-preinlined",),
                    ("--format=extbinary",), ("--format=extbinary", "--gen-cs-nested-profile=0"),
                    ("--format=extbinary", "--use-md5"), ("--max-search-depth=2",),
                    ("--profile-summary-contextless=0",)):
        yield Case(program, HYBRID, options)
    if program.has_probes:
        yield Case(program, HYBRID, ("--use-dwarf-correlation",))
    for options in ((), FLAT_CS, ("--use-offset=0",), ("--use-first-loadable-segment-as-base",)):
        yield Case(program, HYBRID, options, "ours raw" if program.has_probes else "raw")
    for options in (("--infer-missing-frames=0",), ("--max-search-depth=1",), ("--update-total-samples",),
                    ("--csprof-max-context-depth=4", "--compress-recursion=2"),
                    ("--load-function-from-symbol=0",), ("--trim-cold-profile",)):
        yield Case(program, HYBRID, options + FLAT_CS[:3])
    for damage in DAMAGES:
        yield Case(program, Input("hybrid", ("--damage", damage + "=60")), FLAT_CS)
    yield Case(program, Input("hybrid", ("--damage", "all"), seed=4), ())
    yield Case(program, Input("hybrid", ("--damage", "all"), seed=4), ("--skip-symbolization",))
    yield Case(program, Input("hybrid", ("--aggregate",)), ())
    yield Case(program, Input("mixed"), ())
    yield Case(program, Input("hybrid", ("--frames", "5"), seed=6), ())
    yield Case(program, Input("hybrid", ("--name", "[kernel.kallsyms]_text")), ("--kernel",))
    yield Case(program, with_data(Input("hybrid", ("--name", "[kernel.kallsyms]"))), ("--kernel",))
    yield Case(program, Input("hybrid", processes=3, apart=True), ())
    if program.has_probes:  # the order of samples over all files decides on attributes of others
        yield Case(program, Input("hybrid", ("--damage", "all"), processes=2, seed=9, apart=True), FLAT_CS)
    yield Case(program, with_data(HYBRID), ())
    yield Case(program, with_data(HYBRID, together=2), FLAT_CS)
    yield Case(program, with_data(HYBRID, together=5), ("--skip-symbolization",))
    yield Case(program, with_data(Input("hybrid", ADDRESS_DAMAGE, seed=7), together=3), ())
    yield Case(program, with_data(Input("hybrid", ADDRESS_DAMAGE, seed=8), together=6), FLAT_CS)
    yield Case(program, Input("hybrid", processes=2), ())
    yield Case(program, Input("hybrid", ("--damage", "all"), processes=3, seed=9), FLAT_CS)
    yield from post_processing_cases(program)


def post_processing_cases(program):
    """Profiles of the judge that go through what follows their generation."""
    keep = "--gen-cs-nested-profile=0"
    hot = "--profile-summary-hot-count=300"
    for options in ((), (keep,), ("--csspgo-preinliner=0",), ("--csspgo-preinliner=0", keep),
                    ("--use-context-cost-for-preinliner=0",), ("--csspgo-replay-preinline",),
                    ("--csprof-merge-cold-context=1", hot),
                    ("--csprof-merge-cold-context=1", hot, "--trim-cold-profile", keep),
                    ("--csspgo-preinliner=0", hot, "--csprof-max-cold-context-depth=3", keep),
                    (hot, "--trim-cold-profile", keep),
                    (hot, "--trim-cold-profile", keep, "--csspgo-preinliner=0"),
                    ("--generate-merged-base-profiles",),
                    ("--generate-merged-base-profiles", "--csspgo-preinliner=0"),
                    ("--mark-all-context-preinlined",),
                    ("--sample-profile-hot-inline-threshold=3", "--sample-profile-cold-inline-threshold=5"),
                    ("--sample-profile-hot-inline-threshold=1",
                     "--csspgo-preinliner-multiplier-for-previous-inlining=1"),
                    ("--sample-profile-cold-inline-threshold=60", keep),
                    ("--sample-profile-inline-growth-limit=2", keep),
                    ("--sample-profile-inline-limit-min=1000", "--sample-profile-inline-growth-limit=1"),
                    ("--sample-profile-inline-limit-max=150",),
                    ("--sort-profiled-scc-member=0", keep),
                    ("--profile-summary-cutoff-cold=900000", keep), ("--profile-summary-cold-count=50",),
                    ("--profile-summary-cutoff-hot=500000", "--csprof-merge-cold-context"),
                    ("--format=extbinary",), ("--format=extbinary", keep),
                    ("--profile-summary-contextless=0", "--csprof-merge-cold-context"),
                    ("--profile-summary-contextless=0", "--format=extbinary", keep)):
        yield Case(program, HYBRID, options, "text")
        yield Case(program, Input("hybrid", ("--damage", "all"), seed=4), options, "text")


def large_cases(program):
    """Everything for the programs of the quick set, the main paths for the others."""
    yield from quick_cases(program)
    if program.name in {one.name for one in quick()}:
        yield from lbr_cases(program)
        yield from hybrid_cases(program)
        return
    yield Case(program, Input("lbr", ("--damage", "all", "--aggregate"), seed=5), ())
    yield Case(program, HYBRID, ("--skip-symbolization",))
    yield Case(program, HYBRID, ("--ignore-stack-samples", "--format=extbinary"))
    yield Case(program, HYBRID, FLAT_CS[:3])
    yield Case(program, with_data(Input("hybrid", ADDRESS_DAMAGE, seed=7), together=3), ())
    yield Case(program, LBR, (), "raw")
