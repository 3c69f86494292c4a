"""Readers of the forms that pgokit export writes: stacks, root first, with their weights."""
import collections
import gzip
import json


def folded(text):
    stacks = collections.Counter()
    for line in text.splitlines():
        stack, _, count = line.rpartition(" ")
        stacks[tuple(stack.split(";"))] += int(count)
    return stacks


def speedscope(text):
    """By profile."""
    profile = json.loads(text)
    frames = profile["shared"]["frames"]
    result = {}
    for one in profile["profiles"]:
        assert one["type"] == "sampled" and len(one["samples"]) == len(one["weights"])
        stacks = collections.Counter()
        for stack, weight in zip(one["samples"], one["weights"]):
            stacks[tuple(frames[i]["name"] for i in stack)] += weight
        assert one["startValue"] == 0 and one["endValue"] == sum(one["weights"])
        result[one["name"]] = stacks
    return result


def firefox(text):
    """By thread; checks that every table is as long as it says and every reference is into one."""
    profile = json.loads(text)
    assert profile["meta"]["preprocessedProfileVersion"] == 48
    categories = profile["meta"]["categories"]
    assert any(one["color"] == "grey" for one in categories)
    result = {}
    for thread in profile["threads"]:
        strings, functions = thread["stringArray"], thread["funcTable"]
        frames, stacks, samples = thread["frameTable"], thread["stackTable"], thread["samples"]
        for table in (functions, frames, stacks, samples, thread["resourceTable"],
                      thread["nativeSymbols"], thread["markers"]):
            for column in table.values():
                assert not isinstance(column, list) or len(column) == table["length"], thread["name"]
        assert all(0 <= i < functions["length"] for i in frames["func"])
        assert all(0 <= i < frames["length"] for i in stacks["frame"])
        assert all(i is None or i < place for place, i in enumerate(stacks["prefix"]))
        assert all(0 <= i < len(categories) for i in stacks["category"] + frames["category"])
        assert all(0 <= i < thread["resourceTable"]["length"] for i in functions["resource"])
        assert all(0 <= i < len(profile["libs"]) for i in thread["resourceTable"]["lib"])
        assert samples["time"] == sorted(samples["time"])
        found = collections.Counter()
        for stack, weight in zip(samples["stack"], samples["weight"]):
            names = []
            while stack is not None:
                names.append(strings[functions["name"][frames["func"][stacks["frame"][stack]]]])
                stack = stacks["prefix"][stack]
            found[tuple(reversed(names))] += weight
        assert thread["name"] not in result
        result[thread["name"]] = found
    return result


class Proto:
    """profile.proto, read by its numbers of fields."""

    def __init__(self, packed):
        self.fields = collections.defaultdict(list)
        for field, value in fields_of(gzip.decompress(packed)):
            self.fields[field].append(value)
        self.strings = [text.decode() for text in self.fields[6]]
        assert self.strings[0] == ""
        self.types = [self.strings[dict(fields_of(one))[1]] for one in self.fields[1]]
        functions = {message[1]: message for message in map(dict, map(fields_of, self.fields[5]))}
        self.mappings = [dict(fields_of(one)) for one in self.fields[3]]
        self.lines = {}  # by location, outermost first: function, file, line
        for one in self.fields[4]:
            lines = []
            for field, value in fields_of(one):
                if field == 1:
                    number = value
                if field == 4:
                    line = dict(fields_of(value))
                    function = functions[line[1]]
                    lines.append((self.strings[function[2]], self.strings[function.get(4, 0)],
                                  line.get(2, 0)))
            self.lines[number] = lines[::-1]

    def stacks(self, type_name):
        place = self.types.index(type_name)
        stacks = collections.Counter()
        for one in self.fields[2]:
            fields = dict(fields_of(one))
            value = numbers_of(fields[2])[place]
            names = [line[0] for location in reversed(numbers_of(fields[1]))
                     for line in self.lines[location]]
            if value:
                stacks[tuple(names)] += value
        return stacks


def number_at(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def numbers_of(data):
    at, numbers = 0, []
    while at < len(data):
        number, at = number_at(data, at)
        numbers.append(number)
    return numbers


def fields_of(data):
    at = 0
    while at < len(data):
        key, at = number_at(data, at)
        value, at = number_at(data, at)
        if key & 7 == 2:
            value, at = data[at:at + value], at + value
        yield key >> 3, value
