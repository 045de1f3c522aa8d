// SPDX-License-Identifier: BSL-1.0
#pragma once
// Writes a field of numbers as an image: a PNG where the program was built with libpng (CMake finds
// it), else a PGM, which has no colours.

#include <cstddef>
#include <string>
#include <vector>

namespace heat2d {

/// Writes `field`, of `rows` rows, from blue (the lowest value) over white (zero) to red.
/// Returns: the file's name: `name`, but for the ending if it is no PNG. Errors: std::system_error.
std::string write_image(const std::string& name, const std::vector<double>& field, std::size_t rows,
                        std::size_t columns);

}  // namespace heat2d
