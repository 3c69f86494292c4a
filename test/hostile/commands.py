"""All ways to give pgokit a file. A word @KIND or NAME=@KIND is a file of that kind (inputs.py), OUT what is written."""
import re

COMMANDS = """
generate @program-lbr-perfdata -b @program -o OUT
generate @program-lbr-script -b @program -o OUT --format text
generate @program-lbr-perfdata -b @packed -o OUT
generate @probes-lbr-perfdata -b @probes -o OUT
generate @probes-lbr-script -b @probes -o OUT --format text
generate @split-lbr-perfdata -b @split --dwp @package -o OUT
generate @program-lbr-perfdata -b @stripped --debug-binary @debug -o OUT
generate --cs @program-hybrid-perfdata -b @program -o OUT
generate --cs @program-hybrid-script -b @program -o OUT
generate --cs @probes-hybrid-perfdata -b @probes -o OUT
generate --allow-ip @program-hybrid-script -b @program -o OUT
generate --allow-ip @program-lbr-perfdata -b @program -o OUT
generate @raw-lbr -b @program -o OUT
generate --cs @raw-hybrid -b @program -o OUT
generate @autofdo -b @program -o OUT
generate @script-xz -b @program -o OUT
generate @perfdata-gz -b @program -o OUT
generate @raw-xz -b @program -o OUT
generate @mip -b @instrumented -o OUT
generate @mip --all-programs -o OUT%n
generate @dump --all-programs -o OUT%n
generate --for bolt @program-lbr-perfdata -b @program -o OUT
generate --for bolt @program-lbr-script -b @program -o OUT --format preaggregated
generate --for bolt @program-lbr-perfdata --all-programs -o OUT%n
generate --for bolt @raw-lbr -b @packed -o OUT
perf2bolt -p @program-lbr-perfdata @program -o OUT
perf2bolt -ba -p @program-lbr-perfdata @program -o OUT
perf2bolt -pa -p @preaggregated @program -o OUT
create_llvm_prof --binary @mapped --profile @mapped-perf --format propeller --out OUT --propeller_symorder /dev/null
create_llvm_prof --binary @program --profile @program-lbr-perfdata --out OUT
create_gcov --binary @program --profile @program-lbr-perfdata --gcov OUT --gcov_version 3
profile_merger @gcov @gcov-3 --output_file OUT
profile_merger @extbinary @text --is_llvm --output_file OUT
generate @program-lbr-script -b @program -o OUT --for gcc-16
generate_propeller_profiles --binary @mapped --profile @mapped-perf --cc_profile /dev/null --ld_profile OUT
llvm-profgen --perfscript @program-lbr-script --binary @program -o OUT
llvm-profgen --perfscript @program-hybrid-script --binary @program -o OUT
llvm-profgen --unsymbolized-profile @raw-lbr --binary @program -o OUT
llvm-profgen --unsymbolized-profile @raw-hybrid --binary @program -o OUT
llvm-profgen --llvm-sample-profile @contexts --binary @program -o OUT
llvm-profgen --perfscript @program-lbr-script --binary @program --skip-symbolization -o OUT
llvm-profgen --perfscript @program-lbr-script --binary @program --data-access-perftrace @program-hybrid-script -o OUT
merge @text -o OUT
merge @text @binary -o OUT --strict
merge @binary -o OUT --format text
merge @text @binary -o OUT --json --timings
merge @extbinary -o OUT --format text
merge @extbinary -o OUT --format gcov
merge @md5 -o OUT
merge @compressed -o OUT --layout flat
merge @contexts -o OUT --layout nested
merge @contexts-text -o OUT --md5
merge @of-probes -o OUT --format text
merge @gcov -o OUT
merge @gcov-3 -o OUT
merge @text -o OUT --for gcc-16
merge @text-gz -o OUT
merge @noted @noted-text -o OUT --half-life 7
merge @raw-lbr -o OUT
merge @raw-hybrid -o OUT
merge -f @list -o OUT
merge @text --prof-sym-list @order -o OUT
merge @map @dump -o OUT
merge @mip @dump -o OUT
merge @mip --onto @map -o OUT
show @program-lbr-perfdata
show @program-hybrid-perfdata
show @program-lbr-script
show @program-hybrid-script
show @text --top 0
show @binary --hot 5
show @extbinary --sections
show @extbinary --detailed-summary --symbols
show @compressed
show @noted
show @noted-text --json
show @md5 --json
show @contexts
show @gcov
show @of-probes --function main
show @program
show @packed
show @split --json
show @script-xz
show @probes --json
show @object
show @map
show @dump
show @log --ids -b @logging
show @mip --functions --top 0
show @mip --order
show @mip --edges
show @mip --targets
show @mip --source calc.c -b @instrumented
show @calling-perf --targets -b @calling
report @program-lbr-perfdata -b @program --text
report @program-hybrid-perfdata -b @program --annotate main
report @program-lbr-script -b @program --json
report @probes-lbr-perfdata -b @probes --annotate main --json
report @raw-lbr -b @program --annotate main --syntax intel
report @mip -b @instrumented --text
report @mip --all-programs --text
report @dump -b @instrumented --json
generate @dump -b @instrumented -o OUT
report @extbinary --text
report @contexts --text
report @program-hybrid-perfdata -b @program -o OUT --order @order
report @probes-lbr-perfdata -b @probes -o OUT
report @of-probes -b @probes -o OUT
report @contexts --before @text -o OUT
export @mip -b @instrumented -o OUT
export @program-hybrid-perfdata -b @program --to folded -o OUT
export @program-hybrid-perfdata -b @program --to pprof -o OUT
export @program-hybrid-perfdata -b @program --to speedscope -o OUT
export @program-hybrid-perfdata -b @program --to firefox -o OUT
export @mip --targets -o OUT
export @mip -b @instrumented --hotness -o OUT
export @mip -b @instrumented --blocks -o OUT
export @extbinary --hotness -o OUT
export @mip -b @instrumented --lcov -o OUT
compare @text @extbinary
compare @contexts @contexts-text
compare @gcov @md5
compare @noted @text --markdown
check @extbinary -b @program
check @text -b @program --recording @program-lbr-perfdata
check @md5 -b @program
check @noted -b @program --max-age 9000 --markdown
check @of-probes -b @probes
check @extbinary -b @stripped --debug @debug
explain @extbinary -b @program
explain @text -b @program --json
explain @of-probes -b @probes
explain @extbinary -b @stripped --debug @debug
explain @extbinary -b @program --profiled @program-lbr-perfdata --profiled-binary @program
match @extbinary -b @program -o OUT
match @text -b @packed -o OUT
match @of-probes -b @probes -o OUT --format text
match @gcov -b @program -o OUT
match @noted -b @program -o OUT --markdown
map @instrumented -o OUT
map @instrumented -o /dev/null --strip OUT
order @order -o OUT -l @program
order @text -o OUT -l @object
order @extbinary -o OUT
order @program-lbr-perfdata -b @program -o OUT
order @program-lbr-script -b @program -o OUT
order @map @dump -o OUT
order @mip -o OUT --format ld
order @mip -o OUT --format gold
order @mip -o OUT --format call-graph
order @temporal -o OUT
order @temporal-text -o OUT -l @program
order @order -o OUT -l @archive
order @order -o OUT -l @thin-archive
order @order -o OUT -l @bitcode
order -f @list -o OUT
order --evaluate @program --with @order
probes dump @probes
probes dump @object --json
probes dump @probes --debug-file @probes-debug
probes stats @probes
probes compare @probes @object
probes compare @object @probes --json --function main
probes disassemble @probes
probes disassemble @probes --source-lines
probes dump @probes --directives
probes dump @coff-object
probes disassemble @coff-object
probes disassemble @coff --source-lines
probes disassemble @i386
show @coff
show @mach-o
order @start --link @mach-o -o OUT --format ld64
order @start --link @coff -o OUT
llvm-profgen --show-disassembly-only --show-pseudo-probe --output=/dev/null --binary @coff
probes lower @assembly -o OUT
probes lower @assembly --descriptors @probes -o OUT
doctor @program
doctor @split
flags blocks --functions @order
flags use=@text
flags use=@extbinary
flags use=@md5
flags use=@gcov
flags use=@of-probes --style cmake
flags use=@order --style make
llvm-profdata show --sample @text
llvm-profdata show --sample --json @extbinary
llvm-profdata show --sample --show-sec-info-only @compressed
llvm-profdata merge --sample @text @binary -o OUT
llvm-profdata merge --sample --text @compressed -o OUT
llvm-profdata merge --sample @gcov -o OUT
llvm-profdata merge --sample -f @list -o OUT
llvm-profdata overlap --sample @text @extbinary
llvm-profdata order @temporal -o OUT
"""


def kind_of(word):
    """Empty: the word is no file."""
    found = re.fullmatch(r"(?:\w+=)?@([\w-]+)", word)
    return found[1] if found else ""


def with_file(word, path):
    return word[:word.index("@")] + str(path)


def commands(inputs, pattern=""):
    """Lists of words; those whose files are not there are left out."""
    found = []
    for line in COMMANDS.strip().splitlines():
        words = line.split()
        if pattern in line and all(kind_of(word) in inputs for word in words if kind_of(word)):
            found.append(words)
    return found
