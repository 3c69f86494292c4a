// The input is cut into chunks of 1,024 bytes, and these into blocks of 64. The blocks of a chunk are
// compressed one after the other, each with the result of the one before. Chunks are the leaves of a
// binary tree whose left sides are full: where two subtrees of equal size stand next to each other
// they become one.
#include "base/blake3.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "base/cursor.h"

namespace pgokit {
namespace {

using Words8 = std::array<u32, 8>;
using Words16 = std::array<u32, 16>;

constexpr size_t block_size = 64, chunk_size = 1024;
constexpr u32 chunk_start = 1, chunk_end = 2, parent = 4, root = 8;
constexpr Words8 initial = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                            0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
constexpr std::array<u8, 16> permutation = {2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8};
// The columns of the state, then its diagonals.
constexpr u8 quarters[8][4] = {{0, 4, 8, 12},  {1, 5, 9, 13},  {2, 6, 10, 14}, {3, 7, 11, 15},
                               {0, 5, 10, 15}, {1, 6, 11, 12}, {2, 7, 8, 13},  {3, 4, 9, 14}};

// What is compressed: it is not done before it is known whether it is the root.
struct Node {
  Words8 chaining = initial;
  Words16 block{};
  u64 counter = 0;
  u32 size = block_size;
  u32 flags = 0;
};

void mix(Words16& state, const u8 (&at)[4], u32 first, u32 second) {
  auto &a = state[at[0]], &b = state[at[1]], &c = state[at[2]], &d = state[at[3]];
  a += b + first;
  d = std::rotr(d ^ a, 16);
  c += d;
  b = std::rotr(b ^ c, 12);
  a += b + second;
  d = std::rotr(d ^ a, 8);
  c += d;
  b = std::rotr(b ^ c, 7);
}

Words8 compress(const Node& node) {
  constexpr int rounds = 7;
  Words16 state;
  std::ranges::copy(node.chaining, state.begin());
  std::copy_n(initial.begin(), 4, state.begin() + 8);
  state[12] = static_cast<u32>(node.counter);
  state[13] = static_cast<u32>(node.counter >> 32);
  state[14] = node.size;
  state[15] = node.flags;
  Words16 block = node.block;
  for (int round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < std::size(quarters); ++i)
      mix(state, quarters[i], block[2 * i], block[2 * i + 1]);
    Words16 permuted;
    for (size_t i = 0; i < permuted.size(); ++i) permuted[i] = block[permutation[i]];
    block = permuted;
  }
  Words8 result;
  for (size_t i = 0; i < result.size(); ++i) result[i] = state[i] ^ state[i + 8];
  return result;
}

Words16 words_of(Bytes bytes) {
  std::array<u8, block_size> padded{};
  std::ranges::copy(bytes, padded.begin());
  Words16 words;
  for (size_t i = 0; i < words.size(); ++i) {
    Le<u32> word;
    std::memcpy(&word, &padded[i * sizeof word], sizeof word);
    words[i] = word;
  }
  return words;
}

// Its last block, after the others have been compressed.
Node last_block(Bytes chunk, u64 counter) {
  Node node{.counter = counter, .flags = chunk_start};
  while (chunk.size() > block_size) {
    node.block = words_of(chunk.first(block_size));
    node.chaining = compress(node);
    node.flags = 0;
    chunk = chunk.subspan(block_size);
  }
  node.block = words_of(chunk);
  node.size = static_cast<u32>(chunk.size());
  node.flags |= chunk_end;
  return node;
}

Node joined(const Words8& left, const Words8& right) {
  Node node{.flags = parent};
  std::ranges::copy(left, node.block.begin());
  std::ranges::copy(right, node.block.begin() + 8);
  return node;
}

}  // namespace

std::array<u8, 32> blake3(Bytes bytes) {
  std::vector<Words8> subtrees;  // of sizes that are powers of two, downwards
  u64 counter = 0;
  while (bytes.size() > chunk_size) {
    auto subtree = compress(last_block(bytes.first(chunk_size), counter++));
    for (u64 chunks = counter; chunks % 2 == 0; chunks /= 2) {
      subtree = compress(joined(subtrees.back(), subtree));
      subtrees.pop_back();
    }
    subtrees.push_back(subtree);
    bytes = bytes.subspan(chunk_size);
  }
  Node node = last_block(bytes, counter);
  for (; !subtrees.empty(); subtrees.pop_back()) node = joined(subtrees.back(), compress(node));
  node.flags |= root;
  std::array<u8, 32> hash;
  auto words = compress(node);
  for (size_t i = 0; i < hash.size(); ++i) hash[i] = static_cast<u8>(words[i / 4] >> 8 * (i % 4));
  return hash;
}

u64 blake3_u64(Bytes bytes) {
  auto hash = blake3(bytes);
  return Cursor(hash).get<u64>();
}

}  // namespace pgokit
