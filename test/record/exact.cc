// A deterministic program whose exact counts clang's instrumentation gives: word counts, a search
// tree, sorting, integer arithmetic, an interpreter. program ROUNDS

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

struct Random {
  uint32_t state = 1;
  uint32_t next() { return state = state * 1664525 + 1013904223; }
  uint32_t below(uint32_t n) { return static_cast<uint32_t>((uint64_t{next()} * n) >> 32); }
};

std::string make_text(Random& random, size_t words) {
  std::string text;
  for (size_t i = 0; i < words; ++i) {
    uint32_t word = random.below(400) * random.below(400) / 400;
    do text += static_cast<char>('a' + word % 26);
    while (word /= 26);
    text += random.below(12) == 0 ? '\n' : ' ';
  }
  return text;
}

__attribute__((noinline)) size_t count_words(const std::string& text) {
  std::unordered_map<std::string, int> counts;
  size_t lines = 0;
  std::string word;
  for (char c : text) {
    if (c >= 'a' && c <= 'z') {
      word += c;
      continue;
    }
    if (c == '\n') ++lines;
    if (!word.empty()) ++counts[word];
    word.clear();
  }
  size_t most = 0;
  for (const auto& [key, n] : counts) most = std::max(most, static_cast<size_t>(n) * key.size());
  return most + lines;
}

struct Node {
  uint32_t key = 0;
  std::unique_ptr<Node> left, right;
};

__attribute__((noinline)) bool insert(std::unique_ptr<Node>& root, uint32_t key) {
  auto* at = &root;
  while (*at) {
    if ((*at)->key == key) return false;
    at = key < (*at)->key ? &(*at)->left : &(*at)->right;
  }
  *at = std::make_unique<Node>();
  (*at)->key = key;
  return true;
}

__attribute__((noinline)) uint64_t sum(const Node* node) {
  if (!node) return 0;
  return node->key + sum(node->left.get()) * 3 + sum(node->right.get());
}

__attribute__((noinline)) uint64_t tree(Random& random) {
  std::unique_ptr<Node> root;
  uint64_t added = 0;
  for (int i = 0; i < 3000; ++i) added += insert(root, random.below(5000));
  return added + sum(root.get());
}

__attribute__((noinline)) uint64_t sorting(Random& random) {
  std::vector<uint32_t> list(4000);
  for (auto& one : list) one = random.below(1000);
  std::sort(list.begin(), list.end());
  uint64_t hash = 0;
  for (auto one : list)
    if (one % 3 == 0)
      hash = hash * 31 + one;
    else if (one % 5 == 0)
      hash ^= one;
  return hash;
}

__attribute__((noinline)) uint64_t collatz(uint32_t n) {
  uint64_t steps = 0;
  for (uint64_t at = n; at > 1; ++steps) at = at % 2 ? at * 3 + 1 : at / 2;
  return steps;
}

__attribute__((noinline)) uint64_t interpret(Random& random) {
  std::vector<uint8_t> code(300);
  for (auto& one : code) one = static_cast<uint8_t>(random.below(6));
  uint64_t value = 1, kept = 0;
  for (int turn = 0; turn < 60; ++turn)
    for (auto one : code) switch (one) {
        case 0:
          value += 7;
          break;
        case 1:
          value *= 3;
          break;
        case 2:
          if (value & 8) kept ^= value;
          break;
        case 3:
          value ^= value >> 5;
          break;
        case 4:
          if (value % 7 < 3) value += kept;
          break;
        default:
          kept += value & 1;
      }
  return value + kept;
}

}  // namespace

int main(int argc, char** argv) {
  int rounds = argc > 1 ? std::atoi(argv[1]) : 100;
  Random random;
  uint64_t result = 0;
  for (int i = 0; i < rounds; ++i) {
    result = result * 3 + count_words(make_text(random, 1500));
    result = result * 3 + tree(random);
    result = result * 3 + sorting(random);
    for (uint32_t n = 0; n < 200; ++n) result += collatz(random.below(10000));
    result = result * 3 + interpret(random);
  }
  std::printf("%llx\n", static_cast<unsigned long long>(result));
}
