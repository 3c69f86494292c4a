"""A made program: functions of some hundred bytes in several files; each of four start-ups runs a tenth of them."""
import os
import random

SCENARIOS = 4


def write(folder, count, files=8, sizes=(150, 550)):
    """Writes part*.c and main.c; the argument of the program says which start-up it is. Returns the sources."""
    os.makedirs(folder, exist_ok=True)
    random_size = random.Random(1)
    per_file = count // files
    sources = []
    for part in range(files):
        sources.append(os.path.join(folder, f"part{part}.c"))
        with open(sources[-1], "w", encoding="utf-8") as file:
            file.write("extern volatile int sink;\n")
            for i in range(part * per_file, (part + 1) * per_file):
                # The code that is jumped over makes it large without making it slow to compile.
                file.write(f"__attribute__((noinline)) void f{i}(void) {{ sink += {i}; "
                           f'__asm__ volatile("jmp 1f\\n.skip {random_size.randrange(*sizes)},0x90\\n1:"); }}\n')
    sources.append(os.path.join(folder, "main.c"))
    with open(sources[-1], "w", encoding="utf-8") as file:
        file.write("#include <stdlib.h>\nvolatile int sink;\n")
        for i in range(per_file * files):
            file.write(f"void f{i}(void);\n")
        for scenario in range(SCENARIOS):
            names = ",".join(f"f{i}" for i in start_up(scenario, per_file * files))
            file.write(f"static void (*const start{scenario}[])(void) = {{{names}}};\n")
        file.write("__attribute__((noinline)) void started(void) { sink++; }\n"
                   "__attribute__((noinline)) void work(void) { sink++; }\n"
                   "int main(int argc, char **argv) {\n  int s = argc > 1 ? atoi(argv[1]) : 0;\n")
        for scenario in range(SCENARIOS):
            file.write(f"  if (s == {scenario}) for (unsigned i = 0; i < sizeof start{scenario} / sizeof *start{scenario}; i++) "
                       f"start{scenario}[i]();\n")
        file.write("  started();\n  work();\n  return 0;\n}\n")
    return sources


def start_up(scenario, count):
    """Half of a start-up is that of all, half its own."""
    common = random.Random(100).sample(range(count), count // 20)
    own = random.Random(200 + scenario).sample(sorted(set(range(count)) - set(common)), count // 20)
    order = common + own
    random.Random(scenario).shuffle(order)
    return order
