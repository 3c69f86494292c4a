#include "base/demangle.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/types.h"

namespace pgokit {
namespace {

TEST(Demangle, WritesNamesAsPeopleDo) {
  EXPECT_EQ(demangle("_Z3addii"), "add(int, int)");
  EXPECT_EQ(demangle("_ZL3addii.__uniq.17.cold"), "add(int, int).__uniq.17.cold");
  EXPECT_EQ(demangle("_ZZ4mainENKUlvE_clEv"), "main::{lambda()#1}::operator()() const");
  EXPECT_EQ(demangle("_ZN1A4pushIJicEEEvDpT_"), "void A::push<int, char>(int, char)");
}

TEST(Demangle, LeavesOutWhatIsReturnedIfAskedFor) {
  auto without = [](std::string_view name) { return demangle(name, ReturnType::left_out); };
  EXPECT_EQ(without("_ZN1A4pushIJicEEEvDpT_"), "A::push<int, char>(int, char)");
  EXPECT_EQ(without("_Z1fI1AEDTcl1xsr1A1xEET_"), "f<A>(A)");
  EXPECT_EQ(without("_ZN1A5applyIFviEEEvT_"), "A::apply<void (int)>(void (int))");
  EXPECT_EQ(without("_ZN1AcvT_IiEEv"), "A::operator int<int>()");
  EXPECT_EQ(without("_Z3addii.cold"), "add(int, int).cold");
  EXPECT_EQ(without("_RNvC1a1f"), "a::f");
  EXPECT_EQ(plain_name("_ZN1A4pushIJicEEEvDpT_.llvm.3", ReturnType::left_out),
            "A::push<int, char>(int, char)");
}

[[gnu::noinline]] void fill_stack(char with) {
  volatile char room[4096];
  for (volatile char& one : room) one = with;
}

TEST(Demangle, DoesNotDependOnWhatTheStackHolds) {
  for (char left : {'\0', '\1', '\xff'}) {
    fill_stack(left);
    EXPECT_EQ(demangle("_ZN1A4swapIiEEN1BIXsr1CI1DEE5valueEvE4typeERT_"),
              "B<C<D>::value, void>::type A::swap<int>(int&)");
    fill_stack(left);
    EXPECT_EQ(demangle("_Z1fI1AEDTcl1xsr1A1xEET_"), "decltype (x(A::x)) f<A>(A)");
  }
}

TEST(Demangle, KnowsBothFormsOfRust) {
  EXPECT_EQ(demangle("_RNvCs4fqI2P2rA04_5mycrt3foo"), "mycrt::foo");
  EXPECT_EQ(demangle("_RINvNtC3std3mem8align_ofdE.llvm.17"), "std::mem::align_of::<f64>.llvm.17");
  EXPECT_EQ(demangle("_RMC0FG_RL0_hEu"), "<for<'a> fn(&'a u8)>");
  EXPECT_EQ(demangle("_ZN3std2io5Write9write_fmt17h0123456789abcdefE"),
            "std::io::Write::write_fmt");
  EXPECT_EQ(demangle("_ZN58_$LT$alloc..string..String$u20$as$u20$core..fmt..Debug$GT$3fmt"
                     "17h0123456789abcdefE.llvm.3"),
            "<alloc::string::String as core::fmt::Debug>::fmt.llvm.3");
}

TEST(Demangle, LettersOfRustAreThoseOfTheSource) {
  EXPECT_EQ(demangle("_ZN6shapes13gr$uf6$$udf$e17h0123456789abcdefE"), "shapes::größe");
  EXPECT_EQ(demangle("_ZN1a15$u6f22$$u1f600$17h0123456789abcdefE"), "a::漢😀");
  EXPECT_EQ(demangle("_ZN1a5$u9b$17h0123456789abcdefE"), "a::$u9b$") << "a terminal would obey it";
  EXPECT_EQ(demangle("_ZN1a7$ud800$17h0123456789abcdefE"), "a::$ud800$");
  EXPECT_EQ(demangle("_RNvC6shapesu9gre_6ka8i"), "shapes::größe");
}

TEST(Demangle, KnowsD) {
  EXPECT_EQ(demangle("_Dmain"), "D main");
  EXPECT_EQ(demangle("_D4calc3sumFAiZi"), "calc.sum(int[])");
  EXPECT_EQ(demangle("_D4calc3sumFAiZi.part.0"), "calc.sum(int[]).part.0");
  EXPECT_EQ(demangle("_D4calc__T3sumTiZQhFAiZi"), "calc.sum!(int).sum(int[])");
}

TEST(Demangle, LeavesOtherNames) {
  for (const char* name : {"_DYNAMIC", "_D", "_D4calc", "main", "_Z", "_Znonsense", "", "_R",
                           "_Rnonsense", "_Z3addii_", "a.b.c"})
    EXPECT_EQ(demangle(name), name);
}

TEST(Demangle, TellsWhereCompilersAppended) {
  EXPECT_EQ(core_size("_Z3addii.cold"), 8u);
  EXPECT_EQ(core_size("f.part.0"), 1u);
  EXPECT_EQ(core_size(".f"), 2u);
  EXPECT_EQ(core_size("_ZN4a..b17h0123456789abcdefE.llvm.3"), 28u);
  EXPECT_EQ(core_size("_ZN4a17h"), 8u);
  EXPECT_EQ(core_size(""), 0u);
}

TEST(Demangle, PlainNamesHaveNoNumbersOfLlvm) {
  EXPECT_EQ(plain_name("_ZL3addii.__uniq.17.cold.llvm.3"), "add(int, int).cold");
  EXPECT_EQ(dropped_suffixes("_ZL3addii.__uniq.17.cold.llvm.3"), ".__uniq.17.llvm.3");
  EXPECT_EQ(plain_name("_ZN1a1f17h0123456789abcdefE.llvm.3"), "a::f");
  EXPECT_EQ(dropped_suffixes("_ZN1a1f17h0123456789abcdefE.llvm.3"), "::h0123456789abcdef.llvm.3");
  for (const char* name : {"f.__uniq.", "f.llvm.x", "f.llvm.1x", "f.part.0", "f..", ""}) {
    EXPECT_EQ(plain_name(name), name);
    EXPECT_EQ(dropped_suffixes(name), "");
  }
}

// 0 is "_", 1 is "0_", 2 is "1_".
std::string number_of(u32 number, std::string_view digits) {
  std::string text;
  auto base = static_cast<u32>(digits.size());
  for (u32 rest = number; rest; rest = (rest - 1) / base) {
    text.insert(0, 1, digits[(rest - 1) % base]);
    if (rest <= base) break;
  }
  return text + "_";
}
std::string substitution(u32 number) {
  return "S" + number_of(number, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");
}
std::string back_reference(u32 place) {
  return "B" + number_of(place, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
}

// P<Q<i, i>, Q<Q<i, i>, Q<i, i>>, ...>: each argument holds the one before twice.
std::string doubling_type() {
  std::string name = "1PI1QIiiE";
  for (u32 i = 2; i < 42; ++i) name += fmt::format("S0_I{0}{0}E", substitution(i));
  return name + "E";
}

TEST(Demangle, LeavesNamesThatUnfoldWithoutEnd) {
  std::string doubling = "_Z1f" + doubling_type(), pack = "_Z1fDp" + doubling_type();
  EXPECT_EQ(demangle(doubling), doubling);
  EXPECT_EQ(demangle(pack), pack);
  std::string rust = "_RIC0ThhE";
  for (u32 i = 0, last = 3; i < 40; ++i) {
    auto here = static_cast<u32>(rust.size()) - 2;
    rust += "T" + back_reference(last) + back_reference(last) + "E";
    last = here;
  }
  rust += "E";
  EXPECT_EQ(demangle("_RIC0ThhETB2_B2_EE"), "::<(u8, u8), ((u8, u8), (u8, u8))>");
  EXPECT_EQ(demangle(rust), rust);
  EXPECT_EQ(demangle("_RNvMIC0FGZZZZZZZ_EuEh1f"), "_RNvMIC0FGZZZZZZZ_EuEh1f") << "lifetimes";
}

TEST(Demangle, LeavesNamesOfDThatCouldUnfoldWithoutEnd) {
  // Each argument is an array of two of the one before.
  std::string name = "_D1a1fFHii";
  for (int i = 0; i < 40; ++i) name += "HQcQe";
  name += "Zv";
  EXPECT_EQ(demangle(name), name);
}

TEST(Demangle, LeavesNamesThatAreNestedWithoutEnd) {
  for (size_t depth : {2'000, 1'000'000}) {
    std::string cplusplus = "_Z1f" + std::string(depth, 'P') + "i";
    std::string rust = "_RMC0" + std::string(2 * depth, 'R') + "h";
    EXPECT_EQ(demangle(cplusplus), cplusplus);
    EXPECT_EQ(demangle(rust), rust);
  }
  EXPECT_EQ(demangle("_Z1fPPi"), "f(int**)");
}

}  // namespace
}  // namespace pgokit
