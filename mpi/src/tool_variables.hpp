// SPDX-License-Identifier: BSL-1.0
#pragma once
// The variables, enumerations and categories that the library shows to tools (MPI_T), as tables.

#include <cstdint>
#include <span>
#include <string>

#include "objects.hpp"

namespace mpx_mpi {

/// Values of a variable with names.
struct tool_enum {
  struct item {
    int value;
    const char* name;
  };
  const char* name;
  std::span<const item> items;
};

/// Groups of variables. All others are below the first one.
enum class tool_category : std::uint8_t { all, job, messages, memory, sockets };
struct tool_category_text {
  const char* name;
  const char* text;
};

/// A control variable.
struct control_variable {
  enum class kind : std::uint8_t { number, integer, text };
  const char* name;
  const char* text;
  tool_category in;
  kind is;
  int verbosity;
  int scope;
  const tool_enum* values;                 ///< Of an integer, or null.
  std::uint64_t (*read)();                 ///< Of a number or an integer.
  std::string (*read_text)();              ///< Of a text.
  void (*write)(std::uint64_t) = nullptr;  ///< Null: it is not written.
};
inline constexpr int tool_text_bytes = 64;  ///< Elements of a text, with its end.

/// A performance variable. All are numbers of 64 bits.
struct performance_variable {
  const char* name;
  const char* text;
  tool_category in;
  int verbosity;
  int of;                   ///< Its class, MPI_T_PVAR_CLASS_...
  std::uint64_t (*read)();  ///< Counts from the start of the process, or the value now.

  /// True if each handle has a start, an end and a value of its own; else it is always running.
  [[nodiscard]] bool counts() const noexcept {
    return of == MPI_T_PVAR_CLASS_COUNTER || of == MPI_T_PVAR_CLASS_AGGREGATE;
  }
};

std::span<const tool_enum> tool_enums() noexcept;
std::span<const tool_category_text> tool_categories() noexcept;
std::span<const control_variable> control_variables() noexcept;
std::span<const performance_variable> performance_variables() noexcept;

}  // namespace mpx_mpi
