#pragma once
// A program of two files: what one calls much, the other defines.

unsigned choose(unsigned kind, unsigned x);
unsigned often(unsigned x);
unsigned seldom(unsigned x);
unsigned with_state(unsigned (*step)(unsigned), unsigned x);
