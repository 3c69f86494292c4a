#!/usr/bin/env python3
"""interpreters.py PGOKIT PROGRAM FOLDER: programs that run other programs print and exit as they do alone while they are recorded.

A just-in-time compiler (luajit, its compiler on and off), Go (preempted by signals, faults that become panics), valgrind with PROGRAM
(hostile.h), and ten thousand threads one after the other. What is not installed is left out.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import survive

RATES = (200, 3000)
TIMEOUT = 120

LUA = """
local function mix(n)
  local a, words = 1, {}
  for i = 1, n do
    a = (a * 1103515 + i) % 2147483647
    if a % 3 == 0 then words[i % 97] = tostring(a) .. ":" .. i end
  end
  local sum = 0
  for i = 0, 96 do sum = sum + #(words[i] or "") end
  return a, sum
end
local objects = setmetatable({}, {__index = function(_, key) return key * 2 end})
local total = 0
for round = 1, 40 do
  local a, sum = mix(100000)
  local ok, why = pcall(function() if round % 7 == 0 then error({code = round}) end return round end)
  total = (total + a + sum + objects[round] + (ok and why or why.code)) % 1000000007
end
local makers = coroutine.wrap(function() for i = 1, 20000 do coroutine.yield(i) end return 0 end)
for i = 1, 20000 do total = (total * 31 + makers()) % 1000000007 end
print("luajit", total)
os.exit(51)
"""

GO = """
package main

import (
	"fmt"
	"os"
	"runtime"
)

func spin(n int, done chan uint64) { // without calls: only a signal stops it
	h := uint64(1)
	for i := 0; i < n; i++ {
		h = h*6364136223846793005 + uint64(i)
		if h&64 != 0 {
			h ^= h >> 29
		}
	}
	done <- h
}

type node struct{ left, right *node }

func tree(depth int) *node {
	if depth == 0 {
		return &node{}
	}
	return &node{tree(depth - 1), tree(depth - 1)}
}

func (t *node) count() int {
	if t.left == nil {
		return 1
	}
	return 1 + t.left.count() + t.right.count()
}

func guarded(i int) (why string) {
	defer func() { why = fmt.Sprint(recover()) }()
	nodes := []*node{nil, &node{}}
	return fmt.Sprint(nodes[i%2].left == nil)
}

func main() {
	runtime.GOMAXPROCS(4)
	done := make(chan uint64)
	for i := 0; i < 8; i++ {
		go spin(20000000, done)
	}
	sum := 0
	for i := 0; i < 12; i++ {
		sum += tree(13).count()
		runtime.GC()
	}
	for i := 0; i < 2000; i++ {
		sum += len(guarded(i))
	}
	hash := uint64(0)
	for i := 0; i < 8; i++ {
		hash += <-done
	}
	fmt.Println("go", hash, sum)
	os.Exit(52)
}
"""


def go_program(folder):
    source = folder / "program.go"
    source.write_text(GO)
    program = folder / "go-program"
    subprocess.run(["go", "build", "-o", program, source], check=True, env={**os.environ, "GOCACHE": str(folder / "go-cache")})
    return program


def commands(program, folder):
    """(name, command, rates, is it there)"""
    script = folder / "program.lua"
    script.write_text(LUA)
    yield "luajit", ["luajit", script], RATES, shutil.which("luajit")
    yield "luajit without its compiler", ["luajit", "-joff", script], RATES, shutil.which("luajit")
    go = shutil.which("go")
    yield "go", [go_program(folder) if go else "go"], RATES, go
    stripped = folder / "stripped"  # valgrind 3.19 does not read the debug information of clang 22
    subprocess.run(["strip", "-g", "-o", stripped, program], check=True)
    yield "valgrind", ["valgrind", "--tool=none", "-q", stripped, "plain", "10"], RATES, shutil.which("valgrind")
    yield "10,000 threads", [program, "many-threads", "10000"], RATES[-1:], True


def main():
    pgokit, program = sys.argv[1:3]
    if not survive.can_record(pgokit):
        print("SKIPPED: ptrace is not permitted here")
        return survive.NO_TRACING
    failed = 0
    with tempfile.TemporaryDirectory(dir=sys.argv[3]) as name:
        folder = pathlib.Path(name)
        for title, command, rates, there in commands(program, folder):
            alone = survive.run(command, TIMEOUT) if there else (None, "", "")
            if alone[0] is None or not alone[1]:
                print(f"{title}: cannot be run here", flush=True)
                continue
            for rate in rates:
                recorded = survive.run(survive.record(pgokit, folder / "data", ["-F", str(rate)], command), TIMEOUT)
                reason = survive.failure(alone, recorded)
                failed += reason is not None
                print(f"{title}, -F {rate}: {reason or 'as alone'}", flush=True)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
