# g++ compiling a C++ file full of templates, and the program it makes.
# needs: /usr/bin/g++
cat >words.cc <<'CC'
#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>
struct Shape {
  virtual ~Shape() = default;
  virtual double area() const = 0;
};
template <int N>
struct Box : Shape {
  double area() const override { return N * N; }
};
template <typename T>
T checked(T value) {
  if (value < 0) throw std::domain_error("negative");
  return value;
}
int main() {
  std::map<std::string, int> count;
  std::istringstream in("one two two three three three");
  for (std::string w; in >> w;) count[w]++;
  std::vector<std::pair<std::string, int>> v(count.begin(), count.end());
  std::sort(v.begin(), v.end(), [](auto &a, auto &b) { return a.second > b.second; });
  for (auto &[w, n] : v) std::cout << w << ' ' << n << '\n';
  std::vector<std::unique_ptr<Shape>> shapes;
  shapes.push_back(std::make_unique<Box<2>>());
  shapes.push_back(std::make_unique<Box<7>>());
  for (auto &s : shapes) std::cout << s->area() << '\n';
  std::cout << std::regex_replace(std::string("2024-05-06"), std::regex("(\\d+)-(\\d+)"), "$2/$1") << '\n';
  std::variant<int, std::string> either = "text";
  std::visit([](auto &x) { std::cout << x << '\n'; }, either);
  try {
    checked(-1);
  } catch (const std::exception &e) {
    std::cout << e.what() << '\n';
  }
}
CC
$R /usr/bin/g++ -std=c++17 -O2 -g -Wall -c words.cc -o words.o
sha256sum words.o
$R /usr/bin/g++ words.o -o words
./words
echo '#include <vector>
int main() { std::vector<int> v = "no"; }' >bad.cc
$R /usr/bin/g++ -c bad.cc
echo "status $?"
