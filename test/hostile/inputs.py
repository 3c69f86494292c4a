"""One file of each kind that pgokit reads, made of a small program: what the tests of this folder damage and rename."""
import gzip
import lzma
import pathlib
import shutil
import subprocess

SOURCES = pathlib.Path(__file__).resolve().parent.parent / "programs"
BASE = ["clang-22", "-O2", "-fdebug-info-for-profiling", "-fuse-ld=lld-22", "-Wl,--build-id"]


def run(*command, **options):
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)


class Inputs:
    """Paths by kind of file: inputs["perf"]."""

    def __init__(self, folder, pgokit, walk):
        self.folder, self.pgokit, self.walk = pathlib.Path(folder), pgokit, walk
        self.paths = {}
        self.programs()
        self.other_formats()
        self.recordings()
        self.profiles()
        self.texts()
        self.instrumented()

    def __getitem__(self, kind):
        return self.paths[kind]

    def __contains__(self, kind):
        return kind in self.paths

    def new(self, kind, name=None):
        self.paths[kind] = self.folder / (name or kind)
        self.paths[kind].parent.mkdir(exist_ok=True)
        return self.paths[kind]

    def programs(self):
        source = SOURCES / "calc.c"
        run(*BASE, "-g", "-ffunction-sections", source, "-o", self.new("program"))
        run(*BASE, "-g", "-fpseudo-probe-for-profiling", source, "-o", self.new("probes"))
        run(*BASE, "-g", "-fbasic-block-address-map", source, "-o", self.new("mapped"))
        run(*BASE, "-g", SOURCES / "call_sites.c", "-o", self.new("calling"))
        run(*BASE, "-g", "-gz=zlib", source, "-o", self.new("packed", "packed/program"))
        run(*BASE, "-g", "-gsplit-dwarf", source, "-o", self.new("split"), cwd=self.folder)
        run("llvm-dwp-22", "-e", self["split"], "-o", self.new("package", "split.dwp"), cwd=self.folder)
        run(*BASE, "-g", "-fpseudo-probe-for-profiling", "-c", source, "-o", self.new("object", "calc.o"))
        run(*BASE, "-flto=thin", "-c", source, "-o", self.new("bitcode", "calc.bc"))
        run("llvm-ar-22", "rcs", self.new("archive", "calc.a"), self["object"], self["bitcode"])
        run("llvm-ar-22", "rcs", "--thin", self.new("thin-archive", "thin.a"), self["object"])
        run(*BASE, "-fpseudo-probe-for-profiling", "-S", source, "-o", self.new("assembly", "calc.s"))
        run("llvm-objcopy-22", "--only-keep-debug", self["program"], self.new("debug", "program.debug"))
        run("llvm-strip-22", "--strip-debug", self["program"], "-o", self.new("stripped", "stripped/program"))
        run("llvm-objcopy-22", "--only-keep-debug", self["probes"], self.new("probes-debug", "probes.debug"))

    def other_formats(self):
        source = SOURCES.parent / "differential" / "freestanding.cc"
        compiler = ["clang++-22", "-O1", "-gdwarf", "-ffreestanding", "-fno-exceptions", "-fno-rtti",
                    "-fpseudo-probe-for-profiling", source]
        run(*compiler, "--target=i386-linux-gnu", "-nostdlib", "-static", "-fuse-ld=lld", "-Wl,-e,start",
            "-o", self.new("i386"))
        run(*compiler, "--target=x86_64-windows-msvc", "-c", "-o", self.new("coff-object", "coff.obj"))
        run("lld-link-22", "/nodefaultlib", "/subsystem:console", "/debug:dwarf", "/entry:start", self["coff-object"],
            f"/out:{self.new('coff', 'coff.exe')}")
        run(*compiler, "--target=arm64-apple-macos11", "-c", "-o", self.new("mach-o", "macho.o"))
        self.new("start").write_text("start\n", encoding="ascii")

    def recordings(self):
        for kind, program in (("lbr", "program"), ("hybrid", "program"), ("lbr", "probes"), ("hybrid", "probes"), ("lbr", "split")):
            for form in ("perfdata", "script"):
                name = f"{program}-{kind}-{form}"
                run(self.walk, self[program], "-o", self.new(name), "--kind", kind, "--format", form, "--samples", "60", "--depth", "8")
        for program in ("mapped", "calling"):
            run(self.walk, self[program], "-o", self.new(f"{program}-perf"), "--kind", "lbr", "--format", "perfdata", "--samples", "60", "--depth", "8")
        for kind in ("lbr", "hybrid"):
            run(self.pgokit, "llvm-profgen", "--perfscript", self[f"program-{kind}-script"], "--binary", self["program"],
                "--skip-symbolization", "-o", self.new(f"raw-{kind}"))

    def profiles(self):
        def merge(kind, source, *options):
            run(self.pgokit, "merge", self[source], *options, "-o", self.new(kind))

        run(self.pgokit, "generate", self["program-lbr-perfdata"], "-b", self["program"], "-o", self.new("extbinary"))
        run(self.pgokit, "generate", "--cs", self["program-hybrid-perfdata"], "-b", self["program"], "-o", self.new("contexts"))
        run(self.pgokit, "generate", self["probes-lbr-perfdata"], "-b", self["probes"], "-o", self.new("of-probes"))
        run(self.pgokit, "generate", self["program-lbr-perfdata"], "-b", self["program"], "--note", "-o", self.new("noted"))
        merge("noted-text", "noted", "--format", "text")
        for form in ("text", "binary", "gcov"):
            merge(form, "extbinary", "--format", form)
        merge("gcov-3", "extbinary", "--for", "gcc-16")
        merge("md5", "extbinary", "--md5")
        merge("compressed", "extbinary", "--compress", "--split-layout")
        merge("contexts-text", "contexts", "--format", "text")
        counters = "".join(f"{name}\n1\n1\n{count}\n" for name, count in (("main", 1), ("dir/calc.c;number", 9), ("term", 5)))
        self.new("temporal-text", "temporal.proftext").write_text(
            ":ir\n:temporal_prof_traces\n2\n2\n1\nmain,term,dir/calc.c;number\n1\nmain,term\n" + counters)
        run(self.pgokit, "merge", self["temporal-text"], "-o", self.new("temporal", "temporal.profdata"))

    def texts(self):
        symbols = subprocess.run(["llvm-nm-22", "--defined-only", "--format=just-symbols", self["program"]], check=True, text=True,
                                 stdout=subprocess.PIPE).stdout
        self.new("order").write_text(symbols)
        for kind, pack, whole in (("text-gz", gzip.compress, "text"), ("script-xz", lzma.compress, "program-lbr-script"),
                                  ("perfdata-gz", gzip.compress, "program-lbr-perfdata"), ("raw-xz", lzma.compress, "raw-lbr")):
            self.new(kind).write_bytes(pack(self[whole].read_bytes()))
        lines = self["raw-lbr"].read_text().splitlines()
        branches = 1 + int(lines[0])  # in front of them AutoFDO has a section of addresses
        self.new("autofdo").write_text("\n".join([*lines[:branches], "0", *lines[branches:], ""]))
        run(self.pgokit, "generate", "-q", "--for", "bolt", "--format", "preaggregated", self["program-lbr-perfdata"], "-b", self["program"], "-o",
            self.new("preaggregated"))
        self.new("list").write_text(f"{self['text']}\n3,{self['binary']}\n")
        self.new("response").write_text(f"--perfscript={self['program-lbr-script']} --binary={self['program']}")

    def instrumented(self):
        """Only where the plugin was built."""
        flags = {part: subprocess.run([self.pgokit, "flags", "blocks", "order", "edges", "targets", f"--{part}"], text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False) for part in ("compile", "link")}
        if any(part.returncode for part in flags.values()):
            return
        words = {part: result.stdout.split() for part, result in flags.items()}
        unused = self.new("never-ran", "never-ran.c")
        unused.write_text("int never_ran(int x) { return x + 1; }\n")
        run(*BASE, "-g", *words["compile"], SOURCES / "calc.c", unused, "-o", self.new("instrumented"), *words["link"])
        run(self["instrumented"], env={"PGOKIT_PROFILE_FILE": str(self.new("dump", "dump.mipraw"))}, cwd=self.folder, input=b"1+2\n")
        run(self.pgokit, "map", self["instrumented"], "-o", self.new("map"))
        run(self.pgokit, "merge", self["map"], self["dump"], "-o", self.new("mip"))
        run(self.pgokit, "export", self["mip"], "--targets", "-o", self.new("targets"))
        log = {part: subprocess.run([self.pgokit, "flags", "order-log", f"--{part}"], check=True, text=True,
                                    stdout=subprocess.PIPE).stdout.split() for part in ("compile", "link")}
        run(*BASE, *log["compile"], SOURCES / "calc.c", "-o", self.new("logging"), *log["link"])
        run(self["logging"], env={"PGOKIT_PROFILE_FILE": str(self.new("log", "log.mipraw"))}, cwd=self.folder, input=b"1+2\n")


def missing_tools():
    return [tool for tool in ("clang-22", "ld.lld-22", "llvm-dwp-22", "llvm-objcopy-22", "llvm-strip-22", "llvm-nm-22") if not shutil.which(tool)]
