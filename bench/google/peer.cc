// Answers inquiries with Google's own matcher, for TestDifferencesToGoogle of
// the folder above:
//
//   g++ -O2 -std=c++17 -I DIR_OF_ROBOTSTXT peer.cc DIR_OF_ROBOTSTXT/robots.cc -labsl_strings ... -o peer
//   GOOGLE_PEER=$PWD/peer go test -run Google -v ..
//
// An inquiry is robots.txt, agent and URL, each after its length in four octets,
// the lowest first. The answer is one octet, 1 for allowed or 0.
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "robots.h"

static bool Read(std::string* text) {
  unsigned char length[4];
  if (fread(length, 1, 4, stdin) != 4) return false;
  text->resize(length[0] | length[1] << 8 | length[2] << 16 | length[3] << 24);
  return text->empty() || fread(&(*text)[0], 1, text->size(), stdin) == text->size();
}

int main() {
  std::string robots, agent, url;
  while (Read(&robots) && Read(&agent) && Read(&url)) {
    googlebot::RobotsMatcher matcher;
    const std::vector<std::string> agents{agent};
    putchar(matcher.AllowedByRobots(robots, &agents, url) ? '1' : '0');
    fflush(stdout);
  }
}
