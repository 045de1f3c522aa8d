// SPDX-License-Identifier: BSL-1.0
#include "image.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <system_error>
#ifdef HEAT2D_PNG
#include <png.h>
#endif

namespace heat2d {
namespace {

/// -1 .. 1 of each value.
std::vector<double> scaled(std::vector<double> field) {
  double most = 0;
  for (const double x : field) most = std::max(most, std::abs(x));
  for (double& x : field) x = most == 0 ? 0 : x / most;
  return field;
}
std::uint8_t byte_of(double x) { return static_cast<std::uint8_t>(std::lround(255 * x)); }

#ifdef HEAT2D_PNG
void write_png(const std::string& name, const std::vector<double>& field, std::size_t rows,
               std::size_t columns) {
  std::vector<std::uint8_t> pixels;
  pixels.reserve(3 * field.size());
  for (const double x : field) {
    const double rest = 1 - std::abs(x);
    for (const double colour : {x > 0 ? 1 : rest, rest, x < 0 ? 1 : rest})
      pixels.push_back(byte_of(colour));
  }
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(columns);
  image.height = static_cast<png_uint_32>(rows);
  image.format = PNG_FORMAT_RGB;
  if (png_image_write_to_file(&image, name.c_str(), 0, pixels.data(), 0, nullptr) == 0)
    throw std::system_error(errno == 0 ? EIO : errno, std::generic_category(),
                            name + ": " + image.message);
}
#else
void write_pgm(const std::string& name, const std::vector<double>& field, std::size_t rows,
               std::size_t columns) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
      std::fopen(name.c_str(), "wb"), [](std::FILE* f) { return std::fclose(f); });
  bool good = file != nullptr && std::fprintf(file.get(), "P5\n%zu %zu\n255\n", columns, rows) > 0;
  for (std::size_t i = 0; good && i < field.size(); ++i)
    good = std::fputc(byte_of((field[i] + 1) / 2), file.get()) != EOF;
  if (!good || std::fflush(file.get()) != 0)
    throw std::system_error(errno == 0 ? EIO : errno, std::generic_category(), name);
}
#endif

}  // namespace

std::string write_image(const std::string& name, const std::vector<double>& field, std::size_t rows,
                        std::size_t columns) {
  errno = 0;
#ifdef HEAT2D_PNG
  write_png(name, scaled(field), rows, columns);
  return name;
#else
  const std::string other = name.substr(0, name.rfind(".png")) + ".pgm";
  write_pgm(other, scaled(field), rows, columns);
  return other;
#endif
}

}  // namespace heat2d
