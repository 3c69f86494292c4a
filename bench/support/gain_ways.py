"""The builds of one program that bench/gain.py compares: plain, by profiles of each kind, by BOLT and by clang's own instrumentation.

    builds = Builds(real_programs.RECIPES["lua5.4"], "lua5.4", folder, pgokit)
    for way, program in builds.all(): ...                # "plain" first; those that cannot be had here are missing
"""
import dataclasses
import hashlib
import pathlib
import shutil

import real_programs
from real_programs import run

BOLT = pathlib.Path("/usr/lib/llvm-22/bin")

WAYS = {  # in the order of the table
    "plain": "plain",
    "lines": "recorded, by lines",
    "probes": "recorded, by probes",
    "contexts": "recorded, contexts",
    "profgen": "llvm-profgen on the recording",
    "exact-lines": "exact, by lines",
    "exact-probes": "exact, by probes",
    "inlining": "exact, inlined by worth",
    "targets": "exact, targets and sizes",
    "layout": "exact and order",
    "propeller": "exact and blocks laid out",
    "exact-bolt": "exact and BOLT",
    "bolt": "BOLT",
    "instrumented": "clang, instrumented",
    "instrumented-bolt": "instrumented and BOLT",
}


@dataclasses.dataclass
class Options:
    """Of the compiler."""
    lines: str         # for a program that is recorded
    probes: str        # the same with pseudo probes; empty: it has none
    sampled: str       # names a profile of samples
    sections: str      # a section for each function
    linker: str        # before an option of the linker
    instrumented: str  # for a program that counts
    counted: str       # names a profile of counts
    bare: str = ""     # needed always
    whole: str = ""    # beside a profile that counts a whole run
    blocks: str = ""   # writes a map of the blocks; empty: it has none
    clusters: str = ""  # names a layout of blocks
    plugin: bool = False  # pgokit's, which counts targets of calls and sizes of copies, and uses them
    inlining: str = ""    # weighs what inlining saves against what it costs, as with profiles of counts


# Of a configure script's own programs the profile knows nothing; perl's takes the warning for an option that does not work, and
# leaves out -fno-strict-aliasing and -fstack-protector-strong.
NO_WARNINGS = "-Wno-backend-plugin"
CLANG_LINES = "-g -fdebug-info-for-profiling -funique-internal-linkage-names -fuse-ld=lld-22"
CLANG = Options(CLANG_LINES, f"{CLANG_LINES} -fpseudo-probe-for-profiling", "-fprofile-sample-use=", "-ffunction-sections", "-Wl,",
                "-fprofile-generate", f"{NO_WARNINGS} -fprofile-use=", "-fuse-ld=lld-22", blocks="-fbasic-block-address-map",
                clusters="-fbasic-block-sections=list=", plugin=True,
                inlining="-Xclang -mllvm -Xclang -inline-enable-cost-benefit-analysis")
RUST_LINKER = "-Clinker=clang-22 -Clink-arg=-fuse-ld=lld-22"
RUST_LINES = f"-Cdebuginfo=2 -Cstrip=none -Zdebug-info-for-profiling {RUST_LINKER}"
RUST_USE = " ".join(f"-Cllvm-args=-{option}" for option in (
    "sample-profile-use-profi", "overwrite-existing-weights", "inline-enable-cost-benefit-analysis"))


def rust(pgokit):
    """As of `cargo pgokit` (docs/rust.md tells what the options of LLVM are for)."""
    plugin = pgokit.parent.parent / "lib/pgokit/pgokit-rustc-plugin.so"
    return Options(RUST_LINES, f"{RUST_LINES} -Zllvm-plugins={plugin}" if plugin.exists() else "",
                   f"{RUST_USE} -Zprofile-sample-use=", "", "-Clink-arg=-Wl,", "-Cprofile-generate", "-Cprofile-use=",
                   RUST_LINKER, whole="-Cllvm-args=-profile-sample-accurate ")


