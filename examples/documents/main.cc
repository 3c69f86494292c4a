// Parses, queries, changes and writes JSON documents with nlohmann::json, a library that Debian
// ships (nlohmann-json3-dev).  usage: documents SEED ROUNDS
//
// The documents are made here, so that the run is the same everywhere; what is printed depends on
// every value read.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

namespace {

using nlohmann::json;

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 2654435761u + 1) {}
  std::uint64_t below(std::uint64_t limit) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return (state_ >> 33) % limit;
  }

 private:
  std::uint64_t state_;
};

// Written by hand, not by the library: white space, escapes and forms of numbers it would not
// write.
class Writer {
 public:
  explicit Writer(std::uint64_t seed) : random_(seed) {}
  std::string orders(int count) {
    out_ = "{\n  \"version\": 3,\n  \"orders\": [\n";
    for (int i = 0; i < count; ++i) {
      if (i) out_ += ",\n";
      order(i);
    }
    return out_ + "\n  ]\n}\n";
  }

 private:
  void word() {
    static const char* const syllables[] = {"ka",      "ro",       "mi",  "ten", "sul",
                                            "\\u00e9", "ba\\\"",   "lo ", "ndi", "q",
                                            "\\n",     "\xc3\xbc", "ver"};
    for (auto n = 1 + random_.below(5); n; --n)
      out_ += syllables[random_.below(std::size(syllables))];
  }
  void order(int number) {
    out_ += "    {\"id\": " + std::to_string(100000 + number) + ", \"customer\": {\"name\": \"";
    word();
    out_ += "\", \"since\": " + std::to_string(1990 + random_.below(35)) + ", \"vip\": ";
    out_ += random_.below(8) ? "false" : "true";
    out_ += "},\n     \"lines\": [";
    auto lines = random_.below(6);
    for (std::uint64_t i = 0; i < lines; ++i) line(i);
    out_ += "], \"note\": ";
    if (random_.below(3)) {
      out_ += "null}";
    } else {
      out_ += '"';
      word();
      out_ += "\"}";
    }
  }
  void line(std::uint64_t i) {
    if (i) out_ += ", ";
    out_ += "{\"article\": \"";
    word();
    out_ += "\", \"count\": " + std::to_string(1 + random_.below(12)) +
            ", \"price\": " + std::to_string(random_.below(500)) + "." +
            std::to_string(random_.below(100));
    if (!random_.below(10)) out_ += "e1";
    out_ += ", \"tags\": [";
    for (auto n = random_.below(4); n; --n)
      out_ += std::to_string(random_.below(1000)) + (n > 1 ? "," : "");
    out_ += "]}";
  }

  Random random_;
  std::string out_;
};

double total_of(json& order) {
  double total = 0;
  for (auto& line : order["lines"]) {
    double price = line["price"].get<double>() * line["count"].get<int>();
    for (auto& tag : line["tags"])
      if (tag.get<int>() < 100) price *= 0.9;
    line["sum"] = price;
    total += price;
  }
  return order["customer"]["vip"].get<bool>() ? total * 0.95 : total;
}

std::uint64_t hash_of(const std::string& text) {
  std::uint64_t h = 0xcbf29ce484222325u;
  for (unsigned char c : text) h = (h ^ c) * 0x100000001b3u;
  return h;
}

std::uint64_t run_round(std::uint64_t seed) {
  json document = json::parse(Writer(seed).orders(250));
  double all = 0;
  for (auto& order : document["orders"]) {
    double total = total_of(order);
    order["total"] = total;
    if (order["note"].is_null()) order.erase("note");
    all += total;
  }
  document["total"] = all;
  std::string written = document.dump(seed % 2 ? 2 : -1);
  return hash_of(written) ^ (json::parse(written) == document ? 1 : 0);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: documents SEED ROUNDS\n", stderr);
    return 2;
  }
  auto seed = std::strtoull(argv[1], nullptr, 10) * 1000000;
  auto rounds = std::strtoull(argv[2], nullptr, 10);
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < rounds; ++i) sum = sum * 31 + run_round(seed + i);
  std::printf("%llu documents, checksum %016llx\n", static_cast<unsigned long long>(rounds),
              static_cast<unsigned long long>(sum));
  return 0;
}