class Builds:
    def __init__(self, recipe, name, folder, pgokit):
        self.recipe, self.name, self.folder, self.pgokit = recipe, name, folder, pgokit
        self.options = rust(pgokit) if recipe.language == "rust" else CLANG
        self.train = real_programs.prepare(recipe, folder)

    def build(self, kind, flags, profile=None):
        stamp = f"\n# {hashlib.sha256(profile.read_bytes()).hexdigest()}\n" if profile else "\n"
        print(f"{self.name}: {kind}", flush=True)
        return real_programs.build_kind(self.recipe, self.name, self.folder, f"gain_{kind}", flags + stamp, "-O2")

    def make(self, *command):
        return run([self.pgokit, *command], self.train)

    def recorded(self, program, out, *options):
        self.make("record", "-q", "--software", *options, "-o", out, "--", "sh", "train.sh", program)
        return self.train / out

    def profile(self, recording, program, name, *options):
        self.make("generate", "-q", recording, "-b", program, "-o", f"gain.{name}.prof", *options)
        return self.train / f"gain.{name}.prof"

    def with_profile(self, way, flags, profile):
        whole = self.options.whole if way.startswith("exact") else ""
        return way, self.build(way, f"{flags} {whole}{self.options.sampled}{profile}", profile)

    def all(self):
        """(way, program)."""
        plain = self.build("plain", self.options.lines)
        yield "plain", plain
        recording = self.recorded(plain, "gain.lines.perf")
        exact = self.profile(self.recorded(plain, "gain.lines.counts", "--exact"), plain, "exact-lines")
        yield self.with_profile("lines", self.options.lines, self.profile(recording, plain, "lines"))
        yield self.with_profile("exact-lines", self.options.lines, exact)
        if self.options.blocks:
            yield "propeller", self.laid_out(exact)
        best = (self.options.lines, exact)
        if self.options.probes:
            best = yield from self.by_probes()
        else:
            yield from self.peer(recording, plain, self.options.lines)
        yield "layout", self.ordered(*best)
        counts = self.instrumented()
        yield "instrumented", self.build("instrumented", *counts)
        if (BOLT / "llvm-bolt").exists():
            flags, profile = best
            yield "bolt", self.bolted("relocs", self.options.lines)
            yield "exact-bolt", self.bolted("relocs-exact", f"{flags} {self.options.sampled}{profile}", profile)
            yield "instrumented-bolt", self.bolted("relocs-instrumented", *counts)

    def by_probes(self):
        """Returns the options and the profile of the best."""
        flags = self.options.probes
        probed = self.build("probed", flags)
        recording, exact = self.recorded(probed, "gain.probes.perf"), self.recorded(probed, "gain.probes.counts", "--exact")
        yield self.with_profile("probes", flags, self.profile(recording, probed, "probes"))
        yield self.with_profile("contexts", flags, self.profile(recording, probed, "contexts", "--cs"))
        exact = self.profile(exact, probed, "exact-probes")
        yield self.with_profile("exact-probes", flags, exact)
        if self.options.inlining:
            yield self.with_profile("inlining", f"{flags} {self.options.inlining}", exact)
        if self.options.plugin:
            yield "targets", self.with_targets(flags, exact)
        yield from self.peer(recording, probed, flags)
        return flags, exact

    def peer(self, recording, program, flags):
        profile = self.train / "gain.profgen.prof"
        try:
            run(["llvm-profgen-22", f"--perfdata={recording}", f"--binary={program}", f"--output={profile}"], self.train)
        except real_programs.Missing as failed:  # it falls over some recordings
            print(f"{self.name}: without {WAYS['profgen']}: {str(failed)[:300]}", flush=True)
            return
        yield self.with_profile("profgen", flags, profile)

    def with_targets(self, flags, profile):
        """Beside the profile, what a build of its own has counted: targets of indirect calls, and sizes of copies."""
        counting = [self.make("flags", "targets", "sizes", which).strip() for which in ("--compile", "--link")]
        watched, raw, program_map = self.build("watched", " ".join([flags, *counting])), self.folder / "gain_targets", self.train / "gain.targets.map"
        shutil.rmtree(raw, ignore_errors=True)
        raw.mkdir()
        run(["sh", "train.sh", watched], self.train, PGOKIT_PROFILE_FILE=str(raw / "%p.mipraw"))
        self.make("map", watched, "-o", program_map)
        self.make("merge", program_map, *sorted(raw.iterdir()), "-o", "gain.mip")
        self.make("export", "gain.mip", "--targets", "-o", "gain.targets")
        plugin = next(word for word in counting[0].split() if word.startswith("-fpass-plugin="))
        counted = self.train / "gain.targets"
        return self.build("targets", f"{flags} {self.options.sampled}{profile} {plugin} -Xclang -mllvm -Xclang -pgokit-use={counted}", counted)

    def ordered(self, flags, profile):
        """Functions in the order of their calls, by a recording of the build that has the profile."""
        flags = f"{flags} {self.options.sampled}{profile} {self.options.sections}"
        sections = self.build("sections", flags, profile)
        counts, order = self.recorded(sections, "gain.order.counts", "--exact"), self.train / "gain.order"
        self.make("order", "-q", counts, "-b", sections, "--link", sections, "-o", order)
        before = self.options.linker
        return self.build("layout", f"{flags} {before}--symbol-ordering-file={order} {before}--no-warn-symbol-ordering", order)

    def laid_out(self, profile):
        """By a recording of the build that has the profile. By lines: clang 22 cannot lay out the blocks of builds with probes."""
        flags = f"{self.options.lines} {self.options.sampled}{profile} {self.options.sections}"
        mapped = self.build("mapped", f"{flags} {self.options.blocks}", profile)
        counts, clusters, before = self.recorded(mapped, "gain.mapped.counts", "--exact"), self.train / "gain.clusters", self.options.linker
        self.make("generate", "-q", counts, "-b", mapped, "--for", "propeller", "-o", "gain")
        return self.build("propeller", f"{flags} {self.options.clusters}{clusters} {before}--symbol-ordering-file={self.train}/gain.symorder "
                          f"{before}--no-warn-symbol-ordering", clusters)

    def instrumented(self):
        """The options and the profile of the build with clang's counts."""
        generating = self.build("generate", f"{self.options.bare} {self.options.instrumented}")
        raw, profile = self.folder / "gain_raw", self.folder / "gain.profdata"
        shutil.rmtree(raw, ignore_errors=True)
        raw.mkdir()
        run(["sh", "train.sh", generating], self.train, LLVM_PROFILE_FILE=str(raw / "%m.profraw"))
        run(["llvm-profdata-22", "merge", *sorted(raw.iterdir()), "-o", profile], self.folder)
        return f"{self.options.bare} {self.options.counted}{profile}", profile

    def bolted(self, kind, flags, profile=None):
        """A build rewritten by llvm-bolt, by counts of its whole run."""
        relocatable = self.build(kind, f"{flags} {self.options.linker}--emit-relocs", profile)
        counts, out = self.recorded(relocatable, "gain.relocs.counts", "--exact"), relocatable.with_name("bolted")
        self.make("generate", "-q", counts, "-b", relocatable, "--for", "bolt", "-o", "gain.fdata")
        run([BOLT / "llvm-bolt", relocatable, "-o", out, "-data=gain.fdata", "-reorder-blocks=ext-tsp", "-reorder-functions=cdsort",
             "-split-functions", "-split-all-cold", "-split-eh", "-dyno-stats"], self.train)
        return out
